/**
 * The operation table as plain data: names, hints and JSON Schemas, built ahead of time from the definitions
 * (`npm run generate`), so that a start pays neither for zod nor for a domain. It is also the snapshot in which a change
 * of the tool surface shows up in review.
 */
import { CairnError } from '../errors.ts';
import type { Toolset } from '../service/settings.ts';
import { fold, nearest } from './names.ts';
import type { OperationFacts } from './operation.ts';
import generated from './surface.generated.json' with { type: 'json' };

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface SurfaceEntry extends OperationFacts {
  /** The module of definitions that holds it; see table.ts. */
  readonly module: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
}

/** Whether a result says that the operation refused to do what was asked. */
export function refused({ failure }: OperationFacts, result: unknown): boolean {
  const fields = result as Readonly<Record<string, unknown>>;
  return failure !== undefined && fields[failure] !== undefined;
}

export interface Surface {
  readonly entries: readonly SurfaceEntry[];
  find(spelling: string): SurfaceEntry | undefined;
  /** The entry of that name, or an error that offers the nearest ones. */
  resolve(spelling: string): SurfaceEntry;
  /** What `tools/list` shows, in a fixed order. */
  listed(toolsets: readonly Toolset[], readOnly: boolean): SurfaceEntry[];
}

export function surfaceOf(entries: readonly SurfaceEntry[]): Surface {
  const byName = new Map<string, SurfaceEntry>();
  for (const entry of entries) {
    for (const name of new Set([entry.name, fold(entry.name), ...entry.spellings.map(fold)])) {
      if (byName.has(name)) throw new Error(`Two operations answer to ${name}`);
      byName.set(name, entry);
    }
  }
  const find = (spelling: string) => byName.get(spelling) ?? byName.get(fold(spelling));
  return {
    entries,
    find,
    resolve(spelling) {
      const entry = find(spelling);
      if (entry !== undefined) return entry;
      const near = nearest(spelling, byName.keys());
      throw new CairnError('unknown_operation', `Method not found: ${spelling.slice(0, 100)}`, {
        action: spelling.slice(0, 100),
        nearest: near,
        ...(near.length > 0 && { suggestion: `Did you mean ${near.join(', ')}?` }),
      });
    },
    listed(toolsets, readOnly) {
      const wanted = new Set<string>(toolsets);
      return entries.filter(
        (entry) =>
          (!entry.writes || !readOnly) &&
          entry.kind !== 'step' &&
          (wanted.has('all') || entry.toolsets.some((toolset) => wanted.has(toolset))),
      );
    },
  };
}

export const surface: Surface = surfaceOf(generated as unknown as readonly SurfaceEntry[]);
