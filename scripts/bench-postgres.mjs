/** Measures both engines side by side, by one process and by several; see docs/postgresql.md. */
import { importTypeScript } from './import.mjs';

const { runPostgresBench } = await importTypeScript('bench/postgres/index.ts');
await runPostgresBench(process.argv.slice(2));
