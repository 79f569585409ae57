/** Where things are shown: the one place that knows the addresses of pages. */
import { linkTo } from '../router.ts';

export const instructionLink = (id: string) => linkTo(['instructions', id]);
export const decisionLink = (id: string) => linkTo(['decision', bareId(id)]);
export const documentLink = (collection: string, path: string, line?: number) =>
  linkTo(['documents', 'file', collection, path], line === undefined ? {} : { line });
export const targetLink = (target: string, namespace = 'default') =>
  linkTo(['decisions', target], namespace === 'default' ? {} : { namespace });
export const toolLink = (name: string) => linkTo(['tools', name]);

/** A decision without its folder and the end of its file. */
export function bareId(id: string): string {
  return id.startsWith('decisions/') ? id.slice('decisions/'.length).replace(/\.md$/, '') : id;
}

const ofDocuments = new Set(['add', 'update', 'download']);

/** A link to what an audit entry speaks of, as far as its operation and id tell what that is. */
export function subjectLink(operation: string, id: string): string | undefined {
  if (id.startsWith('decisions/')) return decisionLink(id);
  if (/^(?:instructions?_|usage_)/.test(operation)) return instructionLink(id);
  const [collection = '', ...path] = id.split('/');
  return ofDocuments.has(operation) && path.length > 0 ? documentLink(collection, path.join('/')) : undefined;
}
