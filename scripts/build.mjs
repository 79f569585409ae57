/** Bundles the sources into dist/: entries for the command, for worker threads and for the embedding model, and chunks loaded on demand. */
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { build } from 'esbuild';
import { buildPage } from './build-page.mjs';

/**
 * Every start reads the operation table, and few starts need more of it than names and a handful of schemas. So it is parsed as
 * JSON, which is faster than the same data as JavaScript, and each schema and example only when somebody looks at it.
 */
const parsedJson = {
  name: 'parsed-json',
  setup(build) {
    build.onLoad({ filter: /\.generated\.json$/ }, ({ path }) => {
      const entries = JSON.parse(readFileSync(path, 'utf8'));
      const late = ['inputSchema', 'outputSchema', 'example'];
      const whole = JSON.stringify(entries.map((entry) => without(entry, late)));
      const texts = entries.map((entry) => late.map((name) => JSON.stringify(entry[name])));
      return {
        contents: `const entries = JSON.parse(${JSON.stringify(whole)});
          const texts = ${JSON.stringify(texts)};
          ${JSON.stringify(late)}.forEach((name, at) => entries.forEach((entry, index) => {
            let value;
            Object.defineProperty(entry, name, { enumerable: true, get: () => (value ??= JSON.parse(texts[index][at])) });
          }));
          export default entries;`,
        loader: 'js',
      };
    });
  },
};

function without(entry, names) {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => !names.includes(name)));
}

// Built beside and swapped in: whoever starts Cairn meanwhile finds the old build or the new one.
const fresh = `dist.${process.pid}.new`;
const stale = `dist.${process.pid}.old`;
await build({
  entryPoints: {
    cairn: 'src/main.ts',
    worker: 'src/worker.ts',
    embedder: 'src/search/embed/model-process.ts',
  },
  outdir: fresh,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // A package with a native part, and one of CommonJS; what is in the bundle starts in a third of the time. (The model's runtime is required.)
  external: ['@photostructure/sqlite', 'pg'],
  alias: {
    '@modelcontextprotocol/server/_shims': './src/doors/mcp/sdk-shim.ts',
    // For Node it names its CommonJS build, which a bundle of modules cannot hold; the other one is the same code.
    yaml: './node_modules/yaml/browser/index.js',
  },
  legalComments: 'linked',
  minify: true,
  plugins: [parsedJson],
  logLevel: 'warning',
});
await buildPage(`${fresh}/web`);
try {
  renameSync('dist', stale);
} catch (error) {
  if (error.code !== 'ENOENT') throw error;
}
renameSync(fresh, 'dist');
rmSync(stale, { recursive: true, force: true });
