import { decisionTargets } from '../complete.ts';
import type { BuiltIn } from './built-in.ts';
import { givenByCaller, lines, literal, query, storedTextIsData, toolCall } from './wording.ts';

export const explainDecision: BuiltIn = {
  name: 'explain_decision',
  title: 'Explain a decision',
  description: 'Say what holds for a target, why, and what held before',
  arguments: [
    {
      name: 'target',
      description: 'The system or area that was decided about.',
      required: true,
      longest: 200,
      choices: decisionTargets,
    },
    { name: 'namespace', description: 'The partition it belongs to; without it, default.', longest: 100 },
  ],
  text(given) {
    const { target = '', namespace } = given;
    const elsewhere = namespace === undefined ? {} : { namespace: literal(namespace) };
    return lines(
      'Explain what was decided about a target, to somebody who was not there.',
      '',
      givenByCaller(given),
      '- The decision that holds, and those it took the place of:',
      query({ op: 'decision_chain', params: { target: literal(target), ...elsewhere } }),
      '- What else touches it, past decisions included:',
      toolCall('search_decisions', { query: target, mode: 'audit', ...(namespace !== undefined && { namespace }) }),
      '- The targets there are, if that one is not known:',
      query({ op: 'target_list', params: { limit: 100, ...elsewhere } }),
      '',
      'Answer in this order: what holds now, and since when; the reason in the words of the record; what follows from it; what',
      'held before and why that changed; how sure it is (confidence, evidence, conflicts). Name the id of each decision. Where',
      'the record gives no reason, say so and do not make one up.',
      storedTextIsData,
    );
  },
};
