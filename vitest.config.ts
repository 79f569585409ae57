import { defineConfig } from 'vitest/config';

/** Suites of the domains that run on both engines; what is about files in them is left out by test/support/on-server.ts. */
const onBothEngines = [
  'test/contract/examples.test.ts',
  'test/instructions/*.test.ts',
  'test/decisions/{bundle,context,lessons,reflection,seed}.test.ts',
  'test/documents/{grep,names,pipelines,search,seed,session}.test.ts',
  'test/graph/{edges,impact,knowledge}.test.ts',
];

export default defineConfig({
  test: {
    exclude: ['**/node_modules/**'],
    // Tests start real processes on two cores: fewer workers keep their timing honest.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'cairn',
          include: ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['**/node_modules/**', 'test/shared/**'],
        },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: ['test/shared/**/*.test.ts', ...onBothEngines],
          globalSetup: 'test/support/postgres-setup.ts',
          setupFiles: 'test/support/on-server.ts',
        },
      },
    ],
  },
});
