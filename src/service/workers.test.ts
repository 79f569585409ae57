import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { linkOf } from '../store/audit-chain.ts';
import type { AuditEntry } from '../store/store.ts';
import type { TaskInput } from './tasks.ts';
import { createWorkers, type Progress, type Workers } from './workers.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'cairn-workers-'));
const real = pathToFileURL(join(root, 'worker.mjs'));
const scripted = pathToFileURL(join(root, 'scripted.mjs'));

const bundle = { bundle: true, format: 'esm', platform: 'node', target: 'node20', logLevel: 'error' } as const;

beforeAll(async () => {
  await build({ ...bundle, entryPoints: [join(here, '../worker.ts')], outfile: fileURLToPath(real) });
  // A thread that does what `hash` tells it: what real tasks do only in an emergency.
  writeFileSync(
    scripted,
    `import { parentPort, threadId } from 'node:worker_threads';
    const say = (message) => parentPort.postMessage(message);
    parentPort.on('message', ({ input: { hash, seq } }) => {
      if (hash === 'exit') process.exit(7);
      if (hash === 'crash') return setImmediate(() => { throw new Error('thread on fire'); });
      if (hash === 'forever') for (;;);
      if (hash === 'die later') setTimeout(() => process.exit(3), 20);
      if (hash === 'progress') for (let done = 1; done <= seq; done++) say({ kind: 'progress', progress: { done, total: seq } });
      if (hash === 'wait') return setTimeout(() => say({ kind: 'done', output: threadId }), seq);
      say({ kind: 'done', output: threadId });
    });`,
  );
});

const pools: Workers[] = [];
function pool(size: number, script: URL): Workers {
  const workers = createWorkers(size, script);
  pools.push(workers);
  return workers;
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((workers) => workers.close()));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function chain(length: number): AuditEntry[] {
  const entries: AuditEntry[] = [];
  let previous = '';
  for (let seq = 1; seq <= length; seq++) {
    const record = {
      time: 'now',
      operation: 'x',
      principal: 'ada',
      role: 'agent',
      door: 'mcp',
      outcome: 'ok',
      ids: [],
    };
    const entry = linkOf(record, seq, previous);
    entries.push(entry);
    previous = entry.hash;
  }
  return entries;
}

const whole = (length: number) => ({ entries: chain(length), seq: 0, hash: '' });
const command = (hash: string, seq = 0): TaskInput<'auditChain'> => ({ entries: [], seq, hash });

describe('a task in a real thread', () => {
  it('answers, for good input and for bad', async () => {
    const workers = pool(2, real);
    expect(await workers.run('auditChain', whole(20))).toEqual({});
    const [first, , ...rest] = chain(20);
    const entries = first === undefined ? [] : [first, ...rest];
    expect(await workers.run('auditChain', { entries, seq: 0, hash: '' })).toMatchObject({ broken: { seq: 2 } });
  });

  it('answers each of many, though there are two threads', async () => {
    const workers = pool(2, real);
    const [entry] = chain(1);
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, seq) =>
        workers.run('auditChain', { entries: entry === undefined ? [] : [entry], seq, hash: '' }),
      ),
    );
    expect(answers.map(({ broken }) => broken?.seq)).toEqual([
      undefined,
      ...Array.from({ length: 299 }, (_, i) => i + 2),
    ]);
  });

  it('uses no more threads than it may, and as many as it may', async () => {
    const workers = pool(3, scripted);
    const threads = await Promise.all(Array.from({ length: 30 }, () => workers.run('auditChain', command('wait', 5))));
    expect(new Set(threads).size).toBe(3);
  });

  it('reports progress, in order, to its own caller only', async () => {
    const workers = pool(1, scripted);
    const heard: Progress[] = [];
    await Promise.all([
      workers.run('auditChain', command('progress', 3), { progress: (progress) => heard.push(progress) }),
      workers.run('auditChain', command('progress', 5)),
    ]);
    expect(heard).toEqual([1, 2, 3].map((done) => ({ done, total: 3 })));
  });
});

describe('a failure', () => {
  it('of a task rejects that task with its message, and the pool goes on', async () => {
    const workers = pool(1, real);
    const broken = workers.run('auditChain', { entries: 5 as never, seq: 0, hash: '' });
    await expect(broken).rejects.toThrow(/iterable/);
    await expect(workers.run('noSuchTask' as 'auditChain', whole(1))).rejects.toThrow('No task is called noSuchTask');
    expect(await workers.run('auditChain', whole(3))).toEqual({});
  });

  it('of an input that cannot be sent rejects it, also when it had to wait, and the pool goes on', async () => {
    const workers = pool(1, real);
    const unsendable = { entries: [(() => 1) as never], seq: 0, hash: '' };
    const [first, second, third] = await Promise.allSettled([
      workers.run('auditChain', unsendable),
      workers.run('auditChain', whole(3)),
      workers.run('auditChain', unsendable),
    ]);
    expect([first.status, second.status, third.status]).toEqual(['rejected', 'fulfilled', 'rejected']);
    expect(await workers.run('auditChain', whole(3))).toEqual({});
  });

  it.each([
    ['exit', /ended with code 7/],
    ['crash', /thread on fire/],
  ])('of the thread itself (%s) rejects its task, and another thread takes the next', async (hash, message) => {
    const workers = pool(1, scripted);
    const failing = workers.run('auditChain', command(hash));
    const next = workers.run('auditChain', command('wait', 1));
    await expect(failing).rejects.toThrow(message);
    expect(await next).toEqual(expect.any(Number));
  });

  it('of a thread that has nothing to do is noticed before the next task', async () => {
    const workers = pool(1, scripted);
    const first = await workers.run('auditChain', command('die later'));
    await new Promise((resolve) => setTimeout(resolve, 150));
    const second = await workers.run('auditChain', command('wait', 1));
    expect(second).not.toBe(first);
  });

  it('of the script rejects every task', async () => {
    const workers = pool(1, pathToFileURL(join(root, 'missing.mjs')));
    const tasks = [1, 2, 3].map(() => workers.run('auditChain', whole(1)));
    for (const { status } of await Promise.allSettled(tasks)) expect(status).toBe('rejected');
  });

  it('is told to whoever comes when a thousand tasks wait', async () => {
    const workers = pool(1, scripted);
    const busy = workers.run('auditChain', command('forever'));
    const waiting = Array.from({ length: 1000 }, () => workers.run('auditChain', command('wait')));
    const settled = Promise.allSettled([busy, ...waiting]);
    await expect(workers.run('auditChain', command('wait'))).rejects.toMatchObject({ kind: 'limit_exceeded' });
    await workers.close();
    await settled;
  });
});

describe('cancellation', () => {
  const cancelled = { kind: 'cancelled', message: 'The call was cancelled' };

  it('before the call means that nothing is started', async () => {
    const workers = pool(1, pathToFileURL(join(root, 'missing.mjs')));
    const { signal } = { signal: AbortSignal.abort() };
    await expect(workers.run('auditChain', whole(1), { signal })).rejects.toMatchObject(cancelled);
  });

  it('while a task waits for a thread rejects it at once, and it never runs', async () => {
    const workers = pool(1, scripted);
    const order: string[] = [];
    const abort = new AbortController();
    const busy = workers.run('auditChain', command('wait', 100)).then(() => order.push('busy'));
    const progress = () => order.push('the cancelled task ran');
    const waiting = workers.run('auditChain', command('progress', 1), { signal: abort.signal, progress });
    abort.abort();
    await expect(waiting).rejects.toMatchObject(cancelled);
    order.push('cancelled');
    await busy;
    await workers.run('auditChain', command('wait'));
    expect(order).toEqual(['cancelled', 'busy']);
  });

  it('while a task runs ends its thread, even one that never looks up, and the next task has another', async () => {
    const workers = pool(1, scripted);
    const first = await workers.run('auditChain', command('wait'));
    const abort = new AbortController();
    const running = workers.run('auditChain', command('forever'), { signal: abort.signal });
    const next = workers.run('auditChain', command('wait'));
    setTimeout(() => abort.abort(), 50);
    await expect(running).rejects.toMatchObject(cancelled);
    expect(await next).not.toBe(first);
  });

  it('after the answer changes nothing, for this task or the one that has its thread now', async () => {
    const workers = pool(1, scripted);
    const abort = new AbortController();
    const first = await workers.run('auditChain', command('wait'), { signal: abort.signal });
    const next = workers.run('auditChain', command('wait', 30));
    abort.abort();
    expect(await next).toBe(first);
  });
});

describe('closing', () => {
  it('rejects what waits, what runs and what comes later, and ends though a thread never looks up', async () => {
    const workers = pool(1, scripted);
    const tasks = [command('forever'), command('wait'), command('wait')].map((input) =>
      workers.run('auditChain', input),
    );
    const settled = Promise.allSettled(tasks);
    await workers.close();
    const late = workers.run('auditChain', command('wait'));
    for (const outcome of [...(await settled), ...(await Promise.allSettled([late]))]) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { kind: 'cancelled', message: 'The server is stopping' },
      });
    }
  });

  it('ends whenever it comes while answers are on their way', async () => {
    for (let round = 0; round < 12; round++) {
      const workers = createWorkers(2, scripted);
      await workers.run('auditChain', command('wait'));
      const tasks = Array.from({ length: 20 }, () => workers.run('auditChain', command('wait', round % 4)));
      const settled = Promise.allSettled(tasks);
      await new Promise((resolve) => setTimeout(resolve, round % 5));
      // The thread answers while this one is busy: the answer lies in the queue when the thread is ended.
      const until = performance.now() + 8;
      while (performance.now() < until);
      await workers.close();
      await settled;
    }
  }, 20_000);

  it('of a pool that was never used, or twice, ends', async () => {
    const workers = pool(2, real);
    await expect(workers.close()).resolves.toBeUndefined();
    await expect(workers.close()).resolves.toBeUndefined();
  });

  it('is not needed for a process to end: an idle pool keeps none alive', async () => {
    const outfile = join(root, 'idle.mjs');
    const contents = `import { createWorkers } from './workers.ts';
      const workers = createWorkers(2, new URL(process.argv[2]));
      const tasks = [1, 2].map((seq) => workers.run('auditChain', { entries: [], seq, hash: '' }));
      process.stdout.write(JSON.stringify(await Promise.all(tasks)));`;
    await build({ ...bundle, stdin: { contents, resolveDir: here, loader: 'ts' }, outfile });
    const child = promisify(execFile)(process.execPath, [outfile, real.href], { timeout: 10_000 });
    expect((await child).stdout).toBe('[{},{}]');
  });
});
