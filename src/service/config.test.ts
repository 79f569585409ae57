import { describe, expect, it } from 'vitest';
import { CairnError } from '../errors.ts';
import { type Config, type ConfigInput, resolveConfig, settingNames } from './config.ts';
import { unreadVariables } from './seed-variables.ts';
import type { Setting } from './setting.ts';
import { settings } from './settings.ts';

const home = { path: '/home/of/test', source: '--home' };

function resolved(input: Partial<ConfigInput> = {}): Config {
  return resolveConfig({ home, flags: {}, env: {}, ...input });
}

function complaintsOf(input: Partial<ConfigInput>): string[] {
  try {
    resolved(input);
  } catch (thrown) {
    if (!(thrown instanceof CairnError)) throw thrown;
    expect(thrown.kind).toBe('bad_configuration');
    expect(thrown.message).toBe((thrown.detail.complaints as string[]).join(' '));
    return thrown.detail.complaints as string[];
  }
  return [];
}

const file = (content: unknown) => JSON.stringify(content);

describe('without any source', () => {
  it('every setting has its default and says so', () => {
    const config = resolved();
    for (const name of settingNames) {
      expect([name, config[name], config.sources[name]]).toEqual([name, settings[name].initial, 'default']);
    }
  });

  it('the home and where it came from are part of the configuration', () => {
    const { home: path, sources } = resolved();
    expect([path, sources.home]).toEqual(['/home/of/test', '--home']);
  });
});

describe('a value is taken from the flag, else the environment, else config.json, else the default', () => {
  const everywhere = {
    flags: { 'read-only': true, toolsets: 'all' },
    env: { CAIRN_READ_ONLY: '0', CAIRN_TOOLSETS: 'memory', CAIRN_MAX_RESPONSE: '3000', INDEX_FEATURES: 'a' },
    file: file({ readOnly: false, toolsets: ['documents'], maxResponse: 4000, features: ['b'], traceSession: 's' }),
  };

  it('with all three present the flag wins', () => {
    const config = resolved(everywhere);
    expect([config.readOnly, config.sources.readOnly]).toEqual([true, '--read-only']);
    expect([config.toolsets, config.sources.toolsets]).toEqual([['all'], '--toolsets']);
  });

  it('without a flag the environment wins', () => {
    const config = resolved({ ...everywhere, flags: {} });
    expect([config.readOnly, config.sources.readOnly]).toEqual([false, 'CAIRN_READ_ONLY']);
    expect([config.toolsets, config.sources.toolsets]).toEqual([['memory'], 'CAIRN_TOOLSETS']);
    expect([config.maxResponse, config.sources.maxResponse]).toEqual([3000, 'CAIRN_MAX_RESPONSE']);
    expect([config.features, config.sources.features]).toEqual([['a'], 'INDEX_FEATURES']);
  });

  it('without both the file counts', () => {
    const config = resolved({ file: everywhere.file });
    expect([config.readOnly, config.sources.readOnly]).toEqual([false, 'config.json']);
    expect([config.toolsets, config.sources.toolsets]).toEqual([['documents'], 'config.json']);
    expect([config.maxResponse, config.sources.maxResponse]).toEqual([4000, 'config.json']);
    expect([config.features, config.sources.features]).toEqual([['b'], 'config.json']);
    expect([config.traceSession, config.sources.traceSession]).toEqual(['s', 'config.json']);
  });

  it('a flag that says no beats a variable that says yes', () => {
    expect(resolved({ flags: { mutation: false }, env: { MCP_ENABLE_MUTATION: '1' } }).mutation).toBe(false);
  });

  it('a wrong value of a lower source does no harm once a higher one speaks', () => {
    expect(resolved({ flags: { role: 'viewer' }, env: { CAIRN_ROLE: 'emperor' } }).role).toBe('viewer');
  });
});

describe('a variable', () => {
  it('that is empty counts as not set, and the next source speaks', () => {
    const config = resolved({ env: { CAIRN_MAX_RESPONSE: '', CAIRN_ROLE: '' }, file: file({ maxResponse: 5000 }) });
    expect([config.maxResponse, config.sources.maxResponse]).toEqual([5000, 'config.json']);
    expect([config.role, config.sources.role]).toEqual(['agent', 'default']);
  });

  it.each(
    settingNames
      .map((name) => ({ name, env: (settings[name] as Setting<unknown>).env ?? [] }))
      .filter(({ env }) => env.length > 1),
  )('of $name: among $env the first that is set wins', ({ name, env: [first = '', second = ''] }) => {
    const value = typeof settings[name].initial === 'boolean' ? ['1', '0'] : ['one', 'two'];
    const both = resolved({ env: { [first]: value[0], [second]: value[1] } });
    expect(both.sources[name]).toBe(first);
    const later = resolved({ env: { [first]: '', [second]: value[1] } });
    expect(later.sources[name]).toBe(second);
    expect(later[name]).not.toBe(both[name]);
  });

  it('of the seeds that Cairn does not read is accepted, whatever it holds', () => {
    const env = Object.fromEntries(unreadVariables.map(({ name }) => [name, 'nonsense']));
    expect(complaintsOf({ env })).toEqual([]);
  });

  it('is read by one setting at most, and none of those is on the list of the unread', () => {
    const all = settingNames.flatMap((name) => [...((settings[name] as Setting<unknown>).env ?? [])]);
    expect(new Set(all).size).toBe(all.length);
    expect(unreadVariables.filter(({ name }) => all.includes(name))).toEqual([]);
  });
});

describe('a wrong value stops the start and names the source, the value and what is allowed', () => {
  it.each([
    [
      { env: { CAIRN_MAX_RESPONSE: 'lots' } },
      'CAIRN_MAX_RESPONSE is "lots"; allowed is a whole number from 2048 to 8388608.',
    ],
    [{ env: { CAIRN_WORKERS: '0' } }, 'CAIRN_WORKERS is "0"; allowed is a whole number from 1 to 32.'],
    [{ env: { CAIRN_ROLE: 'root' } }, 'CAIRN_ROLE is "root"; allowed is one of viewer, agent, admin.'],
    [{ flags: { role: '' } }, '--role is ""; allowed is one of viewer, agent, admin.'],
    [
      { env: { MCP_ENABLE_MUTATION: 'maybe' } },
      'MCP_ENABLE_MUTATION is "maybe"; allowed is 1, 0, true, false, yes, no, on or off.',
    ],
    [
      { flags: { toolsets: 'core,extra' } },
      '--toolsets is "core,extra"; allowed is a comma-separated list of core, instructions, memory, documents, admin, all.',
    ],
    [
      { file: file({ maxResponse: 1 }) },
      'maxResponse in config.json is 1; allowed is a whole number from 2048 to 8388608.',
    ],
    [
      { file: file({ readOnly: [true] }) },
      'readOnly in config.json is [true]; allowed is 1, 0, true, false, yes, no, on or off.',
    ],
    [{ file: file({ features: 7 }) }, 'features in config.json is 7; allowed is a comma-separated list.'],
    [{ file: file({ traceSession: null }) }, 'traceSession in config.json is null; allowed is text.'],
  ])('%j', (input, complaint) => {
    expect(complaintsOf(input)).toEqual([complaint]);
  });

  it('several are told at once, each in full', () => {
    const complaints = complaintsOf({
      flags: { role: 'root' },
      env: { CAIRN_WORKERS: 'x' },
      file: file({ maxFrame: 0, colour: 'red' }),
    });
    expect(complaints).toHaveLength(4);
    for (const word of ['--role', 'CAIRN_WORKERS', 'maxFrame', '"colour"']) {
      expect(complaints.filter((complaint) => complaint.includes(word))).toHaveLength(1);
    }
  });
});

describe('config.json', () => {
  it.each([
    ['{', 'is not JSON'],
    ['', 'is not JSON'],
    ['role = admin', 'is not JSON'],
    ['[]', 'must be an object of settings'],
    ['"text"', 'must be an object of settings'],
    ['null', 'must be an object of settings'],
    ['{"maxRespones": 5000}', '"maxRespones", which is not a setting'],
    ['{"__proto__": {"role": "admin"}}', '"__proto__", which is not a setting'],
    ['{"toString": 1}', '"toString", which is not a setting'],
    ['{"home": "/elsewhere"}', '"home", which is not a setting'],
  ])('%s is refused by the path of its home', (text, complaint) => {
    const [only, ...others] = complaintsOf({ file: text });
    expect(only).toContain('config.json in /home/of/test');
    expect(only).toContain(complaint);
    expect(others).toEqual([]);
  });

  it('may name a schema for editors, and may begin with a byte order mark', () => {
    expect(resolved({ file: `\uFEFF${file({ $schema: './config.schema.json', workers: 3 })}` }).workers).toBe(3);
  });

  it.each(settingNames.filter((name) => (settings[name] as Setting<unknown>).fromFile === false))(
    'may not set %s, and the complaint says where to set it without showing the value',
    (name) => {
      const setting: Setting<unknown> = settings[name];
      const [only] = complaintsOf({ file: file({ [name]: 'from-the-file' }) });
      expect(only).toContain(`may not set ${name}`);
      for (const way of setting.env ?? []) expect(only).toContain(way);
      expect(only).not.toContain('from-the-file');
    },
  );

  it('cannot raise the role, open the gate or move where files are read and written', () => {
    const closed = settingNames.filter((name) => (settings[name] as Setting<unknown>).fromFile === false);
    expect(closed).toEqual(
      expect.arrayContaining([
        'role',
        'agentId',
        'mutation',
        'apiKey',
        'apiKeyRole',
        'http',
        'logFile',
        'traceDir',
        'instructionsDir',
        'promptsDir',
        'downloadPrivate',
        'embeddingsUrl',
        'embeddingsModel',
        'embeddingsKey',
      ]),
    );
  });
});

describe('the model of embeddings', () => {
  const openai = { CAIRN_EMBEDDINGS: 'openai', CAIRN_EMBEDDINGS_URL: 'https://example.org/v1' };

  it.each(['none', 'bundled'])('may be %s by config.json', (embeddings) => {
    expect(resolved({ file: file({ embeddings }) }).embeddings).toBe(embeddings);
  });

  it.each(['openai', 'ollama', 'onnx:/models/small', 'nonsense', 5])('may not be %s by config.json', (embeddings) => {
    const [only, ...others] = complaintsOf({ file: file({ embeddings }) });
    expect(only).toContain('may not set embeddings to anything but bundled or none');
    expect(only).toContain('CAIRN_EMBEDDINGS');
    expect(others).toEqual([]);
  });

  it('is complete, or what is missing is named', () => {
    expect(complaintsOf({ env: openai })).toEqual([expect.stringContaining('CAIRN_EMBEDDINGS_MODEL')]);
    const whole = resolved({ env: { ...openai, CAIRN_EMBEDDINGS_MODEL: 'small' } });
    expect([whole.embeddings, whole.embeddingsModel]).toEqual(['openai', 'small']);
  });

  it('has a URL whose password is not shown where it is refused', () => {
    const url = 'https://me:hunter2hunter2@example.org';
    const [only] = complaintsOf({ env: { ...openai, CAIRN_EMBEDDINGS_URL: url } });
    expect(only).toContain('CAIRN_EMBEDDINGS_URL');
    expect(only).not.toContain('hunter2');
  });
});

describe('a secret', () => {
  const key = `hidden-${'k'.repeat(12)}`;

  it('is read from the environment', () => {
    expect(resolved({ env: { LEDGERMIND_API_KEY: key } }).apiKey).toBe(key);
  });

  it.each([
    ['in a file that may not hold it', file({ apiKey: key })],
    ['in a file that is not JSON', `{"apiKey": ${key}}`],
    ['in a file that is not JSON at all', `apiKey=${key}`],
    ['in a file with a comma too many', `{"apiKey": "${key}", }`],
  ])('%s is not shown in the complaint', (_, text) => {
    const complaints = complaintsOf({ file: text });
    expect(complaints).toHaveLength(1);
    expect(complaints.join()).not.toContain(key.slice(0, 9));
  });

  it('of the wrong type is hidden too', () => {
    const env = { CAIRN_API_KEY: 12345 as unknown as string };
    expect(complaintsOf({ env })).toEqual(['CAIRN_API_KEY is (hidden); allowed is text.']);
  });
});
