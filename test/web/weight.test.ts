/** What a browser has to load before it shows anything, and that it is built from what is here. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const built = join(import.meta.dirname, '../../dist/web');

/** A page, and everything that it loads by itself: scripts, styles, and what those import without being asked to. */
function loadedBy(page: string): Set<string> {
  const found = new Set<string>();
  const visit = (path: string) => {
    if (found.has(path)) return;
    found.add(path);
    const text = readFileSync(join(built, path), 'utf8');
    const pattern = path.endsWith('.html')
      ? /(?:src|href)="(\/[^"]+)"/g
      : /(?:from|^import|;import)\s*["']\.\/([^"']+)["']/g;
    for (const [, target = ''] of text.matchAll(pattern)) visit(target.startsWith('/') ? target : `/assets/${target}`);
  };
  visit(page);
  return found;
}

describe('the weight of the page', () => {
  it('is at most 250 kB, packed, before a graph is looked at', () => {
    expect(existsSync(join(built, 'index.html'))).toBe(true);
    const loaded = loadedBy('/index.html');
    expect([...loaded].some((path) => path.endsWith('.css'))).toBe(true);
    const bytes = [...loaded].map((path) => gzipSync(readFileSync(join(built, path))).length);
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(250_000);
  });

  it('brings no diagram and no graph along', () => {
    const texts = [...loadedBy('/index.html')].map((path) => readFileSync(join(built, path), 'utf8')).join('');
    expect(texts).not.toContain('flowchart-elk');
    expect(texts).not.toContain('graphology');
  });

  it('names no other host but as text', () => {
    const html = readFileSync(join(built, 'index.html'), 'utf8');
    expect(html).not.toMatch(/https?:\/\//);
  });
});
