import { decisionLink, documentLink, instructionLink, targetLink } from '../../parts/places.ts';
import type { GraphNode } from './answers.ts';

/** Where a node of the graph has a page of its own. */
export function nodeLink({ key, type, collection, path, line, namespace }: GraphNode): string | undefined {
  const name = key.slice(key.indexOf(':') + 1);
  if (path !== undefined && collection !== undefined) return documentLink(collection, path, line);
  if (type === 'instruction') return instructionLink(name);
  if (type === 'decision' || type === 'proposal') return decisionLink(name.slice(name.lastIndexOf('/') + 1));
  return type === 'target' ? targetLink(name.slice(name.indexOf('/') + 1), namespace) : undefined;
}
