import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newKey } from './key.ts';
import { mask, maskDeep } from './secret.ts';

// Put together at run time, so that no scanner takes this file for a leak.
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'.repeat(3);
const of = (length: number) => letters.slice(7, 7 + length);
const upper = (length: number) => 'ABCDEFGHIJ0123456789'.slice(0, length);
const pem = (kind: string, head = '') =>
  [
    `-----BEGIN ${kind}PRIVATE`,
    ` KEY-----\n${head}`,
    `${of(64)}\n`.repeat(12),
    `-----END ${kind}PRIVATE`,
    ' KEY-----',
  ].join('');

const samples: readonly [rule: string, secret: string, core: string][] = [
  ['private-key', pem('RSA '), of(64)],
  ['private-key', pem('', 'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00FF\n\n'), of(64)],
  ['private-key', pem('').slice(0, 200), of(20)],
  ['cairn-key', newKey().key, ''],
  ['aws-key', ['AK', 'IA', upper(16)].join(''), upper(16)],
  ['aws-key', ['AS', 'IA', upper(16)].join(''), upper(16)],
  ...['p', 'o', 'u', 's', 'r'].map((kind): [string, string, string] => [
    'github-token',
    ['gh', kind, '_', of(36)].join(''),
    of(36),
  ]),
  ['github-token', ['github', '_pat_', of(60)].join(''), of(60)],
  ['slack-token', ['xo', 'xb-', '1234567890-', of(24)].join(''), of(24)],
  ['stripe-key', ['sk', '_live_', of(24)].join(''), of(24)],
  ['stripe-key', ['rk', '_test_', of(24)].join(''), of(24)],
  ['model-key', ['sk', '-proj-', of(40)].join(''), of(40)],
  ['google-key', ['AI', 'za', of(35)].join(''), of(35)],
  ['npm-token', ['npm', '_', of(36)].join(''), of(36)],
  ['jwt', ['ey', `J${of(30)}`, '.', of(60), '.', of(43)].join(''), of(30)],
  ['bearer', ['Bea', 'rer ', of(32)].join(''), of(32)],
  ['url-password', ['postgres', '://', 'ada:', of(12), '@db.example.org/main'].join(''), of(12)],
  ['assignment', ['pass', 'word=', of(10)].join(''), of(10)],
  ['assignment', ['"api', 'Key": "', of(10), '"'].join(''), of(10)],
  ['assignment', ['DB_PASS', 'WORD=', of(10)].join(''), of(10)],
  ['assignment', ['client_sec', "ret: '", of(10), "'"].join(''), of(10)],
  ['assignment', ['AWS_SECRET_', 'ACCESS_KEY = ', of(40)].join(''), of(40)],
  ['assignment', ['{\\"auth_', 'token\\":\\"', of(10), '\\"}'].join(''), of(10)],
];

describe('a secret in a text', () => {
  it.each(samples)('is masked by the rule %s: %#', (rule, secret, core) => {
    const masked = mask(`Before ${secret} | after`);
    expect(masked).toContain(`…[${rule}]`);
    expect(masked).not.toContain(core === '' ? secret.slice(6) : core);
    expect(masked.startsWith('Before ')).toBe(true);
    expect(masked.endsWith('| after')).toBe(true);
  });

  it.each(samples)('is masked at both ends of the text, in brackets and quotes, and twice: %#', (_, secret, core) => {
    const text = `${secret}\n(${secret})\n"${secret}" ${secret}`;
    expect(mask(text)).not.toContain(core === '' ? secret.slice(6) : core);
  });

  it.each(samples)('leaves at most four of its characters: %#', (rule, secret) => {
    const [start = ''] = mask(secret).split(`…[${rule}]`);
    expect(secret.replace(/^[{"'\\]*/, '')).toContain(start.replace(/^[{"'\\]*/, '').slice(0, 4));
    expect(start.replace(/^(?:Bearer |postgres|DB_|client_|AWS_|[{"'\\])*/, '').length).toBeLessThanOrEqual(4);
  });

  it('once masked does not change again', () => {
    for (const [, secret] of samples) expect(mask(mask(`x ${secret} y`))).toBe(mask(`x ${secret} y`));
  });
});

describe('what is no secret is untouched', () => {
  const sha = createHash('sha256').update('cairn').digest();

  it.each([
    'The quick brown fox jumps over the lazy dog, and asks: is that a password? No; the secret is to keep a secretary.',
    'Use Bearer authentication, the api key of the team, or a token (see RFC 6750).',
    'https://example.org:8080/path?q=1#a@b, mailto:ada@example.org, git@github.com:org/repo.git',
    'See ftp://files.example.org/a:b and C:\\Users\\ada@work.',
    'const token = await readToken(); if (password === undefined) return;',
    'sk-learn and npm_config_cache, ghp_short, xoxb-1, cairn_home, AKIA, eyJ.x.y',
    'task-force-of-many-people-and-more',
    'Größe: 12 µm, 日本語のテキスト, 🎉',
    '',
  ])('prose and code: %s', (text) => {
    expect(mask(text)).toBe(text);
  });

  it.each([
    sha.toString('hex'),
    `sha256:${sha.toString('hex')}`,
    `sha512-${sha.toString('base64')}${sha.toString('base64')}`,
    sha.toString('base64url'),
    'da39a3ee5e6b4b0d3255bfef95601890afd80709',
    '123e4567-e89b-12d3-a456-426614174000',
    '01J9ZQ5T8RWX3V6Y7Z0ABCDEFG',
  ])('hashes and ids: %s', (text) => {
    expect(mask(`hash ${text}, again ${text}`)).toBe(`hash ${text}, again ${text}`);
  });

  it('texts without digits, quotes and signs, whatever they are', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,12}$/)), (words) => {
        expect(mask(words.join(' '))).toBe(words.join(' '));
      }),
    );
  });
});

describe('a hostile text of 100 kB takes no time', () => {
  const near: readonly [string, string][] = [
    ['beginnings of a token with dots', ['ey', 'J-'].join('').repeat(500)],
    ['one long run of beginnings', ['ey', 'J-'].join('')],
    ['two parts of three', `${'eyJ-'.repeat(500)}.${'eyJ-'.repeat(1000)}.a `],
    ['headers of keys', '-----BEGIN '],
    ['headers of keys with words', '-----BEGIN PRIVATE KEY-----\n- a -- b --- '],
    ['schemes', 'a.b+c-'],
    ['addresses without an end', `a://${'b'.repeat(99)}:${'c'.repeat(199)}/`],
    ['assignments of nothing', 'password    =    '],
    ['bearers of little', 'bearer    a'],
    ['prefixes', 'ghp_ sk- xoxb- AIza npm_ cairn_ '],
    ['blanks', ' '],
    ['dashes', '-'],
  ];

  it.each(near)('%s', (_, piece) => {
    const text = piece.repeat(Math.ceil(100_000 / piece.length));
    const started = process.cpuUsage();
    mask(text);
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(300);
  });
});

describe('masking a value', () => {
  const token = ['gh', 'p_', of(36)].join('');

  it('reaches every text, at any place, and copies the rest', () => {
    const value = { list: ['a', token, { deep: `x ${token}` }], number: 5, yes: true, none: null };
    const masked = maskDeep(value);
    expect(JSON.stringify(masked)).not.toContain(of(36));
    expect(masked).toMatchObject({ list: ['a', expect.stringContaining('[github-token]'), {}], number: 5, none: null });
    expect(value.list[1]).toBe(token);
  });

  it('reaches names of fields, and what a field named as a secret holds', () => {
    const masked = maskDeep({ [token]: 1, password: 'abc', dbPassword: 'abcdefgh', API_KEY: 12345678, secret: '' });
    expect(masked).toEqual({
      'ghp_…[github-token]': 1,
      password: '…[assignment]',
      dbPassword: 'ab…[assignment]',
      API_KEY: '12…[assignment]',
      secret: '',
    });
  });

  it('leaves fields alone that only sound like one', () => {
    const value = { passwords: 'three of them', secretary: 'Ada Lovelace', tokens: 12, keyword: 'kept as it is' };
    expect(maskDeep(value)).toEqual(value);
  });

  it('ends at the depth that was asked for, and so on a value that contains itself', () => {
    expect(maskDeep({ a: { b: { c: token } } }, 2)).toEqual({ a: { b: '…' } });
    const circle: Record<string, unknown> = { name: 'circle' };
    circle.self = circle;
    expect(JSON.stringify(maskDeep(circle, 3))).toBe(
      '{"name":"circle","self":{"name":"circle","self":{"name":"circle","self":"…"}}}',
    );
  });

  it('makes JSON of what has none', () => {
    expect(maskDeep({ at: new Date(0), big: 10n ** 20n })).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      big: '100000000000000000000',
    });
  });

  it('keeps a field called __proto__ a field', () => {
    const masked = maskDeep(JSON.parse('{"__proto__":{"role":"admin"}}')) as Record<string, unknown>;
    expect(Object.keys(masked)).toEqual(['__proto__']);
    expect(masked.role).toBeUndefined();
  });

  it('is the identity on values without secrets', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5, stringUnit: fc.constantFrom(...'abc xyz') }), (value) => {
        expect(maskDeep(value)).toEqual(value);
      }),
    );
  });
});
