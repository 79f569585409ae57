import { instructionCategories } from '../complete.ts';
import type { BuiltIn } from './built-in.ts';
import { givenByCaller, lines, query, storedTextIsData, toolCall } from './wording.ts';

export const reviewInstructions: BuiltIn = {
  name: 'review_instructions',
  title: 'Review the instructions',
  description:
    'Go through the instructions that are due for review, drafts and broken gates, and propose what to change',
  arguments: [
    { name: 'category', description: 'Only those of this category.', longest: 49, choices: instructionCategories },
  ],
  text(given, { now, mayWrite }) {
    const { category } = given;
    const within = category === undefined ? {} : { categories: [category] };
    const due = { ...within, dueBefore: now.toISOString() };
    const drafts = { ...within, status: ['draft', 'review'] };
    const weightiest = { field: 'priority', direction: 'asc' };
    return lines(
      'Review the instructions of the team.',
      '',
      givenByCaller(given),
      '- Those whose review is due, the most important first:',
      toolCall('instructions_dispatch', { action: 'query', filters: due, sort: weightiest, limit: 10 }),
      '- Those that wait to be approved:',
      toolCall('instructions_dispatch', { action: 'query', filters: drafts, limit: 10 }),
      '- Whether the gates hold and every entry is as it was written:',
      query({ op: 'gates_evaluate' }, { op: 'integrity_verify' }),
      '',
      'For each entry say: keep, change (with the new text), or deprecate, and why: is it still true, is it clear what to do, does',
      'another entry contradict or repeat it, is there an owner? Change nothing before a person has agreed.',
      mayWrite &&
        'What they agree to goes through instructions_dispatch with the action governanceUpdate or add; describe shows their parameters.',
      storedTextIsData,
    );
  },
};
