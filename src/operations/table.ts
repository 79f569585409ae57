/** Where the definitions of all operations are, loaded module by module when first called. */
import type { Operation } from './operation.ts';

// Each module declares its own input and output types; the table forgets them, because a door has none to offer.
// biome-ignore lint/suspicious/noExplicitAny: the one place where operations of all types stand side by side
type AnyOperation = Operation<any, any>;
type Module = { readonly operations: readonly AnyOperation[] };

export const modules: Readonly<Record<string, () => Promise<Module>>> = {
  instructions: () => import('../instructions/operations/index.ts'),
  decisions: () => import('../decisions/operations/index.ts'),
  recall: () => import('../decisions/operations/recall.ts'),
  documents: () => import('../documents/operations/index.ts'),
  graph: () => import('../graph/operations/index.ts'),
  stale: () => import('../graph/operations/stale-index.ts'),
  service: () => import('../service/operations/index.ts'),
  feedback: () => import('../feedback/operations/index.ts'),
  changes: () => import('../changes/operations/index.ts'),
  pipeline: () => import('./pipeline/index.ts'),
};

const loaded = new Map<string, ReadonlyMap<string, AnyOperation>>();

export async function definitionOf(module: string, name: string): Promise<AnyOperation> {
  let operations = loaded.get(module);
  if (operations === undefined) {
    const load = modules[module];
    if (load === undefined) throw new Error(`No module of operations is called ${module}`);
    operations = new Map((await load()).operations.map((operation) => [operation.name, operation]));
    loaded.set(module, operations);
  }
  const definition = operations.get(name);
  if (definition === undefined) throw new Error(`${module} does not define ${name}; run npm run generate`);
  return definition;
}
