/** The language of a source file, by the ending of its name. */
import type { Language } from './outline.ts';

const byExtension: Readonly<Record<string, Language>> = {
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'tsx',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  py: 'python',
  pyi: 'python',
  go: 'go',
  rs: 'rust',
  java: 'java',
  c: 'c',
  h: 'c',
  cc: 'cpp',
  cpp: 'cpp',
  cxx: 'cpp',
  hpp: 'cpp',
  hh: 'cpp',
  cs: 'csharp',
  rb: 'ruby',
  php: 'php',
};

export function languageOf(path: string): Language | undefined {
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase();
  return extension !== undefined && Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined;
}

/** Every ending that says what a file is written in, with its dot. */
export const codeExtensions: readonly string[] = Object.keys(byExtension).map((extension) => `.${extension}`);
