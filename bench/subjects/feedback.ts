/** Cairn with feedback entries. */
import { dirname, resolve } from 'node:path';
import { type Ask, handshake, message } from '../command.ts';
import { reportNumber, seedFeedback } from '../seed.ts';
import type { Subject } from '../subject.ts';

const get = (id: string): Ask => ({ tool: 'feedback_get', input: { id }, proof: `"id":"${id}"` });

export const feedback: Subject = {
  name: 'cairn feedback',
  command: (home) => ({
    argv: [process.execPath, resolve('dist/cairn.js'), 'serve', '--home', home],
    folder: dirname(home),
  }),
  seed: seedFeedback,
  openings: {
    'initialize and tools/list': [...handshake, message('tools/list', undefined, 2)],
    'raw health/check': [message('health/check', undefined, 1)],
  },
  reads: [
    () => ({ tool: 'health_check', input: {}, proof: '"status":"ok"' }),
    () => ({ tool: 'mcp_echo', input: { message: 'hello' }, proof: '"message":"hello"' }),
    () => ({ tool: 'query', input: { steps: [{ op: 'describe' }] }, proof: '"families"' }),
    ({ id }) => get(id),
    ({ entries }) => ({ tool: 'feedback_list', input: { limit: 10 }, proof: `"total":${entries},` }),
  ],
  get,
  write: (number) => ({ tool: 'feedback_submit', input: { ...reportNumber(number) }, proof: '"success":true' }),
};
