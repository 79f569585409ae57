/** Where the HTTP door binds, and which names it answers to. */
import { CairnError } from '../../errors.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/** `8787`, `127.0.0.1:8787`, `[::1]:8787`, `:8787`; port 0 takes a free one. */
export function parseAddress(text: string): Address {
  const parts = /^(?:(\[[0-9a-fA-F:.]+\]|[^:[\]]*):)?(\d{1,5})$/.exec(text.trim());
  const port = Number(parts?.[2]);
  if (parts === null || port > 65_535) {
    throw new CairnError('bad_configuration', `${JSON.stringify(text)} is not an address; allowed is [HOST:]PORT`, {
      suggestion: 'For example --http 8787 or --http 127.0.0.1:8787.',
    });
  }
  return { host: (parts[1] || '127.0.0.1').replace(/^\[|\]$/g, ''), port };
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

export function isEveryInterface(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Names accepted in Host and Origin: a page elsewhere that resolves its own name to this machine is refused by them. */
export function acceptedNames(host: string, further: readonly string[]): string[] {
  const own = isEveryInterface(host) ? [] : [host.includes(':') ? `[${host}]` : host];
  return [...new Set([...loopbackNames, ...own, ...further])];
}

export function urlOf({ host, port }: Address): string {
  const shown = isEveryInterface(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${shown}:${port}`;
}
