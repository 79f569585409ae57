/** Every link of the documentation to a file of the project leads somewhere. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'packaging/README.md'],
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
];

it.each(pages)('%s links to what is there', (page) => {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/^```.*?^```$/gms, '');
  for (const [, target = ''] of text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    expect(existsSync(join(root, dirname(page), target)), `${page}: ${target}`).toBe(true);
  }
});
