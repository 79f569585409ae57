/**
 * `npm start`: installs, builds and serves over HTTP on loopback. Serves a demo home of its own, never the user's, unless
 * --home is given. Arguments go to `cairn serve`.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root } from './setup.mjs';

const args = process.argv.slice(2);
const given = (flag) => args.some((arg) => arg === flag || arg.startsWith(`${flag}=`));

ensureInstalled();
ensureBuilt();
const home = given('--home') ? [] : ['--home', join(root, '.demo')];
const http = given('--http') ? [] : ['--http', process.env.CAIRN_HTTP ?? '127.0.0.1:8787'];
const server = spawn(process.execPath, [join(root, 'dist/cairn.js'), 'serve', ...home, ...http, ...args], {
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal));
server.on('exit', (code) => process.exit(code ?? 0));
