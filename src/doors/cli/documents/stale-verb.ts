/** `cairn stale` as it is typed; what it does is in stale.ts. */
import type { Verb } from './verb.ts';

export const staleVerb: Verb = {
  name: 'stale',
  usage: '',
  about: 'instructions and decisions that cite files which have changed since',
  notes:
    'cairn stale confirm ID [REF] says that one still holds: it is compared with what is there now from then on. With --check the exit code is 1 if anything is stale, for CI.',
  operation: 'stale_list',
  answersForOperation: true,
  flags: { check: ['bare', 'exit code 1 if anything is stale'] },
  letters: { n: 'limit' },
  examples: [
    ['cairn stale', 'what to look at again, and the commands that show why'],
    ['cairn stale --kind decision --check', 'for CI'],
    ['cairn stale confirm retry-policy', 'it still holds'],
  ],
  load: async () => (await import('./stale.ts')).listStale,
};
