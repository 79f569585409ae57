/** A user's folder and a project in it, made for one test, with the options that keep an install inside them. */
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { InstallOptions } from '../../src/doors/cli/install/plan.ts';

export interface Fixture {
  readonly home: string;
  readonly project: string;
  readonly options: InstallOptions;
  write(path: string, text: string | Uint8Array, mode?: number): string;
  read(path: string): string;
  /** Every file and folder below the user's folder, with the bytes of the files. */
  tree(): Record<string, string>;
}

export const command = ['/opt/node', '/opt/cairn/cairn.js'];

export function fixture(): Fixture {
  const home = mkdtempSync(join(tmpdir(), 'cairn-install-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const project = join(home, 'code', 'app');
  mkdirSync(project, { recursive: true });
  return {
    home,
    project,
    options: { home, project, command, env: {}, platform: 'linux' },
    write(path, text, mode = 0o644) {
      const full = join(home, path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, text, { mode });
      return full;
    },
    read: (path) => readFileSync(join(home, path), 'utf8'),
    tree: () => treeOf(home, ''),
  };
}

function treeOf(root: string, way: string): Record<string, string> {
  return Object.assign(
    {},
    ...readdirSync(join(root, way)).map((name) => {
      const path = join(way, name);
      const found = lstatSync(join(root, path));
      if (found.isDirectory()) return { [`${path}/`]: '', ...treeOf(root, path) };
      return { [path]: found.isFile() ? readFileSync(join(root, path), 'base64') : 'link' };
    }),
  );
}
