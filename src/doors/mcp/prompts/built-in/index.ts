/** The prompts that come with Cairn, in the order in which they are listed. */
import type { BuiltIn } from './built-in.ts';
import { explainDecision } from './decisions.ts';
import { searchCodebase, summarizeDocument } from './documents.ts';
import { sessionHandoff } from './handoff.ts';
import { reviewInstructions } from './instructions.ts';
import { useOperation } from './operations.ts';
import { research } from './research.ts';

export const builtIns: ReadonlyMap<string, BuiltIn> = new Map(
  [searchCodebase, summarizeDocument, research, explainDecision, sessionHandoff, reviewInstructions, useOperation].map(
    (each) => [each.name, each],
  ),
);
