/** Imports a TypeScript module of this project on a Node that cannot: bundled once into node_modules/.cache. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

export async function importTypeScript(path) {
  const outfile = bundlePath();
  await bundle(path, outfile);
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile, { force: true });
  }
}

/** Bundles for a child process; the caller removes the file. */
export async function bundle(path, outfile) {
  await build({
    entryPoints: [path],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    logLevel: 'warning',
  });
}

export function bundlePath() {
  const folder = resolve('node_modules/.cache/cairn');
  mkdirSync(folder, { recursive: true });
  return resolve(folder, `${randomBytes(6).toString('hex')}.mjs`);
}
