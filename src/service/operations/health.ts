import * as z from 'zod';
import { nothing, operation } from '../../operations/operation.ts';
import { version } from '../../version.ts';

export const healthCheck = operation({
  name: 'health_check',
  description: 'Says whether the server is up, its version and the time. Touches nothing on disk.',
  family: 'service',
  toolsets: ['admin'],
  spellings: ['health/check'],
  capability: 'read',
  writes: false,
  input: nothing,
  output: z.object({ status: z.string(), timestamp: z.string(), version: z.string() }),
  example: { input: {} },
  async run() {
    return { status: 'ok', timestamp: new Date().toISOString(), version };
  },
});
