import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  logLevel: 'warn',
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
