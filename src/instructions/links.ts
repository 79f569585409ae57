/** What an instruction is connected with, as it says itself: its categories, what it builds on and what replaces it. */
import { nodeKey } from '../graph/node.ts';
import type { Link } from '../store/graph-index.ts';
import type { Head } from './entry.ts';

export function linksOf(head: Head): Link[] {
  const { id, categories, primaryCategory, dependencies = [], supersedes, deprecatedBy } = head;
  const own = nodeKey('instruction', id);
  const replaced = (old: string, by: string): Link => ({ source: old, relation: 'superseded_by', target: by });
  return [
    ...(primaryCategory === undefined
      ? []
      : [{ source: own, relation: 'primary', target: nodeKey('category', primaryCategory) }]),
    ...categories.map((name) => ({ source: own, relation: 'belongs', target: nodeKey('category', name) })),
    ...dependencies.map((other) => ({ source: own, relation: 'depends_on', target: nodeKey('instruction', other) })),
    ...(supersedes === undefined ? [] : [replaced(nodeKey('instruction', supersedes), own)]),
    ...(deprecatedBy === undefined ? [] : [replaced(own, nodeKey('instruction', deprecatedBy))]),
  ];
}
