/** The parser and its grammars: WebAssembly from one package, loaded when a language is first met, each once a thread. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type * as TreeSitter from '@vscode/tree-sitter-wasm';
import type { Language } from './outline.ts';

export type Node = TreeSitter.Node;
export type Parser = TreeSitter.Parser;

const PACKAGE = '@vscode/tree-sitter-wasm';

const files: Readonly<Record<Language, string>> = {
  typescript: 'typescript',
  tsx: 'tsx',
  javascript: 'javascript',
  python: 'python',
  go: 'go',
  rust: 'rust',
  java: 'java',
  c: 'cpp',
  cpp: 'cpp',
  csharp: 'c-sharp',
  ruby: 'ruby',
  php: 'php',
};

const parsers = new Map<string, Promise<Parser>>();
let runtime: Promise<typeof TreeSitter> | undefined;

export function parserOf(language: Language): Promise<Parser> {
  const file = files[language];
  const known = parsers.get(file);
  if (known !== undefined) return known;
  const loading = load(file);
  parsers.set(file, loading);
  // A grammar that failed to load may load the next time.
  loading.catch(() => parsers.delete(file));
  return loading;
}

/** After a crash in WebAssembly its memory cannot be trusted: the next parser begins with everything afresh. */
export function forgetParsers(): void {
  const require = createRequire(import.meta.url);
  delete require.cache[require.resolve(PACKAGE)];
  parsers.clear();
  runtime = undefined;
}

/** What WebAssembly throws: texts that nest very deeply overflow its stack. */
export function isCrash(error: unknown): boolean {
  return error instanceof Error && error.name === 'RuntimeError';
}

async function load(file: string): Promise<Parser> {
  const resolve = createRequire(import.meta.url).resolve;
  runtime ??= start();
  const { Parser, Language } = await runtime;
  const grammar = await Language.load(await readFile(resolve(`${PACKAGE}/wasm/tree-sitter-${file}.wasm`)));
  return new Parser().setLanguage(grammar);
}

/** Required and not imported: it finds its own WebAssembly beside itself, so a bundle cannot hold it. */
async function start(): Promise<typeof TreeSitter> {
  const library: typeof TreeSitter = createRequire(import.meta.url)(PACKAGE);
  await library.Parser.init();
  return library;
}
