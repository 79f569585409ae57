import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createApp } from '../../service/app.ts';
import { resolveConfig } from '../../service/config.ts';
import type { Principal } from '../../service/principal.ts';
import type { Route } from './exchange.ts';
import { Reception } from './reception.ts';

const principal: Principal = { name: 'ann', role: 'agent', door: 'http', human: false };
const route: Route = { path: '/api/v1/', handle: async () => {} };
const mcp: Route = { ...route, path: '/mcp' };

function reception(host: string, env: Record<string, string> = {}): Reception {
  const config = resolveConfig({ home: { path: '/nowhere', source: 'test' }, flags: {}, env });
  return new Reception(createApp(config, new URL('file:///nowhere')), { host, port: 0 });
}

function asking(headers: Record<string, string> = {}, method = 'POST', remoteAddress = '127.0.0.1'): IncomingMessage {
  return { headers, method, socket: { remoteAddress } } as unknown as IncomingMessage;
}

/** How many of many calls at once are let through. */
function admitted(desk: Reception, request: IncomingMessage, at = route): number {
  let count = 0;
  for (let call = 0; call < 1000; call++) {
    try {
      desk.admit(request, at, principal);
      count++;
    } catch {
      // Too often.
    }
  }
  return count;
}

const key = { 'x-api-key': 'k' };

describe('the usual rate', () => {
  it('is none on loopback without a key, and some 200 calls at once with one or from elsewhere', () => {
    expect(admitted(reception('127.0.0.1'), asking())).toBe(1000);
    for (const some of [admitted(reception('127.0.0.1'), asking(key)), admitted(reception('0.0.0.0'), asking())]) {
      expect(some).toBeGreaterThanOrEqual(200);
      expect(some).toBeLessThan(900);
    }
  });

  it('can be set for everybody, and switched off', () => {
    expect(admitted(reception('127.0.0.1', { CAIRN_HTTP_RATE: '3' }), asking())).toBeLessThan(50);
    expect(admitted(reception('0.0.0.0', { CAIRN_HTTP_RATE: '0' }), asking(key))).toBe(1000);
  });

  it('does not count streams, nor what watches over the server', () => {
    const desk = reception('127.0.0.1', { CAIRN_HTTP_RATE: '1' });
    expect(admitted(desk, asking({}, 'GET'), mcp)).toBe(1000);
    expect(admitted(desk, asking({}, 'GET'), { ...route, unlimited: true })).toBe(1000);
    expect(admitted(desk, asking({}, 'POST'), mcp)).toBeLessThan(50);
  });

  it('is each address’s own', () => {
    const desk = reception('0.0.0.0', { CAIRN_HTTP_RATE: '1' });
    admitted(desk, asking({}, 'POST', '10.0.0.1'));
    expect(admitted(desk, asking({}, 'POST', '10.0.0.2'))).toBeGreaterThanOrEqual(2);
  });
});
