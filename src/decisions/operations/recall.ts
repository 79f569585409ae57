/** The operations that hooks call before and after every prompt, apart from the others: a hook pays for what it loads. */
import { bootstrapProject } from './bootstrap.ts';
import { getRelevantContext } from './context.ts';
import { recordInteraction } from './interaction.ts';

export const operations = [getRelevantContext, recordInteraction, bootstrapProject];
