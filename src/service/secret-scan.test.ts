import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanForSecrets } from './secret-scan.ts';

// Put together at run time, so that no scanner takes this file for a leak.
const noise = 'q7Rw2Lk9Zx4Tn8Vb3Ym6Hc1Gd5Js0PfAeUiOoKuXtWzSvBrNpMlCjQhDgF'.repeat(9);
const of = (length: number) => noise.slice(0, length);
const capitals = noise.toUpperCase();
const pem = (body: string) =>
  ['-----BEGIN RSA PRIVATE', ` KEY-----\n${body}\n-----END RSA PRIVATE`, ' KEY-----'].join('');

const secrets: readonly [rule: string, secret: string][] = [
  ['private-key', pem(`${of(64)}\n`.repeat(8))],
  ['private-key', pem(of(12)).replaceAll('\n', '\\n')],
  ['private-key', ['-----BEGIN PRIVATE', ' KEY-----'].join('')],
  ['aws-key', ['AK', 'IA', capitals.slice(0, 16)].join('')],
  ['aws-key', ['AK', 'IA', 'IOSFODNN7EXAMPLE'].join('')],
  ['stripe-key', ['sk', '_live_', of(24)].join('')],
  ['jwt', ['ey', `J${of(30)}`, '.ey', of(60), '.', of(43)].join('')],
  ['github-token', ['gh', 'p_', of(36)].join('')],
  ['slack-token', ['xo', 'xb-', '1234567890-', of(24)].join('')],
  ['bearer', ['Authorization: Bea', 'rer ', of(40)].join('')],
  ['url-password', ['postgres', '://ada:', of(12), '@db.test/main'].join('')],
  ['url-password', ['redis', '://:', of(12), '@cache.test:6379'].join('')],
  ['assignment', ['pass', 'word=', 'hunter2'].join('')],
  ['assignment', ['pass', 'word: ', 'S3cure!Pass#99'].join('')],
  ['assignment', ['"api', '_key": "', of(20), '"'].join('')],
  ['assignment', ['"api', '_key" => "', of(20), '"'].join('')],
  ['assignment', ['pass', 'word := "', of(9), '"'].join('')],
  ['assignment', ['AWS_SECRET_', 'ACCESS_KEY = ', of(40)].join('')],
  ['assignment', ['Account', 'Key=', of(64), '=='].join('')],
  ['assignment', ['to', 'ken: ', of(32)].join('')],
  // Vendors that only the preset of secretlint knows.
  ['sendgrid', ['SG', '.', of(22), '.', of(43)].join('')],
  ['gitlab', ['glpat', '-', of(20)].join('')],
  ['docker', ['dckr', '_pat_', of(27)].join('')],
  ['slack', ['https://hooks.slack', '.com/services/T0', of(8), '/B0', of(8), '/', of(24)].join('')],
];

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: that is how templates write it.
const placeholders = [
  ...['<your-password>', '<password>', '${PASSWORD}', '$PASSWORD', '$(pass show db)', '{{ password }}', '{{password}}'],
  ...['xxxx', 'xxxxxxxxxxxx', '********', '••••••••', '...', '[REDACTED]', 'changeme', 'change-me', 'CHANGE_ME_1'],
  ...[
    'example',
    'example123',
    'your_password_1',
    'YOUR-API-KEY-2',
    'dummy-password-1',
    '%DB_PASSWORD%',
    '000000000000',
  ],
  ...['12345678', '1234567890', 'abcdefgh', 'aaaaaaaaaaa1', 'required', 'undefined', 'string;', 'newPassword'],
  ...['process.env.PASSWORD', 'os.environ["DB_PASSWORD_1"]', 'getSecret("db-1")', 'z.string().min(8)', 'varchar(255)'],
  ...[
    '/run/secrets/db_password_1',
    './secrets/key1.pem',
    '~/.ssh/id_ed25519',
    'https://vault.test/v1/secret',
    'user.pass',
  ],
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: from here on a slip again.

describe('a secret in a text', () => {
  it.each(secrets)('is found by the rule %s, at its place and masked: %#', async (rule, secret) => {
    const text = `Before, then\n${secret}`;
    const [finding, ...others] = await scanForSecrets(text);
    expect(others).toEqual([]);
    expect(finding?.rule).toBe(rule);
    const rest = `${text.slice(0, finding?.start)}${text.slice(finding?.end)}`;
    expect(rest.startsWith('Before, then\n')).toBe(true);
    for (const core of [of(7), capitals.slice(0, 7), 'hunter2', 'S3cure']) expect(rest).not.toContain(core);
    expect(finding?.masked).toMatch(new RegExp(`^.{0,4}…\\[${rule}\\]$`, 's'));
  });

  it('is found as often as it stands there, in the order of the text', async () => {
    const [aws, stripe] = [`AKIA${capitals.slice(0, 16)}`, `sk_live_${of(24)}`];
    const found = await scanForSecrets(`${stripe} ${aws} ${stripe}`);
    expect(found.map(({ rule }) => rule)).toEqual(['stripe-key', 'aws-key', 'stripe-key']);
  });

  it('is one finding where several rules see it, named by the most telling one', async () => {
    const text = ['api_', 'key = "sk', '_live_', of(24), '"'].join('');
    expect(await scanForSecrets(text)).toEqual([
      { rule: 'stripe-key', start: 0, end: text.length - 1, masked: 'api_…[stripe-key]' },
    ]);
  });

  it('cannot be hidden by a comment that is meant for secretlint', async () => {
    const found = await scanForSecrets(`// secretlint-disable\nglpat-${of(20)} // secretlint-disable-line`);
    expect(found.map(({ rule }) => rule)).toEqual(['gitlab']);
  });
});

describe('what only looks like a secret', () => {
  it.each(placeholders)('is left alone where a value belongs: %s', async (value) => {
    for (const text of [`password=${value}`, `password: "${value}"`, `"api_key": "${value}",`, `API_KEY => ${value}`]) {
      expect(await scanForSecrets(text)).toEqual([]);
    }
  });

  it.each([
    'A bearer authentication-and-authorization scheme is used.',
    'Authorization: Bearer YOUR_ACCESS_TOKEN_HERE',
    'The secret: understanding what people want. Keep the password policy: minimum 12 characters.',
    'postgres://postgres:postgres@localhost:5432/app and https://user:password@host.test and mysql://root:$PW@db',
    'Call cairn_instructions_dispatch_everything or use the class sk-loading-spinner-container.',
    'Never commit files that hold `-----BEGIN PRIVATE KEY-----` or -----BEGIN RSA PRIVATE KEY----- headers.',
    `ghp_${'x'.repeat(36)} and AKIA${'X'.repeat(16)} and xoxb-your-token-here`,
    'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
    'max_tokens: 128000, password_min_length: 12, "passwordField": "input1234"',
    '',
  ])('is left alone: %s', async (text) => {
    expect(await scanForSecrets(text)).toEqual([]);
  });
});

describe('any text at all', () => {
  const pieces = fc.constantFrom(
    ...secrets.map(([, secret]) => secret),
    ...placeholders,
    ' ',
    '\n',
    '"',
    '=',
    'password',
    '\0',
    '💥',
  );

  it('gives findings that are in order, apart and inside the text, and the same ones again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 12 }), async (parts) => {
        const text = parts.join('');
        const found = await scanForSecrets(text);
        let end = 0;
        for (const finding of found) {
          expect(finding.start).toBeGreaterThanOrEqual(end);
          expect(finding.end).toBeGreaterThan(finding.start);
          end = finding.end;
        }
        expect(end).toBeLessThanOrEqual(text.length);
        expect(await scanForSecrets(text)).toEqual(found);
      }),
      { numRuns: 200 },
    );
  });

  const hostile = {
    'one long run': 'a',
    'half a SendGrid key': `SG.a.${'b'.repeat(300)}-`,
    'Slack tokens in one another': 'xoxb-',
    'tokens in one another': 'ey'.concat('Ja.'),
    'addresses without an end': 'http://a:',
    'many schemes': 'a.a+a-',
    'key headers': '-----BEGIN PRIVATE KEY-----',
    'keys that never end': `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(19_000)}`,
    'assignments without a value': 'password = ',
    'names without an assignment': 'secret_access_key',
    'assignments of words': 'password:aaaa_bbbb.cccc-dddd',
    'bearers in one another': 'bearer  bearer',
    'many real keys': `AKIA${capitals.slice(0, 16)} `,
    blanks: ' ',
  };

  it.each(Object.entries(hostile))('is read in linear time, 1 MB of %s', async (_, piece) => {
    const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
    const started = performance.now();
    await scanForSecrets(text);
    // A quadratic rule needs minutes; what is generous here is for machines under load.
    expect(performance.now() - started).toBeLessThan(6_000);
  });
});
