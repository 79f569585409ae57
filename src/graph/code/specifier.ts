/** Which documents an import means, by the rules of the language it is written in. */
import type { Import, Language, Outline } from './outline.ts';
import { resolveSharp } from './specifier-csharp.ts';
import { resolveGo } from './specifier-go.ts';
import { resolveInclude } from './specifier-include.ts';
import { resolveJava } from './specifier-java.ts';
import { resolveModule } from './specifier-javascript.ts';
import { resolvePhp } from './specifier-php.ts';
import { resolvePython } from './specifier-python.ts';
import { resolveRuby } from './specifier-ruby.ts';
import { resolveRust } from './specifier-rust.ts';
import type { Tree } from './tree.ts';

export interface Asked {
  readonly tree: Tree;
  /** The document that imports. */
  readonly path: string;
  readonly outline: Outline;
}

export type Resolve = (wanted: Import, asked: Asked) => Promise<readonly string[]>;

const resolvers: Readonly<Record<Language, Resolve>> = {
  typescript: resolveModule,
  tsx: resolveModule,
  javascript: resolveModule,
  python: resolvePython,
  go: resolveGo,
  rust: resolveRust,
  java: resolveJava,
  c: resolveInclude,
  cpp: resolveInclude,
  csharp: resolveSharp,
  ruby: resolveRuby,
  php: resolvePhp,
};

/** None when it is not of this tree. A document is no import of itself. */
export async function pathsOf(wanted: Import, asked: Asked): Promise<readonly string[]> {
  const paths = await resolvers[asked.outline.language](wanted, asked);
  return [...new Set(paths)].filter((path) => path !== asked.path);
}
