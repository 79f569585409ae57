/**
 * `npm start`: installs, builds and serves over HTTP on loopback. Serves a demo home of its own with a small sample in it,
 * never the user's, unless --home is given. Arguments go to `cairn serve`.
 */
import { spawn } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root } from './setup.mjs';

const args = process.argv.slice(2);
const given = (flag) => args.some((arg) => arg === flag || arg.startsWith(`${flag}=`));

ensureInstalled();
ensureBuilt();
const home = given('--home') ? [] : ['--home', await demoHome()];
const http = given('--http') ? [] : ['--http', process.env.CAIRN_HTTP ?? '127.0.0.1:8787'];
const server = spawn(process.execPath, [join(root, 'dist/cairn.js'), 'serve', ...home, ...http, ...args], {
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal));
server.on('exit', (code) => process.exit(code ?? 0));

async function demoHome() {
  const demo = join(root, '.demo');
  if (!existsSync(demo)) {
    console.log('Filling a demo home with a sample: the rules, decisions and documents of Cairn itself…');
    // Filled beside and moved into place: whoever stops it in the middle finds no half of it the next time.
    const fresh = `${demo}.${process.pid}.new`;
    const { fillDemo } = await import('./demo.mjs');
    try {
      await fillDemo(fresh);
      renameSync(fresh, demo);
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  }
  console.log('This is the demo home. Your own: npm start -- --home DIR, or cairn init in a project.\n');
  return demo;
}
