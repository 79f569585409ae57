/** Where things are shown: the one place that knows the addresses of pages. */
import { linkTo } from '../router.ts';

export const instructionLink = (id: string) => linkTo(['instructions', id]);
export const decisionLink = (id: string) => linkTo(['decision', bareId(id)]);
export const documentLink = (collection: string, path: string, line?: number) =>
  linkTo(['documents', 'file', collection, path], line === undefined ? {} : { line });
export const targetLink = (target: string, namespace = 'default') =>
  linkTo(['decisions', target], namespace === 'default' ? {} : { namespace });
export const toolLink = (name: string) => linkTo(['tools', name]);

function bareId(id: string): string {
  return id.replace(/^decisions\//, '').replace(/\.md$/, '');
}

/** A link to what an audit entry or an event speaks of, as far as its operation tells what that is. */
export function subjectLink(operation: string, id: string): string | undefined {
  if (/^(?:instructions?_|usage_)/.test(operation) && !/backup/.test(operation)) return instructionLink(id);
  if (/decision|proposal/.test(operation) && /\d{4}/.test(id)) return decisionLink(id);
  return undefined;
}
