/** Which node a caller means: by key, by hash, or by a name that may be that of a document, a symbol, an instruction or a decision. */
import { plainId } from '../../decisions/record.ts';
import { readAliases, resolveTarget } from '../../decisions/target.ts';
import { meant } from '../../documents/find.ts';
import { isPattern } from '../../documents/glob.ts';
import { CairnError } from '../../errors.ts';
import { nodeAt } from '../graph.ts';
import { knowledgeNamed } from '../knowledge.ts';
import { type GraphNode, relations } from '../node.ts';
import { documentNode } from '../places.ts';
import { symbolsNamed } from '../symbols.ts';
import type { World } from '../world.ts';

export interface Which {
  readonly node_key?: string | undefined;
  readonly hash?: string | undefined;
  readonly name?: string | undefined;
  readonly collection?: string | undefined;
}

const SHOWN = 10;

export async function nodeMeant(world: World, { node_key, hash, name, collection }: Which): Promise<GraphNode> {
  if (node_key !== undefined) return (await nodeAt(world, node_key)) ?? nowhere(node_key);
  if (hash !== undefined) {
    const [found] = await meant(world.documents, { hash, name, collection });
    return found === undefined ? nowhere(name ?? hash) : documentNode(found);
  }
  if (name === undefined)
    throw new CairnError('validation_failed', 'Say where to begin: hash, name or node_key; or ask for list_types');
  return nodeNamed(world, name, collection);
}

/** A whole path, or a key, is meant as it is written; any other name must mean one node only. */
export async function nodeNamed(world: World, name: string, collection?: string): Promise<GraphNode> {
  const { documents } = world;
  const path = name.replace(/^(?:\.?\/)+/, '');
  const whole = (await documents.ending(path, collection, SHOWN)).filter((each) => each.path === path);
  if (whole.length === 1 && whole[0] !== undefined) return documentNode(whole[0]);
  const byKey = /^[a-z]+:/.test(name) ? await nodeAt(world, name) : undefined;
  if (byKey !== undefined && byKey.type !== 'unresolved') return byKey;
  // Several documents are an error that lists them; a pattern means the first that fits.
  const [document] = await meant(documents, { name, collection });
  if (document !== undefined && isPattern(name)) return documentNode(document);
  const candidates = [
    ...(document === undefined ? [] : [documentNode(document)]),
    ...(await symbolsNamed(world, name, SHOWN + 1)).filter(
      (symbol) => collection === undefined || symbol.collection === collection,
    ),
    ...(collection === undefined ? await knowledgeCalled(world, name) : []),
  ];
  const [only, ...others] = candidates;
  if (only === undefined) return nowhere(name);
  if (others.length === 0) return only;
  throw new CairnError('validation_failed', `${name} names several nodes`, {
    candidates: candidates.slice(0, SHOWN).map(({ key }) => key),
    suggestion: 'Give the key of the one that is meant as node_key.',
  });
}

async function knowledgeCalled(world: World, name: string): Promise<GraphNode[]> {
  const id = plainId(name);
  const found = [
    await knowledgeNamed(world, 'instruction', name),
    await knowledgeNamed(world, 'decision', id),
    await knowledgeNamed(world, 'category', name),
    await targetCalled(world, name),
  ];
  return found.filter((node) => node !== undefined);
}

async function targetCalled(world: World, name: string): Promise<GraphNode | undefined> {
  const aliases = await readAliases(world.store.files);
  const { key, how } = await resolveTarget(world.store.decisions, aliases, world.namespace, name);
  return how === 'new' ? undefined : knowledgeNamed(world, 'target', `${world.namespace}/${key}`);
}

function nowhere(what: string): never {
  throw new CairnError('not_found', `No document is ${what}, and no other node of the graph`, {
    suggestion: 'list shows the documents; graph with list_types and list_type shows all nodes.',
  });
}

/** The relation as the graph writes it. */
export function relationMeant(given: string): string {
  const found = relations.find((each) => each.toLowerCase() === given.toLowerCase());
  if (found !== undefined) return found;
  throw new CairnError('validation_failed', `No edges are of kind ${given}`, {
    suggestion: `Kinds are ${relations.join(', ')}.`,
  });
}
