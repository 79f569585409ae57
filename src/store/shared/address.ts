/** A PostgreSQL server as CAIRN_STORE names it, taken apart: which server, which catalog, and what may be shown of it. */
import { CairnError } from '../../errors.ts';

export interface StoreAddress {
  /** For the driver: without what is ours. */
  readonly url: string;
  readonly catalog: string;
  /** Without the password. */
  readonly shown: string;
}

const catalogName = /^[a-z0-9][a-z0-9._-]{0,62}$/;

export function isStoreAddress(text: string): boolean {
  return URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol);
}

export function storeAddress(text: string, catalog = ''): StoreAddress {
  const url = new URL(text);
  const named = catalog || url.searchParams.get('catalog') || 'default';
  if (!catalogName.test(named)) {
    throw new CairnError('validation_failed', `${JSON.stringify(named)} cannot be the name of a catalog`, {
      suggestion: 'Use up to 63 small letters, digits, dots, dashes and underscores.',
    });
  }
  url.searchParams.delete('catalog');
  const shown = new URL(url);
  if (shown.password !== '') shown.password = '***';
  shown.search = '';
  return { url: url.href, catalog: named, shown: `${shown.href}?catalog=${named}` };
}
