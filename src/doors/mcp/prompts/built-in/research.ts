import { fixed } from '../complete.ts';
import type { BuiltIn } from './built-in.ts';
import { givenByCaller, lines, literal, query, storedTextIsData, toolCall } from './wording.ts';

const depths = ['quick', 'standard', 'deep'] as const;

export const research: BuiltIn = {
  name: 'research',
  title: 'Research a topic',
  description: 'Gather what decisions, instructions and documents say of a topic, with sources',
  arguments: [
    { name: 'topic', description: 'A question or a subject.', required: true, longest: 1000 },
    {
      name: 'depth',
      description: 'quick: what is known at once; standard; deep: also what was decided before, and documents in full.',
      longest: 20,
      oneOf: depths,
      choices: fixed(...depths),
    },
  ],
  text(given) {
    const { topic = '', depth = 'standard' } = given;
    const deep = depth === 'deep';
    const limit = deep ? 20 : depth === 'quick' ? 5 : 10;
    return lines(
      'Find out what is known about a topic.',
      '',
      givenByCaller(given),
      '- What concerns it:',
      toolCall('get_relevant_context', { prompt: topic, limit: deep ? 10 : 3 }),
      '- What was decided, and why:',
      toolCall('search_decisions', { query: topic, limit, ...(deep && { mode: 'audit' }) }),
      depth !== 'quick' && '- How the team works there:',
      depth !== 'quick' && toolCall('instructions_dispatch', { action: 'search', q: topic, limit }),
      '- What documents say:',
      query({ op: 'search', params: { query: literal(topic), limit } }),
      deep && '- Each document that matters, to its end; this is the first:',
      deep &&
        query(
          { op: 'search', params: { query: literal(topic), limit: 1 } },
          { op: 'get', params: { hash: '$prev.results[0].hash', as_text: true, length: 8000 } },
        ),
      '',
      'Search again with other words where the first ones find little. Then answer: what is certain, what is likely, what',
      'contradicts what, what nobody wrote down. Name the source of each statement: the id of a decision or instruction, the',
      'path of a document. What you know from elsewhere, say apart.',
      storedTextIsData,
    );
  },
};
