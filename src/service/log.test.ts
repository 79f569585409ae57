import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Log, openLog } from './log.ts';

const root = mkdtempSync(join(tmpdir(), 'cairn-log-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

type Settings = Parameters<typeof openLog>[0];
type Line = Record<string, unknown>;

function logWith(settings: Partial<Settings> = {}): { log: Log; lines: () => Line[]; raw: string[] } {
  const raw: string[] = [];
  const log = openLog(
    { logVerbose: false, logFile: '', logRotateBytes: 512 * 1024, ...settings },
    (line) => void raw.push(line),
  );
  return { log, raw, lines: () => raw.map((line) => JSON.parse(line) as Line) };
}

const token = ['gh', 'p_', 'a1B2'.repeat(9)].join('');

describe('a line of the log', () => {
  it('is one JSON object with time, level, message and facts', () => {
    const { log, raw, lines } = logWith();
    log.warn('two\nlines', { ms: 1.5, nested: { list: [1, null] } });
    expect(raw[0]?.indexOf('\n')).toBe((raw[0]?.length ?? 0) - 1);
    expect(lines()).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        level: 'warn',
        message: 'two\nlines',
        ms: 1.5,
        nested: { list: [1, null] },
      },
    ]);
  });

  it('is left out at the level debug unless everything is wanted', () => {
    const quiet = logWith();
    const verbose = logWith({ logVerbose: true });
    for (const { log } of [quiet, verbose]) {
      for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level](level);
    }
    expect(quiet.lines().map(({ level }) => level)).toEqual(['info', 'warn', 'error']);
    expect(verbose.lines().map(({ level }) => level)).toEqual(['debug', 'info', 'warn', 'error']);
  });

  it.each([
    ['in the message', `token ${token}`, {}],
    ['after a line break', `token\n${token}`, {}],
    ['in a fact', 'call', { input: { list: [`\t${token}`] } }],
    ['in the name of a fact', 'call', { [token]: 1 }],
    ['in JSON within the message', `body ${JSON.stringify({ password: token })}`, {}],
  ])('hides a secret %s', (_, message, facts) => {
    const { log, raw, lines } = logWith();
    log.error(message, facts);
    expect(raw.join()).not.toContain(token.slice(8));
    expect(lines()).toHaveLength(1);
  });

  it('stays one whole object when two fields look like one secret', () => {
    const { log, lines } = logWith();
    log.info('x', { url: 'http://host', who: 'ada@example.org', note: 'password="', path: 'C:\\' });
    expect(lines()[0]).toMatchObject({ url: 'http://host', who: 'ada@example.org', path: 'C:\\' });
  });

  it('is written for facts that JSON cannot hold', () => {
    const { log, lines } = logWith();
    const circle: Line = {};
    circle.self = circle;
    log.info('odd', { circle, big: 1n, gone: undefined, run: () => 1, text: '\ud800\u2028' });
    expect(lines()[0]).toMatchObject({ message: 'odd', big: '1' });
  });
});

describe('the log file', () => {
  it('holds the same lines as stderr, in order', async () => {
    const logFile = join(root, 'deep', 'same.log');
    const { log, raw } = logWith({ logFile });
    for (let index = 0; index < 500; index++) log.info(`line ${index}`);
    await log.flush();
    expect(readFileSync(logFile, 'utf8')).toBe(raw.join(''));
  });

  it('is renamed to FILE.1 when it is full', async () => {
    const logFile = join(root, 'full.log');
    const { log, raw } = logWith({ logFile, logRotateBytes: 4096 });
    for (let index = 0; index < 60; index++) log.info(`line ${index}`);
    await log.flush();
    expect(readFileSync(`${logFile}.1`, 'utf8') + readFileSync(logFile, 'utf8')).toBe(raw.join(''));
    expect(statSync(`${logFile}.1`).size).toBeLessThanOrEqual(4096);
  });

  it('that cannot be written is reported once, and logging goes on', async () => {
    writeFileSync(join(root, 'blocker'), '');
    const { log, lines } = logWith({ logFile: join(root, 'blocker', 'x.log') });
    for (let round = 0; round < 5; round++) {
      log.info(`round ${round}`);
      await log.flush();
    }
    const complaints = lines().filter(({ message }) => String(message).startsWith('The log file cannot be written'));
    expect(complaints).toHaveLength(1);
    expect(lines()).toHaveLength(6);
  });
});
