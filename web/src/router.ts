/** Pages by the fragment of the address: `#/instructions/ID?tab=history`. Each part of a path is encoded by itself. */
import { useEffect, useState } from 'preact/hooks';

export interface Route {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  return { path: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function linkTo(path: readonly string[], query: Query = {}): string {
  const set = Object.entries(query).filter(([, value]) => value !== undefined && value !== '' && value !== false);
  const words = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
  return `#/${path.map(encodeURIComponent).join('/')}${words === '' ? '' : `?${words}`}`;
}

export function goTo(path: readonly string[], query: Query = {}): void {
  location.hash = linkTo(path, query);
}

/**
 * Changes the question without a new entry in the browser's history, as typing into a filter does. Who has left the page
 * meanwhile is not brought back.
 */
export function replaceQuery({ path }: Route, change: Query): void {
  const here = parseRoute(location.hash);
  if (here.path.join('/') !== path.join('/')) return;
  history.replaceState(null, '', linkTo(path, { ...Object.fromEntries(here.query), ...change }));
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const changed = () => setRoute(parseRoute(location.hash));
    window.addEventListener('hashchange', changed);
    // It may have changed after the first look and before anybody listened.
    changed();
    return () => window.removeEventListener('hashchange', changed);
  }, []);
  return route;
}
