/**
 * Loaded before the program (node --import). Notes every call that changes files below a folder, every commit of a database and
 * every answer in a log, and makes the call with a given number fail. It counts over all threads of the process, and needs
 * neither rights nor tools.
 */
import fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { constants } from 'node:os';
import { sep } from 'node:path';
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';

/** `below`: whose files count; `log`: takes a line for each call; `at` and `error`: which call fails, and how. */
const { below, log, at = 0, error = '' } = JSON.parse(process.env.FAILING_FILES);

const KEY = 'failing-files';
if (isMainThread) setEnvironmentData(KEY, new SharedArrayBuffer(4));
const count = new Int32Array(getEnvironmentData(KEY));

const { openSync, writeSync } = fs;
const notes = openSync(log, 'a');
const note = (line) => void writeSync(notes, `${JSON.stringify(line)}\n`);

/** Where descriptors lead. */
const opened = new Map();

function placeOf(what) {
  if (typeof what === 'number') return opened.get(what);
  if (typeof what?.fd === 'number') return opened.get(what.fd);
  const path = what instanceof URL ? what.pathname : String(what);
  return path === below || path.startsWith(below + sep) ? path : undefined;
}

/** Notes a call. The error, where it is the one that fails. */
function struckBy(call, path, more) {
  const number = Atomics.add(count, 0, 1) + 1;
  const struck = number === at;
  note({ number, call, path: path.slice(below.length + 1), ...more, ...(struck && { struck: error }) });
  return struck ? faultOf(call, path) : undefined;
}

function faultOf(call, path) {
  // A disk that takes a part of the bytes is full for the rest of them.
  const code = error === 'SHORT' ? 'ENOSPC' : error;
  const facts = { code, errno: -constants.errno[code], syscall: call, path };
  return Object.assign(new Error(`${code}: injected, ${call} '${path}'`), facts);
}

function isForWriting(flags = 'r') {
  if (typeof flags === 'number') return (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR)) !== 0;
  return flags !== 'r';
}

/** One that opens: for reading, it is counted as another call, for there only descriptors can run out. */
const openCall = ([, flags]) => (isForWriting(typeof flags === 'function' ? 'r' : flags) ? 'open' : 'open to read');

/** The half of what is to be written; `undefined` for what cannot be halved. */
function halved(data) {
  if (typeof data === 'string') return data.slice(0, data.length / 2);
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength >> 1) : undefined;
}

/** What a call leaves behind that writes a part and fails. */
const tear = (write, [file, data, ...rest]) => halved(data) !== undefined && write(file, halved(data), ...rest);
const torn = { writeFile: tear, appendFile: tear };

/** What a call does that writes a part and says how much. */
function shortWrite(write, [file, data, offset = 0, length = data.length - offset, position = null]) {
  if (typeof data === 'string') return write(file, halved(data));
  return write(file, data, offset, Math.max(1, length >> 1), position);
}

const names = ['open', 'write', 'writev', 'writeFile', 'appendFile', 'truncate', 'ftruncate', 'fsync', 'fdatasync'];
names.push('rename', 'link', 'symlink', 'copyFile', 'mkdir', 'mkdtemp', 'unlink', 'rmdir', 'rm', 'fchmod', 'chmod');

/** The fault of this call, if it is to fail. */
function judged(name, args) {
  const path = placeOf(args[0]);
  if (path === undefined) return undefined;
  const to = name === 'rename' || name === 'link' ? { to: String(args[1]).slice(below.length + 1) } : {};
  return struckBy(name === 'open' ? openCall(args) : name, path, to);
}

function remember(name, args, result) {
  if (name !== 'open') return;
  const path = placeOf(args[0]);
  const file = typeof result === 'number' ? result : result.fd;
  if (path === undefined) opened.delete(file);
  else opened.set(file, path);
}

for (const name of names) {
  const [now, later, promised] = [fs[`${name}Sync`], fs[name], fs.promises[name]];
  fs[`${name}Sync`] = (...args) => {
    const failure = judged(name, args);
    if (failure !== undefined) {
      if (error === 'SHORT' && name === 'write') return shortWrite(now, args);
      if (error === 'SHORT') torn[name]?.(now, args);
      throw failure;
    }
    const result = now(...args);
    remember(name, args, result);
    return result;
  };
  fs[name] = (...args) => {
    const failure = judged(name, args);
    const done = args.at(-1);
    if (failure !== undefined) return void process.nextTick(done, failure);
    later(...args.slice(0, -1), (thrown, ...results) => {
      if (thrown === null) remember(name, args, results[0]);
      done(thrown, ...results);
    });
  };
  if (promised === undefined) continue;
  fs.promises[name] = async (...args) => {
    const failure = judged(name, args);
    if (failure !== undefined) {
      if (error === 'SHORT') await torn[name]?.(promised, args);
      throw failure;
    }
    const result = await promised(...args);
    remember(name, args, result);
    return result;
  };
}

const handle = await fs.promises.open(log, 'r');
const handles = Object.getPrototypeOf(handle);
await handle.close();
const ofHandles = { sync: 'fsync', datasync: 'fdatasync', truncate: 'ftruncate', chmod: 'fchmod' };
for (const name of ['write', 'writev', 'writeFile', 'appendFile', ...Object.keys(ofHandles)]) {
  const method = handles[name];
  handles[name] = async function (...args) {
    const failure = judged(ofHandles[name] ?? name, [this, ...args]);
    const write = (_file, ...rest) => method.apply(this, rest);
    if (failure === undefined) return method.apply(this, args);
    if (error === 'SHORT' && name === 'write') return shortWrite(write, [this, ...args]);
    if (error === 'SHORT') await torn[name]?.(write, [this, ...args]);
    throw failure;
  };
}
syncBuiltinESMExports();

/** Commits are SQLite's own calls to the system; here they fail as a whole, before anything is on the disk. */
const require = createRequire(process.argv[1]);
const sqlite = require('@photostructure/sqlite');
class NotedDatabase extends sqlite.DatabaseSync {
  #path;
  #waits = '';

  constructor(path, ...rest) {
    super(path, ...rest);
    this.#path = String(path);
  }

  exec(sql) {
    this.#waits = /synchronous = (\w+)/.exec(sql)?.[1] ?? this.#waits;
    if (sql === 'COMMIT' && placeOf(this.#path) !== undefined) {
      const failure = struckBy('commit', this.#path, { synchronous: this.#waits });
      if (failure !== undefined) throw sqliteFault(failure);
    }
    return super.exec(sql);
  }
}
require.cache[require.resolve('@photostructure/sqlite')].exports = { ...sqlite, DatabaseSync: NotedDatabase };

function sqliteFault({ code }) {
  const full = code === 'ENOSPC';
  const facts = { code: 'ERR_SQLITE_ERROR', errcode: full ? 13 : 10 };
  return Object.assign(new Error(full ? 'database or disk is full' : 'disk I/O error'), facts);
}

if (isMainThread) {
  const { stdout } = process;
  const answer = stdout.write;
  stdout.write = (...args) => {
    note({ call: 'answer' });
    return answer.apply(stdout, args);
  };
}
