/** What a source file defines, uses and takes from elsewhere, as its grammar shows. Nothing here knows another file. */

export const languages = [
  'typescript',
  'tsx',
  'javascript',
  'python',
  'go',
  'rust',
  'java',
  'c',
  'cpp',
  'csharp',
  'ruby',
  'php',
] as const;
export type Language = (typeof languages)[number];

export const symbolKinds = [
  'function',
  'method',
  'class',
  'interface',
  'struct',
  'trait',
  'enum',
  'type',
  'module',
  'constant',
  'variable',
  'field',
] as const;
export type SymbolKind = (typeof symbolKinds)[number];

export interface CodeSymbol {
  readonly name: string;
  readonly kind: SymbolKind;
  /** The first line is 1; both included. */
  readonly line: number;
  readonly endLine: number;
  /** Which symbol of the same outline encloses it. */
  readonly parent?: number;
  /** Others can take it from the file. */
  readonly exported: boolean;
  /** What it is (a variable, a field), gives (a function) or stands for (an alias), where that shows: an expression (expression.ts). */
  readonly type?: string;
  /** The type that it belongs to, when that stands in another file: a method of Go, an `impl` of Rust, `Foo::bar` of C++. */
  readonly owner?: string;
}

export interface ImportedName {
  /** As the other file calls it; `*` for all of it, `default` for its default. */
  readonly name: string;
  /** As this file calls it. */
  readonly local: string;
}

export interface Import {
  /** As it is written: `./store.ts`, `node:fs`, `..pkg.mod`, `crate::graph::code`. */
  readonly specifier: string;
  readonly line: number;
  readonly names: readonly ImportedName[];
  /** What is taken is also given on, under its local name. */
  readonly reexported?: boolean;
}

export interface Call {
  /** The last part of what is called: `open` of `store.files.open()`. */
  readonly name: string;
  /** What stands before it: `store.files`; absent for a plain call. */
  readonly receiver?: string;
  readonly line: number;
  /** The symbol in whose body it stands; absent at the top of the file. */
  readonly caller?: number;
  /**
   * What is called, as an expression (expression.ts) without names of inner scopes: each is replaced by what it is known to hold.
   * Empty when it is something of an inner scope of which nothing is known.
   */
  readonly callee: string;
}

export interface Inheritance {
  /** Which symbol of the outline. */
  readonly symbol: number;
  /** As it is written: `Base`, `pkg.Base`. */
  readonly base: string;
}

/** A name under which the file gives something that it calls otherwise itself. */
export interface Export {
  /** As others know it; `default` for the default. */
  readonly name: string;
  /** As this file calls it. */
  readonly local: string;
}

export interface Outline {
  readonly language: Language;
  readonly symbols: readonly CodeSymbol[];
  readonly imports: readonly Import[];
  readonly calls: readonly Call[];
  readonly inherits: readonly Inheritance[];
  /** Absent when every exported symbol is known by its own name only. */
  readonly exports?: readonly Export[];
  /** The package or namespace that the file says it belongs to (Java, C#, PHP). */
  readonly namespace?: string;
  /** Why the outline is empty although the text may not be. */
  readonly problem?: string;
}
