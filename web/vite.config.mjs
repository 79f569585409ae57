import { defineConfig } from 'vite';

/** Mermaid draws thirty kinds of diagrams; ours are flowcharts. The others, and what only they need, stay at home. */
const onlyFlowcharts = {
  name: 'only-flowcharts',
  enforce: 'pre',
  resolveId(id, importer = '') {
    const diagram = /(?:[Dd]iagram|definition)(?:-v2)?-[A-Z0-9]{8}\.mjs$|cose-bilkent|swimlanes-|^katex$/.test(id);
    return diagram && !id.includes('flowDiagram') && importer.includes('mermaid') ? '\0left-out' : undefined;
  },
  load(id) {
    return id === '\0left-out' ? 'export const diagram = undefined; export default undefined;' : undefined;
  },
};

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  logLevel: 'warn',
  plugins: [onlyFlowcharts],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    // The page says what it loads by itself; a helper that fetches ahead is not needed.
    modulePreload: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 4000,
    license: { fileName: 'licenses.md' },
    rollupOptions: { input: ['index.html', 'drawing.html'].map((file) => `${import.meta.dirname}/${file}`) },
  },
});
