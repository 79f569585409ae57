/** How answers mark what is stale. */
import * as z from 'zod';
import { staleReasons } from '../stale.ts';

export const staleMark = z.object({
  reason: z.enum(staleReasons),
  ref: z.string().describe('What it cites.'),
  diff: z.string().optional().describe('The command that shows what changed.'),
  moved_to: z.string().optional(),
  others: z.number().optional().describe('How many other references of it are stale.'),
});
