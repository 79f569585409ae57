import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openLog } from './log.ts';
import { openTrace, type Trace } from './trace.ts';

const root = mkdtempSync(join(tmpdir(), 'cairn-trace-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

type Settings = Parameters<typeof openTrace>[0];

let count = 0;

function traceWith(settings: Partial<Settings> = {}): {
  trace: Trace;
  folder: string;
  logged: string[];
  lines: () => string[];
} {
  const folder = join(root, `case-${++count}`);
  const logged: string[] = [];
  const log = openLog({ logVerbose: false, logFile: '', logRotateBytes: 4096 }, (line) => void logged.push(line));
  const trace = openTrace(
    {
      traceDir: folder,
      traceMaxBytes: 65_536,
      traceSession: 'test',
      traceFilter: [],
      traceFilterDeny: [],
      ...settings,
    },
    log,
  );
  const lines = () =>
    readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1));
  return { trace, folder, logged, lines };
}

describe('a trace line', () => {
  it('is [trace:family:operation] and one JSON object, as seed 001 documents', async () => {
    const { trace, lines } = traceWith();
    trace.emit('feedback', 'feedback_list', { ms: 1.25, role: 'agent' });
    await trace.flush();
    const [, label, json = ''] = /^(\[trace:[^\]]+\]) (.*)$/.exec(lines()[0] ?? '') ?? [];
    expect(label).toBe('[trace:feedback:feedback_list]');
    expect(JSON.parse(json)).toEqual({
      ts: expect.stringMatching(/^\d{4}-.*Z$/),
      session: 'test',
      pid: process.pid,
      ms: 1.25,
      role: 'agent',
    });
  });

  it('hides secrets, after a line break too, and stays JSON', async () => {
    const token = ['np', 'm_', 'a1B2'.repeat(9)].join('');
    const { trace, lines } = traceWith();
    trace.emit('service', 'x', { reason: `bad:\n${token}`, url: 'http://host', who: 'a@b' });
    await trace.flush();
    expect(lines().join()).not.toContain(token.slice(6));
    expect(JSON.parse(lines()[0]?.replace(/^\S+ /, '') ?? '')).toMatchObject({ url: 'http://host', who: 'a@b' });
  });
});

describe('which lines are written', () => {
  const emitted = [
    ['feedback', 'feedback_list'],
    ['feedback', 'feedback_get'],
    ['service', 'health_check'],
  ] as const;

  it.each([
    ['all without a filter', [], [], 3],
    ['those of a family', ['feedback'], [], 2],
    ['those of one operation', ['feedback:feedback_get', 'service'], [], 2],
    ['all but a family', [], ['feedback'], 1],
    ['all but one operation', [], ['feedback:feedback_get'], 2],
    ['a denial beats a filter', ['feedback'], ['feedback:feedback_get'], 1],
    ['none for a family that does not exist', ['feedbac'], [], 0],
    ['an operation without its family is no category', ['feedback_get'], [], 0],
  ])('%s', async (_, traceFilter, traceFilterDeny, expected) => {
    const { trace, folder, lines } = traceWith({ traceFilter, traceFilterDeny });
    mkdirSync(folder);
    for (const [family, operation] of emitted) trace.emit(family, operation, {});
    await trace.flush();
    expect(lines()).toHaveLength(expected);
  });

  it('none, and no folder, when traces are off', async () => {
    const { trace } = traceWith({ traceDir: '' });
    expect(trace.on).toBe(false);
    trace.emit('service', 'x', {});
    await trace.flush();
    expect(readdirSync(root)).not.toContain(`case-${count}`);
  });
});

describe('trace files', () => {
  it('are begun anew at the size, keep every line and never replace an older file', async () => {
    const { trace, folder, lines } = traceWith({ traceMaxBytes: 4096 });
    mkdirSync(folder);
    writeFileSync(join(folder, `trace-test-${process.pid}.1.jsonl`), 'of an earlier process\n');
    for (let index = 0; index < 10_000; index++) trace.emit('a', 'b', { index });
    await trace.flush();
    expect(lines()).toHaveLength(10_001);
    expect(lines()).toContain('of an earlier process');
    const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4096);
  });

  it('that cannot be written are reported once in the log, and nothing is thrown', async () => {
    writeFileSync(join(root, 'blocker'), '');
    const { trace, logged } = traceWith({ traceDir: join(root, 'blocker', 'traces') });
    for (let round = 0; round < 5; round++) {
      trace.emit('a', 'b', {});
      await trace.flush();
    }
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain('The trace cannot be written');
  });
});

describe('the session id', () => {
  it.each([
    '../../../etc/passwd',
    '..',
    '...',
    '/absolute',
    'a/../../b',
    '..\\..\\windows',
    'nul\0byte',
    'line\nbreak',
    'x'.repeat(5000),
    '.hidden',
    'ünï cödé 🎉',
    '%2e%2e%2f',
  ])('%j stays one file in the folder', async (traceSession) => {
    const { trace, folder } = traceWith({ traceSession });
    const before = readdirSync(dirname(folder)).filter((name) => !name.startsWith('case-'));
    trace.emit('a', 'b', {});
    await trace.flush();
    const [name = '', ...others] = readdirSync(folder);
    expect(others).toEqual([]);
    expect(name).toMatch(/^trace-[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}-\d+\.jsonl$/);
    expect(readdirSync(dirname(folder)).filter((one) => !one.startsWith('case-'))).toEqual(before);
  });

  it('is random when none is set', async () => {
    const names = await Promise.all(
      [1, 2].map(async () => {
        const { trace, folder } = traceWith({ traceSession: '' });
        trace.emit('a', 'b', {});
        await trace.flush();
        return readdirSync(folder)[0];
      }),
    );
    expect(names[0]).toMatch(/^trace-[a-z0-9]{4,}-/);
    expect(names[0]).not.toBe(names[1]);
  });
});
