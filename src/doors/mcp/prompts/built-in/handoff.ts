import type { BuiltIn, Situation } from './built-in.ts';
import { execute, givenByCaller, lines, query, toolCall } from './wording.ts';

export const sessionHandoff: BuiltIn = {
  name: 'session_handoff',
  title: 'Hand over the session',
  description: 'Leave what was done, decided and left open where the next session finds it',
  arguments: [{ name: 'goal', description: 'What the next session is to achieve.', longest: 2000 }],
  text(given, situation) {
    return lines(
      'Hand this session over to whoever comes next; they know nothing of this conversation.',
      '',
      givenByCaller(given),
      '- Look at what was handed over before, so as to go on from it (get with the hash reads one):',
      query({ op: 'list', params: { tag: 'handoff', recent: 3, sort_by: 'indexed', sort_order: 'desc' } }),
      situation.mayWrite ? keeping(situation) : 'Write the handover as your answer: you may not write to this Cairn.',
      '',
      'The handover says: what was wanted; what was done, with paths; what was tried and did not work, and why; what was',
      'decided; what is open, the next step first; how to check that it works. Facts only, and no secrets.',
    );
  },
};

/** What stands in angle brackets is for the agent to fill in. */
function keeping({ now }: Situation): string {
  const name = `handoff/${now.toISOString().slice(0, 19).replaceAll(':', '')}.md`;
  return lines(
    '- Keep each choice that was made and is not recorded yet (what is in <…> is yours to fill in):',
    toolCall('record_decision', {
      title: '<what was decided>',
      target: '<the system or area>',
      rationale: '<why, and what else was thought of>',
    }),
    '- Keep what was tried, also where it failed:',
    toolCall('record_interaction', { prompt: '<what was wanted>', response: '<what came of it>', success: false }),
    '- Store the handover:',
    execute({ op: 'add', params: { name, content: '<the handover, as Markdown>', tags: ['handoff'] } }),
    '- If a session was started, end it with session {"action":"stop"}.',
  );
}
