/** The tests that the server leaves out are tests that there are: a list of names must not rot. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const list = readFileSync(join(root, 'test/support/about-files.json'), 'utf8');
const aboutFiles = Object.entries(JSON.parse(list) as Record<string, string[]>);

it.each(aboutFiles)('%s has every test that is left out', (file, names) => {
  const text = readFileSync(join(root, file), 'utf8').replaceAll("\\'", "'");
  const missing = names.filter((name) => !name.split(' > ').every((part) => text.includes(part)));
  expect(missing).toEqual([]);
});
