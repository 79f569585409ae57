import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { nothing, operation } from '../../operations/operation.ts';
import { newKey } from '../key.ts';
import { roles } from '../settings.ts';

const keyShape = z.object({
  id: z.string(),
  name: z.string(),
  role: z.string(),
  created: z.string(),
  revoked: z.string().optional(),
});

export const keysAdd = operation({
  name: 'keys_add',
  shown: ['name'],
  description: 'Makes an API key for HTTP with a name and a role. The key is shown once and kept only as a digest.',
  family: 'service',
  toolsets: [],
  capability: 'purge',
  writes: true,
  positional: ['name'],
  input: z.strictObject({
    name: z.string().min(1).max(100).describe('Who or what will use the key; appears in the audit trail.'),
    role: z.enum(roles).default('agent').describe('What the key may do.'),
  }),
  output: z.object({ id: z.string(), name: z.string(), role: z.string(), key: z.string(), note: z.string() }),
  example: { input: { name: 'build server', role: 'viewer' } },
  async run({ name, role }, context) {
    const { id, key, digest } = newKey();
    await context.write(async (change, audit) => {
      audit.subject(id);
      audit.note(`${name} as ${role}`);
      await change.keys.add({ id, name, role, digest, created: new Date().toISOString() });
    });
    return { id, name, role, key, note: 'Keep the key now: it is not stored and cannot be shown again.' };
  },
});

export const keysList = operation({
  name: 'keys_list',
  description: 'Lists the API keys by id, name and role, revoked ones included. Never the keys themselves.',
  family: 'service',
  toolsets: [],
  capability: 'purge',
  writes: false,
  input: nothing,
  output: z.object({ keys: z.array(keyShape), count: z.number() }),
  example: { input: {} },
  async run(_input, context) {
    const stored = await context.read((view) => view.keys.list());
    const keys = stored.map(({ digest: _, ...shown }) => shown);
    return { keys, count: keys.length };
  },
});

export const keysRevoke = operation({
  name: 'keys_revoke',
  description: 'Revokes an API key by its id, at once and for good.',
  family: 'service',
  toolsets: [],
  capability: 'purge',
  writes: true,
  destructive: true,
  idempotent: true,
  positional: ['id'],
  input: z.strictObject({ id: z.string().min(1).max(100).describe('The id that keys_list shows.') }),
  output: z.object({ id: z.string(), revoked: z.boolean() }),
  example: { given: [{ op: 'keys_add', params: { name: 'old laptop' } }], input: { id: '$prev.id' } },
  async run({ id }, context) {
    await context.write(async (change, audit) => {
      audit.subject(id);
      const revoked = await change.keys.revoke(id, new Date().toISOString());
      if (!revoked) throw new CairnError('not_found', `No key in force has the id ${id}`);
    });
    return { id, revoked: true };
  },
});
