/** API keys: only digests are kept. */

import type { Row, Rows } from '../rows.ts';
import type { KeyRegister, StoredKey } from '../store.ts';

export function keysIn(rows: Rows): KeyRegister {
  return {
    async list() {
      return (await rows.all('SELECT * FROM api_key ORDER BY created, id')).map(toKey);
    },
    async byDigest(digest) {
      const row = await rows.get('SELECT * FROM api_key WHERE digest = ?', digest);
      return row && toKey(row);
    },
    async add({ id, name, role, digest, created, revoked }) {
      await rows.run(
        'INSERT INTO api_key (id, name, role, digest, created, revoked) VALUES (?, ?, ?, ?, ?, ?)',
        id,
        name,
        role,
        digest,
        created,
        revoked ?? null,
      );
    },
    async revoke(id, time) {
      return (await rows.run('UPDATE api_key SET revoked = ? WHERE id = ? AND revoked IS NULL', time, id)) > 0;
    },
  };
}

function toKey(row: Row): StoredKey {
  return {
    id: String(row.id),
    name: String(row.name),
    role: String(row.role),
    digest: String(row.digest),
    created: String(row.created),
    ...(row.revoked !== null && { revoked: String(row.revoked) }),
  };
}
