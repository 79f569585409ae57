/** Downloads through the real program, from servers on loopback: what comes in is what was sent, or nothing comes in. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cairn, type Message, serveStdio } from '../support/cairn.ts';
import { freshFolder } from '../support/home.ts';
import { endless, leadingTo, listening, rawSite, saying, site } from '../support/site.ts';

const open = { CAIRN_DOWNLOAD_PRIVATE: '1' };

interface Program {
  readonly home: string;
  ask(op: string, params: object): Promise<Message>;
  /** The whole error of a call that must not succeed. */
  refused(params: object): Promise<Message>;
  /** What the store holds, and what lies in the temporary folder. */
  holdings(): Promise<unknown>;
}

async function started(env: Readonly<Record<string, string>> = open, ...flags: string[]): Promise<Program> {
  const folder = await freshFolder();
  const [temporary, home] = [join(folder, 'tmp'), join(folder, 'home')];
  await mkdir(temporary);
  const server = serveStdio(['--home', home, ...flags], { TMPDIR: temporary, TEMP: temporary, TMP: temporary, ...env });
  const ask = async (op: string, params: object) => {
    const { result, error } = await server.ask(op, params);
    if (error !== undefined) throw new Error(error.message);
    return result;
  };
  return {
    home,
    ask,
    async refused(params) {
      const { error, result } = await server.ask('download', params);
      expect(error, JSON.stringify(result)).toBeDefined();
      return error;
    },
    async holdings() {
      const status = await ask('status', { detailed: true });
      return { status, staged: (await readdir(temporary)).filter((name) => name.startsWith('cairn-download')) };
    },
  };
}

const nothing = {
  status: expect.objectContaining({ total_objects: 0, unique_blocks: 0, documents: 0, collections: [] }),
  staged: [],
};

const csv = 'id,name\n1,Ada\n2,Grace\n';
const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

describe('a download', () => {
  it('is stored as it was sent, with where it came from', async () => {
    const { ask, holdings } = await started();
    const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, at) => (at * 7919 + (at >> 8)) & 255));
    const { url } = await site({
      '/files/blob.bin': saying(bytes),
      '/data.csv': saying(csv, { 'content-type': 'text/csv', 'last-modified': 'Wed, 01 May 2024 10:00:00 GMT' }),
    });
    const blob = await ask('download', { url: `${url}/files/blob.bin` });
    expect(blob).toMatchObject({ hash: sha256(bytes), path: 'blob.bin', size: bytes.length, checksum_verified: false });
    const { content } = await ask('get', { hash: blob.hash, include_content: true, length: 1_000_000 });
    expect(Buffer.from(content, 'base64').equals(bytes)).toBe(true);

    const table = await ask('download', {
      url: `${url}/data.csv?token=abc#part`,
      collection: 'tables',
      tags: ['open'],
      metadata: { licence: 'CC0' },
    });
    expect(table).toEqual({
      hash: sha256(csv),
      path: 'data.csv',
      collection: 'tables',
      size: csv.length,
      mime: 'text/csv',
      url: `${url}/data.csv?token=abc`,
      redirects: 0,
      checksum_verified: false,
      added: 1,
      updated: 0,
      unchanged: 0,
      new_bytes: csv.length,
    });
    expect(await ask('get', { name: 'data.csv', include_content: true })).toMatchObject({
      content: csv,
      collection: 'tables',
      tags: ['open'],
      metadata: { licence: 'CC0', url: `${url}/data.csv`, content_type: 'text/csv' },
      modified: '2024-05-01T10:00:00.000Z',
    });
    expect(await holdings()).toMatchObject({ status: { documents: 2 }, staged: [] });
  });

  it('again is unchanged, and of other content an update', async () => {
    const { ask } = await started();
    let content = csv;
    const { url } = await site({ '/data.csv': (response) => void response.end(content) });
    expect(await ask('download', { url: `${url}/data.csv` })).toMatchObject({ added: 1, updated: 0, unchanged: 0 });
    expect(await ask('download', { url: `${url}/data.csv` })).toMatchObject({ added: 0, unchanged: 1, new_bytes: 0 });
    content += '3,Edsger\n';
    expect(await ask('download', { url: `${url}/data.csv` })).toMatchObject({ added: 0, updated: 1, unchanged: 0 });
  });

  it('is judged by its name and content, whatever the server calls it', async () => {
    const { ask } = await started();
    const page = '<!doctype html><html><head><title>Guide</title></head><body><p>One store.</p></body></html>';
    const { url } = await site({
      '/guide': saying(page, { 'content-type': 'image/png' }),
      '/x': saying('const x: number = 1;\n', { 'content-type': 'application/octet-stream' }),
    });
    expect(await ask('download', { url: `${url}/guide` })).toMatchObject({ path: 'guide', mime: 'text/html' });
    expect(await ask('download', { url: `${url}/x`, name: 'src/x.json' })).toMatchObject({
      path: 'src/x.json',
      mime: 'application/json',
    });
  });

  it('follows redirects, and is named after the URL that was asked for', async () => {
    const { ask } = await started();
    const { url } = await site({ '/latest.csv': leadingTo('/v2/evil.exe?sig=1'), '/v2/evil.exe': saying(csv) });
    expect(await ask('download', { url: `${url}/latest.csv` })).toMatchObject({
      path: 'latest.csv',
      redirects: 1,
      url: `${url}/v2/evil.exe?sig=1`,
    });
  });

  it.each([
    ['/..%2F..%2Fetc%2Fpasswd', '..-..-etc-passwd'],
    ['/a%00b%0Ac.txt', 'a-b-c.txt'],
    ['/a%5C..%5Cb.txt', 'a-..-b.txt'],
    ['/.git', '127.0.0.1/index.html'],
    ['/', '127.0.0.1/index.html'],
  ])('of %s is stored as %s', async (path, place) => {
    const { ask } = await started();
    const { url } = await site({ [path]: saying('x') });
    expect(await ask('download', { url: url + path })).toMatchObject({ path: place });
  });

  it('works as a step of execute and as a command', async () => {
    const { ask, home } = await started();
    const { url } = await site({ '/data.csv': saying(csv) });
    const done = await ask('execute', {
      operations: [
        { op: 'download', params: { url: `${url}/data.csv` } },
        { op: 'update', params: { name: 'data.csv', tags: ['open'] } },
      ],
    });
    expect(done).toMatchObject({ succeeded: 2, results: [{ op: 'download', success: true, hash: sha256(csv) }, {}] });
    const command = await cairn(['download', `${url}/data.csv`, '--home', home, '--json'], { env: open });
    expect([command.code, JSON.parse(command.stdout)]).toMatchObject([0, { unchanged: 1 }]);
  });

  it('goes through no proxy', async () => {
    const proxy = await site({});
    const { ask } = await started({
      ...open,
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: proxy.url,
      http_proxy: proxy.url,
      ALL_PROXY: proxy.url,
    });
    const { url } = await site({ '/data.csv': saying(csv) });
    expect(await ask('download', { url: `${url}/data.csv` })).toMatchObject({ hash: sha256(csv) });
    expect(proxy.connections()).toBe(0);
  });
});

describe('a checksum', () => {
  it.each(['sha256', 'sha512', 'sha1', 'md5'])('of %s is verified', async (algorithm) => {
    const { ask } = await started();
    const { url } = await site({ '/data.csv': saying(csv) });
    const checksum = `${algorithm}:${createHash(algorithm).update(csv).digest('hex')}`;
    expect(await ask('download', { url: `${url}/data.csv`, checksum })).toMatchObject({ checksum_verified: true });
  });

  it('that is wrong leaves neither a document nor a content, nor changes what was there', async () => {
    const { ask, refused, holdings } = await started();
    let content = csv;
    const { url } = await site({ '/data.csv': (response) => void response.end(content) });
    const wrong = { url: `${url}/data.csv`, checksum: `sha256:${'0'.repeat(64)}` };
    expect((await refused(wrong)).message).toContain(`sha256:${sha256(csv)}, not sha256:000`);
    expect(await holdings()).toEqual(nothing);

    await ask('download', { url: `${url}/data.csv` });
    const before = await holdings();
    content = 'replaced by somebody';
    expect(await refused({ ...wrong, checksum: `sha256:${sha256(csv)}` })).toMatchObject({
      data: { name: 'validation_failed' },
    });
    expect(await holdings()).toEqual(before);
    expect(await ask('get', { name: 'data.csv', include_content: true })).toMatchObject({ content: csv });
  });

  it.each([
    [sha256(csv), 'names no algorithm'],
    [`crc32:${'0'.repeat(8)}`, 'names an unknown algorithm'],
    [`sha256:${sha256(csv).slice(1)}`, 'is no sha256'],
  ])('that cannot be verified is an error before anything is asked for: %s', async (checksum, message) => {
    const { refused, holdings } = await started();
    const { url, connections } = await site({ '/data.csv': saying(csv) });
    expect((await refused({ url: `${url}/data.csv`, checksum })).message).toContain(message);
    expect(connections()).toBe(0);
    expect(await holdings()).toEqual(nothing);
  });
});

describe('without leave for private addresses', () => {
  it('none of their spellings is reached', async () => {
    const { refused, holdings } = await started({});
    const { port, connections } = await site({ '/': saying('secret') });
    const hosts = [
      '127.0.0.1 127.1 2130706433 0x7f000001 017700000001 0177.0.0.01 0x7f.1 127.0.0.1. 127.8.9.10 0.0.0.0 0',
      '１２７。０。０。１ %31%32%37.0.0.1 localhost LOCALHOST',
      '[::1] [0:0:0:0:0:0:0:1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::]',
      '[fe80::1] [fc00::1] [fd12:3456::1] [ff02::1]',
      '10.0.0.1 172.16.0.1 192.168.1.1 100.64.0.1 169.254.169.254 255.255.255.255 224.0.0.1',
    ].flatMap((line) => line.split(' '));
    for (const host of hosts) {
      const error = await refused({ url: `http://${host}:${port}/` });
      expect(error, host).toMatchObject({ data: { name: 'permission_denied' } });
    }
    expect((await refused({ url: `http://127.0.0.1:${port}/` })).data.suggestion).toContain('CAIRN_DOWNLOAD_PRIVATE=1');
    expect(connections()).toBe(0);
    expect(await holdings()).toEqual(nothing);
  });

  it('a project cannot give it', async () => {
    const { url, connections } = await site({ '/': saying('secret') });
    const home = join(await freshFolder(), 'home');
    await mkdir(home);
    await writeFile(join(home, 'config.json'), JSON.stringify({ downloadPrivate: true }));
    const { code, stderr } = await cairn(['download', `${url}/`, '--home', home]);
    expect(code).not.toBe(0);
    expect(stderr).toContain('downloadPrivate');
    expect(connections()).toBe(0);
  });
});

describe('with leave for private addresses', () => {
  it.each(['169.254.169.254', '[fe80::1]', '0.0.0.0', '[fd00:ec2::254]', '[::ffff:169.254.169.254]'])(
    '%s is not reached all the same',
    async (host) => {
      const { refused } = await started();
      const error = await refused({ url: `http://${host}/` });
      expect(error).toMatchObject({ data: { name: 'permission_denied' } });
      expect(error.data.suggestion).not.toContain('CAIRN_DOWNLOAD_PRIVATE');
    },
  );

  it('a name of this machine is', async () => {
    const { ask } = await started();
    const { port } = await site({ '/x.txt': saying('x') });
    expect(await ask('download', { url: `http://localhost:${port}/x.txt` })).toMatchObject({ path: 'x.txt' });
  });
});

describe('nothing is stored', () => {
  it.each([
    'file:///etc/passwd',
    'ftp://127.0.0.1/x',
    'data:text/plain,hello',
    'javascript:alert(1)',
    'gopher://127.0.0.1/',
    'http://ada:pass@127.0.0.1/',
    'not a url',
  ])('of %s', async (url) => {
    const { refused, holdings } = await started();
    expect(await refused({ url })).toMatchObject({ data: { name: 'validation_failed' } });
    expect(await holdings()).toEqual(nothing);
  });

  it('of what is broken, too large, too slow, elsewhere or not there', async () => {
    const { refused, holdings } = await started({ ...open, CAIRN_DOWNLOAD_TIMEOUT_MS: '2000' });
    const { url } = await site({
      '/endless': endless(),
      '/slow': (response) => {
        const timer = setInterval(() => response.write('x'), 50);
        response.on('close', () => clearInterval(timer));
      },
      '/large': saying('x'.repeat(5000)),
      '/circle': leadingTo('/circle'),
      '/file': leadingTo('file:///etc/passwd'),
      '/metadata': leadingTo('http://169.254.169.254/latest/meta-data/'),
      '/torn': saying('no gzip at all', { 'content-encoding': 'gzip' }),
    });
    const short = await rawSite('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort');
    const cases: [object, string, string][] = [
      [{ url: `${url}/endless`, max_bytes: 1_000_000 }, 'limit_exceeded', 'more than 1000000 bytes'],
      [{ url: `${url}/large`, max_bytes: 4999 }, 'limit_exceeded', 'more than 4999 bytes'],
      [{ url: `${url}/slow`, timeout_ms: 300 }, 'limit_exceeded', 'longer than 300 ms'],
      [{ url: `${url}/slow`, timeout_ms: 900_000 }, 'limit_exceeded', 'longer than 2000 ms'],
      [{ url: `${url}/circle` }, 'limit_exceeded', 'redirects more than 5 times'],
      [{ url: `${url}/file` }, 'validation_failed', 'http and https'],
      [{ url: `${url}/metadata` }, 'permission_denied', 'link-local'],
      [{ url: `${url}/torn` }, 'validation_failed', 'damaged'],
      [{ url: `${url}/missing` }, 'not_found', '404'],
      [{ url: short.url }, 'validation_failed', 'broke off'],
      [{ url: `${url}/large`, name: '../up.txt' }, 'validation_failed', 'cannot be the path of a document'],
    ];
    for (const [params, name, message] of cases) {
      expect(await refused(params)).toMatchObject({ message: expect.stringContaining(message), data: { name } });
    }
    expect(await holdings()).toEqual(nothing);
  });

  it('larger than a document may be, whatever the caller allows', async () => {
    const { refused, holdings } = await started({ ...open, CAIRN_MAX_DOCUMENT: '65536' });
    const { url } = await site({ '/endless': endless() });
    const error = await refused({ url: `${url}/endless`, max_bytes: 1_000_000_000 });
    expect(error.message).toContain('more than 65536 bytes');
    expect(await holdings()).toEqual(nothing);
  });

  it('by a viewer, or by a server that only reads', async () => {
    const { url, connections } = await site({ '/data.csv': saying(csv) });
    for (const [flags, name] of [
      [['--role', 'viewer'], 'permission_denied'],
      [['--read-only'], 'read_only'],
    ] as const) {
      const { refused } = await started(open, ...flags);
      expect(await refused({ url: `${url}/data.csv` })).toMatchObject({ data: { name } });
    }
    expect(connections()).toBe(0);
  });
});

const openssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe.skipIf(!openssl)('over https', () => {
  async function certified() {
    const folder = await freshFolder();
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    execFileSync('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const plain = await site({ '/data.csv': saying(csv) });
    const options = { key: await readFile(key), cert: await readFile(cert) };
    const tls = await listening(
      createTlsServer(options, (request, response) => {
        if (request.url === '/down') response.writeHead(302, { location: `${plain.url}/data.csv` }).end();
        else response.end(csv);
      }),
    );
    return { cert, plain, port: tls.port };
  }

  it('a certificate is needed that the machine trusts, for the name that was asked for', async () => {
    const { cert, port, plain } = await certified();
    const careless = await started({ ...open, NODE_TLS_REJECT_UNAUTHORIZED: '0' });
    expect((await careless.refused({ url: `https://localhost:${port}/data.csv` })).message).toContain('no certificate');

    const { ask, refused } = await started({ ...open, NODE_EXTRA_CA_CERTS: cert });
    expect(await ask('download', { url: `https://localhost:${port}/data.csv` })).toMatchObject({ hash: sha256(csv) });
    expect((await refused({ url: `https://127.0.0.1:${port}/data.csv` })).message).toContain('no certificate');
    expect((await refused({ url: `https://localhost:${port}/down` })).message).toContain('from https to http');
    expect(plain.connections()).toBe(0);
  });
});
