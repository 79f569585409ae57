/** A PostgreSQL server as CAIRN_STORE names it, taken apart: which server, which catalog, and what may be shown of it. */
import { CairnError } from '../../errors.ts';
import type { BucketOptions } from './bucket-address.ts';

export interface StoreAddress {
  /** For the driver: without what is ours. */
  readonly url: string;
  readonly catalog: string;
  /** Without the password. */
  readonly shown: string;
}

/** Everything that a thread needs to open the same store. */
export interface SharedPlace {
  readonly address: StoreAddress;
  readonly bucket?: BucketOptions;
  readonly statementMs: number;
  readonly lockWaitMs: number;
}

const catalogName = /^[a-z0-9][a-z0-9._-]{0,62}$/;

export function isCatalogName(text: string): boolean {
  return catalogName.test(text);
}

export function isStoreAddress(text: string): boolean {
  return URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol);
}

export function storeAddress(text: string, catalog = ''): StoreAddress {
  const url = new URL(text);
  const named = catalog || url.searchParams.get('catalog') || 'default';
  if (!isCatalogName(named)) {
    throw new CairnError('bad_configuration', `${JSON.stringify(named)} cannot be the name of a catalog`, {
      suggestion: 'Use up to 63 small letters, digits, dots, dashes and underscores.',
    });
  }
  url.searchParams.delete('catalog');
  const shown = new URL(url);
  if (shown.password !== '') shown.password = '***';
  shown.search = '';
  return { url: url.href, catalog: named, shown: `${shown.href}?catalog=${named}` };
}
