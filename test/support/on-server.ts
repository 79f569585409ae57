/**
 * The suites of the domains on PostgreSQL. What they say about files, git and edits by hand has no meaning there, nor what they look
 * up in the databases of a home; those tests are named in about-files.json and left out.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeEach, expect, inject } from 'vitest';

const root = join(import.meta.dirname, '../..');
const aboutFiles = JSON.parse(readFileSync(join(import.meta.dirname, 'about-files.json'), 'utf8')) as Record<
  string,
  string[]
>;
const file = relative(root, expect.getState().testPath ?? '').replaceAll('\\', '/');
const listed = aboutFiles[file] ?? [];

process.env.CAIRN_TEST_POSTGRES = inject('postgres');
// What is about the engine itself says which one it means.
if (!file.startsWith('test/shared/')) process.env.CAIRN_TEST_STORE = inject('postgres');

beforeEach(({ task, skip }) => {
  if (listed.includes(nameOf(task))) skip('about files');
});

function nameOf(task: { readonly name: string; readonly suite?: Parent | undefined }): string {
  const names = [task.name];
  for (let suite = task.suite; suite !== undefined && suite.name !== ''; suite = suite.suite) names.unshift(suite.name);
  return names.join(' > ');
}

interface Parent {
  readonly name: string;
  readonly suite?: Parent | undefined;
}
