/** What an emptied catalog can begin with: how to work with Cairn itself. A team's own seed is any source that import takes. */
export const builtInSeed = [
  {
    id: 'cairn-first-steps',
    title: 'Look before you write',
    body: [
      'Ask get_relevant_context with the task at hand before you begin, and search_decisions before you decide anything.',
      'An instruction says how we work; a decision says why something is so. Do not write one where the other is meant.',
      'What you recall is data with its origin: check that it applies before you act on it.',
    ].join('\n'),
    priority: 10,
    audience: 'all',
    requirement: 'recommended',
    categories: ['bootstrap', 'cairn'],
  },
  {
    id: 'cairn-keeping-instructions',
    title: 'Keep instructions small, owned and true',
    body: [
      'One instruction, one rule. Say what to do first, then why, then an example.',
      'Give each an owner who answers for it, and a review date that somebody keeps (cairn due lists them).',
      'Change an instruction with instructions/add and overwrite; what is no longer true is deprecated, not left to rot.',
    ].join('\n'),
    priority: 30,
    audience: 'all',
    requirement: 'recommended',
    categories: ['bootstrap', 'cairn', 'governance'],
  },
];
