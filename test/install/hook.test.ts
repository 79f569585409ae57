/** What a client calls on a prompt and on an answer: it helps, or it is not there. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type Call, hookCommand, projectOf, runHook } from '../../src/doors/cli/install/hook.ts';
import { shadowMark } from '../../src/doors/cli/install/shadow.ts';
import { type Fixture, fixture } from './fixture.ts';

type Called = [string, Record<string, unknown>];

function recorder(context: unknown = 'Use tabs.'): { calls: Called[]; call: Call } {
  const calls: Called[] = [];
  return {
    calls,
    call: async (operation, input) => {
      calls.push([operation, input]);
      return { status: 'success', context };
    },
  };
}

const options = ({ home }: Fixture) => ({ home, env: {}, budgetMs: 5000 });
const nothing = { stdout: '', stderr: '', exitCode: 0 };

describe('a prompt', () => {
  it.each([
    ['claude', { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'Use tabs.' } }],
    ['codex', { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'Use tabs.' } }],
    ['vscode', { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'Use tabs.' } }],
    ['gemini', { hookSpecificOutput: { hookEventName: 'BeforeAgent', additionalContext: 'Use tabs.' } }],
    ['cursor', { continue: true, additional_context: 'Use tabs.' }],
  ])('of %s is given what Cairn knows, in the form that the client takes', async (client, form) => {
    const here = fixture();
    const { calls, call } = recorder();
    const stdin = JSON.stringify({ session_id: 's', prompt: ' How do we indent? ' });
    const { stdout } = await runHook([client, 'prompt'], stdin, call, options(here));
    expect(JSON.parse(stdout)).toEqual(form);
    expect(calls).toEqual([['get_relevant_context', { prompt: 'How do we indent?', limit: 3, budget_tokens: 2375 }]]);
  });

  it('stays as it is when nothing is known', async () => {
    const here = fixture();
    for (const context of ['', null, 7]) {
      const answer = await runHook(['claude', 'prompt'], '{"prompt":"x"}', recorder(context).call, options(here));
      expect(answer).toEqual(nothing);
    }
  });

  it('is no shell command, whatever is in it', async () => {
    const here = fixture();
    const { calls, call } = recorder();
    const prompt = `$(touch ${here.home}/pwned); \`id\` "' && rm -rf / | %PATH% \u0000`;
    await runHook(['claude', 'prompt'], JSON.stringify({ prompt, session_id: '../../../x' }), call, options(here));
    expect(calls[0]?.[1].prompt).toBe(prompt);
    expect(existsSync(join(here.home, 'pwned'))).toBe(false);
    expect(readdirSync(join(here.home, '.local/state/cairn/turns'))).toEqual([
      expect.stringMatching(/^[0-9a-f]{32}\.json$/),
    ]);
  });

  it('is cut to a size that fits, between characters', async () => {
    const here = fixture();
    const { calls, call } = recorder('x'.repeat(50_000));
    const { stdout } = await runHook(
      ['claude', 'prompt'],
      JSON.stringify({ prompt: `a${'😀'.repeat(10_000)}` }),
      call,
      options(here),
    );
    expect(stdout.length).toBeLessThan(10_000);
    expect(String(calls[0]?.[1].prompt)).toHaveLength(7999);
  });

  it('brings a shadow file of VS Code up to date, and no other file', async () => {
    const here = fixture();
    here.write('code/app/.vscode/cairn_context.md', `${shadowMark}\nold\n`);
    here.write('code/app/.vscode/notes.md', 'mine');
    symlinkSync(here.write('elsewhere.md', `${shadowMark}\nold\n`), join(here.project, '.vscode/link.md'));
    const stdin = JSON.stringify({ prompt: 'x', cwd: here.project });
    await runHook(['vscode', 'prompt'], stdin, recorder().call, options(here));
    expect(here.read('code/app/.vscode/cairn_context.md')).toContain('Use tabs.');
    expect(here.read('code/app/.vscode/notes.md')).toBe('mine');
    expect(here.read('elsewhere.md')).toContain('old');
  });
});

describe('an answer', () => {
  const said = { prompt: 'How?', response: 'So.', success: true };

  it('is recorded with the prompt that was remembered, which is then forgotten', async () => {
    const here = fixture();
    const { calls, call } = recorder();
    await runHook(['codex', 'prompt'], '{"session_id":"s","prompt":"How?"}', call, options(here));
    const [name = ''] = readdirSync(join(here.home, '.local/state/cairn/turns'));
    expect(statSync(join(here.home, '.local/state/cairn/turns', name)).mode & 0o777).toBe(0o600);
    const stop = '{"session_id":"s","last_assistant_message":"So."}';
    expect(await runHook(['codex', 'stop'], stop, call, options(here))).toEqual(nothing);
    expect(calls[1]).toEqual(['record_interaction', said]);
    expect(readdirSync(join(here.home, '.local/state/cairn/turns'))).toEqual([]);
    await runHook(['codex', 'stop'], stop, call, options(here));
    expect(calls).toHaveLength(2);
  });

  it('of Gemini comes with its prompt', async () => {
    const { calls, call } = recorder();
    await runHook(['gemini', 'stop'], '{"prompt":"How?","prompt_response":"So."}', call, options(fixture()));
    expect(calls).toEqual([['record_interaction', said]]);
  });

  it('of Cursor is the last of several, and says whether it went well', async () => {
    const here = fixture();
    const { calls, call } = recorder('');
    for (const [event, rest] of [
      ['prompt', { prompt: 'How?' }],
      ['response', { text: 'Let me see.' }],
      ['response', { text: 'So.' }],
      ['stop', { status: 'error' }],
    ] as const) {
      await runHook(['cursor', event], JSON.stringify({ conversation_id: 'c', ...rest }), call, options(here));
    }
    expect(calls.at(-1)).toEqual(['record_interaction', { ...said, success: false }]);
  });

  it('is read from the end of a transcript where the client does not send it', async () => {
    const here = fixture();
    const lines = [
      { type: 'user', message: { role: 'user', content: 'Earlier?' } },
      { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'Earlier.' }] } },
      { type: 'user', message: { role: 'user', content: [{ type: 'text', text: 'How?' }] } },
      { type: 'assistant', message: { role: 'assistant', content: [{ type: 'tool_use', name: 'Read' }] } },
      { type: 'user', message: { role: 'user', content: [{ type: 'tool_result', content: 'bytes' }] } },
      { type: 'user', isMeta: true, message: { role: 'user', content: 'reminder' } },
      { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'So.' }] } },
      { type: 'summary', summary: 'x' },
    ].map((line) => JSON.stringify(line));
    const path = here.write('t.jsonl', ['x'.repeat(2_000_000), ...lines, 'not json', ''].join('\n'));
    const { calls, call } = recorder();
    await runHook(['claude', 'stop'], JSON.stringify({ transcript_path: path }), call, options(here));
    expect(calls).toEqual([['record_interaction', said]]);
  });

  it.each(['/dev/zero', '/etc/passwd', 'relative.jsonl', 'link.jsonl', 'pipe.jsonl'])(
    'is not read from %s',
    async (name) => {
      const here = fixture();
      symlinkSync(
        here.write('t.jsonl', '{"type":"user","content":"a"}\n{"type":"assistant","content":"b"}'),
        join(here.home, 'link.jsonl'),
      );
      execFileSync('mkfifo', [join(here.home, 'pipe.jsonl')]);
      const transcript_path = /^(link|pipe)/.test(name) ? join(here.home, name) : name;
      const { calls, call } = recorder();
      expect(await runHook(['claude', 'stop'], JSON.stringify({ transcript_path }), call, options(here))).toEqual(
        nothing,
      );
      expect(calls).toEqual([]);
    },
  );
});

describe('a hook that fails', () => {
  it.each([
    ['nothing', ''],
    ['what is no JSON', 'no json'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a number', '7'],
    ['a prompt that is no text', '{"prompt":7}'],
    ['far too much', `{"prompt":"${'x'.repeat(5_000_000)}"}`],
    ['brackets without end', '['.repeat(100_000)],
  ])('says nothing to %s', async (_, stdin) => {
    for (const event of ['prompt', 'response', 'stop']) {
      expect(await runHook(['claude', event], stdin, recorder().call, options(fixture()))).toEqual(nothing);
    }
  });

  it('says nothing when Cairn fails, unless asked to', async () => {
    const here = fixture();
    const call: Call = () => Promise.reject(new Error('the store\nis gone'));
    expect(await runHook(['claude', 'prompt'], '{"prompt":"x"}', call, options(here))).toEqual(nothing);
    const debug = { ...options(here), env: { CAIRN_DEBUG: '1' } };
    expect((await runHook(['claude', 'prompt'], '{"prompt":"x"}', call, debug)).stderr).toBe('cairn hook: the store\n');
    expect((await runHook(['emacs', 'prompt'], '{}', call, debug)).stderr).toContain('emacs prompt');
  });

  it('says nothing when the time is up, and lets the call know', async () => {
    let signal: AbortSignal | undefined;
    const call: Call = (_, __, given) => {
      signal = given;
      return new Promise(() => undefined);
    };
    expect(
      await runHook(['claude', 'prompt'], '{"prompt":"x"}', call, { ...options(fixture()), budgetMs: 20 }),
    ).toEqual(nothing);
    expect(signal?.aborted).toBe(true);
  });

  it('does not wait for a client that never ends its input', async () => {
    const never = new Readable({ read: () => undefined });
    const open = () => recorder().call;
    expect(await hookCommand(['claude', 'prompt'], never, open, { ...options(fixture()), budgetMs: 20 })).toEqual(
      nothing,
    );
  });
});

describe('the whole command', () => {
  it('opens Cairn for the project that the client names', async () => {
    const here = fixture();
    const opened: (string | undefined)[] = [];
    const open = (project: string | undefined) => {
      opened.push(project);
      return recorder().call;
    };
    const input = Readable.from(['{"prompt":"x","workspace_roots":["/a"],', '"cwd":"/b"}']);
    const { stdout } = await hookCommand(['cursor', 'prompt'], input, open, options(here));
    expect(stdout).toContain('Use tabs.');
    expect(opened).toEqual(['/a']);
    expect(projectOf('{"cwd":"/b"}', {})).toBe('/b');
    expect(projectOf('no', { CURSOR_PROJECT_DIR: '/c' })).toBeUndefined();
    expect(projectOf('{}', { CURSOR_PROJECT_DIR: '/c' })).toBe('/c');
    expect(existsSync(join(here.home, '.local/state/cairn/turns'))).toBe(false);
  });
});
