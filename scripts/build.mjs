/** Bundles the sources into dist/: entries for the command, for worker threads and for the embedding model, and chunks loaded on demand. */
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

/** Parsed as JSON, which is faster than the same data as JavaScript, and every start reads the operation table. */
const parsedJson = {
  name: 'parsed-json',
  setup(build) {
    build.onLoad({ filter: /\.generated\.json$/ }, ({ path }) => {
      const text = JSON.stringify(JSON.parse(readFileSync(path, 'utf8')));
      return { contents: `export default JSON.parse(${JSON.stringify(text)})`, loader: 'js' };
    });
  },
};

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
  // A package with a native part; what is in the bundle starts in a third of the time. (The model's runtime is required.)
  external: ['@photostructure/sqlite'],
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
try {
  renameSync('dist', stale);
} catch (error) {
  if (error.code !== 'ENOENT') throw error;
}
renameSync(fresh, 'dist');
rmSync(stale, { recursive: true, force: true });
