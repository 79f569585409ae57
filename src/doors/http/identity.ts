/**
 * Who an HTTP request comes from. Threat: anything that can reach the port. So: loopback only, unless there is a key;
 * once any key exists every request needs one; a wrong key is never the same as none; keys are compared by digest or in
 * constant time.
 */
import type { IncomingMessage } from 'node:http';
import { CairnError } from '../../errors.ts';
import type { App } from '../../service/app.ts';
import { digestOf, sameKey } from '../../service/key.ts';
import type { Principal } from '../../service/principal.ts';
import { type Role, roles } from '../../service/settings.ts';

export async function identify(app: App, request: Pick<IncomingMessage, 'headers'>): Promise<Principal> {
  const { config } = app;
  const key = presentedKey(request.headers);
  if (key === undefined) {
    if (await keyNeeded(app)) throw new CairnError('unauthenticated', 'A key is needed');
    return { name: config.agentId || config.role, role: config.role, door: 'http', human: false };
  }
  if (config.apiKey !== '' && sameKey(key, config.apiKey)) {
    return { name: 'environment key', role: config.apiKeyRole, door: 'http', human: false };
  }
  const stored = await app.store.read((view) => view.keys.byDigest(digestOf(key)));
  if (stored === undefined || stored.revoked !== undefined)
    throw new CairnError('unauthenticated', 'The key is not valid');
  return { name: stored.name, role: roleNamed(stored.role), door: 'http', human: false, key: stored.id };
}

/** Revoked keys count: taking back the last one must not open the door to everybody. */
export async function keyNeeded({ config, store }: App): Promise<boolean> {
  return config.apiKey !== '' || (await store.read((view) => view.keys.list())).length > 0;
}

export function presentedKey(headers: IncomingMessage['headers']): string | undefined {
  const own = headers['x-api-key'];
  if (typeof own === 'string' && own !== '') return own;
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '');
  return bearer?.[1];
}

/** A role that this version does not know grants the least. */
function roleNamed(name: string): Role {
  return roles.find((role) => role === name) ?? 'viewer';
}
