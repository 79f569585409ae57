/**
 * Builds the dashboard's page from web/, packed for the wire too. What was built is kept by the hash of everything it was made
 * of, so that a build after an edit elsewhere copies it only.
 */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const cache = 'node_modules/.cache/cairn-page';
const KEPT = 3;

export async function buildPage(target) {
  const kept = join(cache, hashOfSources());
  if (!existsSync(kept)) await buildInto(kept);
  cpSync(kept, target, { recursive: true });
}

function hashOfSources() {
  const hash = createHash('sha256');
  const files = filesIn('web').concat('package-lock.json', 'scripts/build-page.mjs').sort();
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(file));
  return hash.digest('hex').slice(0, 32);
}

async function buildInto(kept) {
  const { build } = await import('vite');
  const fresh = `${kept}.${process.pid}`;
  await build({ configFile: 'web/vite.config.mjs', build: { outDir: join(process.cwd(), fresh), emptyOutDir: true } });
  for (const file of filesIn(fresh)) pack(file);
  rmSync(kept, { recursive: true, force: true });
  renameSync(fresh, kept);
  forgetOld(dirname(kept), kept);
}

function pack(file) {
  const text = readFileSync(file);
  if (!['.js', '.css', '.html', '.svg', '.md'].includes(extname(file)) || text.length < 1000) return;
  // The highest level takes ten times as long for a few percent.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  writeFileSync(`${file}.br`, brotliCompressSync(text, { params }));
  writeFileSync(`${file}.gz`, gzipSync(text, { level: 9 }));
}

function forgetOld(folder, current) {
  mkdirSync(folder, { recursive: true });
  const others = readdirSync(folder).filter((name) => join(folder, name) !== current && !name.includes('.'));
  for (const name of others.slice(0, Math.max(0, others.length - KEPT)))
    rmSync(join(folder, name), { recursive: true });
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}
