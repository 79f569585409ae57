/** Calls that take their time: they report progress to those who ask, and stop when they are cancelled. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ways } from './connections.ts';
import { type Connection, Workbench } from './workbench.ts';

const STEPS = 50;

/** A call that takes about half a second: each step asks git and the file system. */
const slow = { name: 'query', arguments: { steps: Array(STEPS).fill({ op: 'get_environment_health' }) } };

const threeSteps = {
  name: 'query',
  arguments: { steps: ['one', 'two', 'three'].map((message) => ({ op: 'mcp_echo', params: { message } })) },
};

interface Figures {
  readonly methods: readonly { readonly method: string; readonly count: number }[];
}

describe.each(ways)('Over $name', ({ open }) => {
  let bench: Workbench;
  let connection: Connection;

  beforeAll(async () => {
    bench = await Workbench.open();
    connection = await open(bench);
  });

  afterAll(() => bench.end());

  it('progress is reported step by step, and before the answer, to a client that asked for it', async () => {
    const arrived = arrivalsOf(connection);
    const answer = await connection.client.callTool(threeSteps, { onprogress: () => {} });
    expect(answer.structuredContent).toMatchObject({ completedSteps: 3 });
    expect(arrived).toEqual(['1 of 3: mcp_echo', '2 of 3: mcp_echo', '3 of 3: mcp_echo', 'answer']);
  });

  it('nothing is reported to a client that did not ask', async () => {
    const arrived = arrivalsOf(connection);
    await connection.client.callTool(threeSteps);
    expect(arrived).toEqual(['answer']);
  });

  it('a cancelled call stops, is not answered, and the server lives on', async () => {
    const { client } = connection;
    const arrived = arrivalsOf(connection);
    const cancel = new AbortController();
    const call = client.callTool(slow, { signal: cancel.signal, onprogress: () => cancel.abort('no longer wanted') });
    await expect(call).rejects.toThrow('no longer wanted');

    await pause(400);
    const stepsRun = await stepsOf(connection);
    await pause(400);
    expect(await stepsOf(connection)).toBe(stepsRun);
    expect(stepsRun).toBeLessThan(STEPS);
    expect(arrived.filter((message) => message === 'answer')).toHaveLength(2);
  });
});

/**
 * What arrives on the wire from now on. The SDK's client drops a progress report that it reads together with the answer,
 * so its callback cannot tell what the server sent.
 */
function arrivalsOf({ transport }: Connection): string[] {
  const arrived: string[] = [];
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    if ('result' in message || 'error' in message) arrived.push('answer');
    else if (message.method === 'notifications/progress') arrived.push(progressOf(message.params));
    deliver?.(message, extra);
  };
  return arrived;
}

function progressOf(params: Record<string, unknown> = {}): string {
  return `${params.progress} of ${params.total}: ${params.message}`;
}

async function stepsOf({ client }: Connection): Promise<number> {
  const { structuredContent } = await client.callTool({ name: 'metrics_snapshot', arguments: {} });
  const { methods } = structuredContent as unknown as Figures;
  return methods.find(({ method }) => method === 'get_environment_health')?.count ?? 0;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
