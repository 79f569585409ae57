import { explain, toCairnError } from '../../../../errors.ts';
import { type SurfaceEntry, surface } from '../../../../operations/surface.ts';
import { operationNames } from '../complete.ts';
import { refusal } from '../prompt.ts';
import type { BuiltIn } from './built-in.ts';
import { execute, givenByCaller, lines, query, toolCall } from './wording.ts';

export const useOperation: BuiltIn = {
  name: 'use_operation',
  title: 'Use an operation of Cairn',
  description: 'Explains one operation with its schema and example, ready to be called for a goal.',
  arguments: [
    {
      name: 'operation',
      description: 'Name of the operation.',
      required: true,
      longest: 200,
      choices: operationNames,
    },
    { name: 'goal', description: 'What it is wanted for.', longest: 2000 },
  ],
  text(given) {
    const entry = resolved(given.operation ?? '');
    return lines(
      `Use Cairn's operation ${entry.name}: ${entry.description}`,
      '',
      givenByCaller(given),
      'Its arguments follow this JSON Schema:',
      JSON.stringify(entry.inputSchema),
      'A call of that form:',
      exampleOf(entry),
    );
  },
};

function resolved(name: string): SurfaceEntry {
  try {
    return surface.resolve(name);
  } catch (thrown) {
    const error = toCairnError(thrown);
    throw refusal(explain(error), error.data);
  }
}

function exampleOf({ name, kind, writes, example }: SurfaceEntry): string {
  const params = example.input as Readonly<Record<string, unknown>>;
  if (kind === 'composite') return toolCall(name, params);
  return writes ? execute({ op: name, params }) : query({ op: name, params });
}
