/** Which symbol a name means at the top of a file, and which a file gives to others under a name. */
import type { Entity } from './entity.ts';
import type { Expression } from './expression.ts';
import { languageOf } from './language.ts';
import type { CodeSymbol, Import, Outline } from './outline.ts';
import { pathsOf } from './specifier.ts';
import { packageFiles } from './specifier-go.ts';
import { javaNeighbour } from './specifier-java.ts';
import { classFile } from './specifier-php.ts';
import { pythonModuleName } from './specifier-python.ts';
import { isTypeLike } from './symbols.ts';
import { baseOf, filesIn, folderOf, type Tree } from './tree.ts';

/** Chains of re-exports that are longer are given up, and so are includes of includes. */
const DEEPEST = 8;
const DEEPEST_INCLUDE = 3;

export interface Start {
  readonly entity: Entity;
  /** How many steps of the expression it took in. */
  readonly steps: number;
}

export class ModuleNames {
  readonly #tree: Tree;

  constructor(tree: Tree) {
    this.#tree = tree;
  }

  async root(path: string, outline: Outline, { root, steps }: Expression): Promise<Start | undefined> {
    const name = root.replace(/^:/, '');
    if (name.startsWith('#')) return { entity: { kind: 'symbol', path, symbol: Number(name.slice(1)) }, steps: 0 };
    if (name.startsWith('@')) {
      const wanted = outline.imports[Number(name.slice(1))];
      const paths = wanted === undefined ? [] : await this.#paths(wanted, path, outline);
      return paths.length === 0 ? undefined : { entity: { kind: 'module', paths }, steps: 0 };
    }
    const dotted = await this.#dottedImport(path, outline, name, steps);
    if (dotted !== undefined) return dotted;
    const entity = await this.named(path, outline, name, root.startsWith(':'), 0);
    return entity === undefined ? undefined : { entity, steps: 0 };
  }

  /** `import a.b.c` (Python) binds the whole name, which an expression spells in steps. */
  async #dottedImport(
    path: string,
    outline: Outline,
    root: string,
    steps: readonly string[],
  ): Promise<Start | undefined> {
    if (outline.language !== 'python') return undefined;
    for (const wanted of outline.imports) {
      for (const { local, name } of wanted.names) {
        const parts = local.split('.').length - 1;
        if (name !== '*' || parts === 0 || root + steps.slice(0, parts).join('') !== local) continue;
        const paths = await this.#paths(wanted, path, outline);
        if (paths.length > 0) return { entity: { kind: 'module', paths }, steps: parts };
      }
    }
    return undefined;
  }

  #paths(wanted: Import, path: string, outline: Outline): Promise<readonly string[]> {
    return pathsOf(wanted, { tree: this.#tree, path, outline });
  }

  /** What a file calls so itself. */
  async named(path: string, outline: Outline, name: string, type: boolean, depth: number): Promise<Entity | undefined> {
    const own = topSymbol(outline, name, type);
    if (own !== undefined) return { kind: 'symbol', path, symbol: own };
    for (const wanted of outline.imports) {
      // What is only given on has no name here.
      if (wanted.reexported === true && isScript(outline)) continue;
      for (const imported of wanted.names)
        if (imported.local === name && name !== '*') return this.#imported(wanted, imported.name, path, outline, depth);
    }
    return (await this.#neighbour(path, outline, name)) ?? this.#included(path, outline, name, depth);
  }

  async #imported(
    wanted: Import,
    name: string,
    path: string,
    outline: Outline,
    depth: number,
  ): Promise<Entity | undefined> {
    const paths = await this.#paths(wanted, path, outline);
    if (paths.length === 0 || depth > DEEPEST) return undefined;
    if (name === '*') return { kind: 'module', paths };
    const given = (await this.exported(paths, name, depth + 1)) ?? (await this.#static(wanted, paths, name, outline));
    if (given !== undefined) return given;
    // What a file without modules gives as a whole is taken by the name of the default.
    if (name === 'default' && isScript(outline)) return { kind: 'module', paths };
    const module = paths.find((file) => moduleName(file) === name && /^(python|rust)$/.test(outline.language));
    return module === undefined ? undefined : { kind: 'module', paths: [module] };
  }

  /** What the first of some files gives under a name. */
  async exported(paths: readonly string[], name: string, depth = 0): Promise<Entity | undefined> {
    for (const path of depth > DEEPEST ? [] : paths) {
      const outline = await this.#tree.outline(path);
      const found = outline && (await this.#exportedBy(path, outline, name, depth));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async #exportedBy(path: string, outline: Outline, name: string, depth: number): Promise<Entity | undefined> {
    const renamed = outline.exports?.find((given) => given.name === name);
    if (renamed !== undefined && renamed.local !== name)
      return this.named(path, outline, renamed.local, false, depth + 1);
    const own = topSymbol(outline, name, false);
    if (own !== undefined && (renamed !== undefined || isGiven(outline, own)))
      return { kind: 'symbol', path, symbol: own };
    if (renamed !== undefined) return this.named(path, outline, name, false, depth + 1);
    for (const wanted of outline.imports) {
      if (wanted.reexported !== true && outline.language !== 'python') continue;
      for (const imported of wanted.names)
        if (imported.local === name) return this.#imported(wanted, imported.name, path, outline, depth + 1);
    }
    for (const wanted of outline.imports) {
      const whole = wanted.names.some(({ name: taken, local }) => taken === '*' && local === '*');
      if (!whole || (wanted.reexported !== true && outline.language !== 'python') || name === 'default') continue;
      const found = await this.exported(await this.#paths(wanted, path, outline), name, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Files of the same package share their names without importing them. */
  async #neighbour(path: string, outline: Outline, name: string): Promise<Entity | undefined> {
    const files = await this.#neighbours(path, outline, name);
    const plain = name.slice(name.lastIndexOf('\\') + 1);
    for (const file of files) {
      const other = file === path ? undefined : await this.#tree.outline(file);
      const symbol = other && topSymbol(other, plain, false);
      if (symbol === undefined || (plain === name && other?.namespace !== outline.namespace)) continue;
      return { kind: 'symbol', path: file, symbol };
    }
    return undefined;
  }

  async #neighbours(path: string, outline: Outline, name: string): Promise<readonly string[]> {
    const folder = folderOf(path);
    switch (outline.language) {
      case 'go':
        return filesIn(this.#tree, folder, '.go', 5000);
      case 'java':
        return [await javaNeighbour(this.#tree, path, outline.namespace, name)].filter((file) => file !== undefined);
      case 'csharp':
        return filesIn(this.#tree, folder, '.cs', 5000);
      case 'php': {
        const inside = outline.namespace === undefined ? name : `${outline.namespace}\\${name}`;
        if (name.startsWith('$')) return [];
        return [await classFile(this.#tree, folder, name.startsWith('\\') ? name.slice(1) : inside)].filter(
          (file) => file !== undefined,
        );
      }
      default:
        return [];
    }
  }

  /** Languages in which an import brings every name of the other file. */
  async #included(path: string, outline: Outline, name: string, depth: number): Promise<Entity | undefined> {
    const whole = /^(c|cpp|ruby|php|csharp)$/.test(outline.language);
    for (const wanted of outline.imports) {
      const star = wanted.names.some(({ name: taken, local }) => taken === '*' && local === '*');
      if (!(star || (whole && wanted.names.length === 0))) continue;
      const found = await this.#throughInclude(wanted, path, outline, name, depth);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async #throughInclude(wanted: Import, path: string, outline: Outline, name: string, depth: number) {
    const paths = await this.#paths(wanted, path, outline);
    const given = (await this.exported(paths, name, depth + 1)) ?? (await this.#static(wanted, paths, name, outline));
    if (given !== undefined || !/^(c|cpp|ruby)$/.test(outline.language) || depth >= DEEPEST_INCLUDE) return given;
    for (const file of paths) {
      const other = await this.#tree.outline(file);
      const found = other && (await this.#included(file, other, name, depth + 1));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** `import static a.Tools.twice` (Java) takes a member of a class. */
  async #static(
    { specifier }: Import,
    paths: readonly string[],
    name: string,
    { language }: Outline,
  ): Promise<Entity | undefined> {
    if (language !== 'java') return undefined;
    const type = specifier.slice(specifier.lastIndexOf('.') + 1);
    for (const path of paths) {
      const symbols = (await this.#tree.outline(path))?.symbols ?? [];
      const symbol = symbols.findIndex((each) => each.name === name && symbols[each.parent ?? -1]?.name === type);
      if (symbol >= 0) return { kind: 'symbol', path, symbol };
    }
    return undefined;
  }

  /** A member that stands outside of its type's file: methods of Go and Rust, bodies of C++. */
  async memberElsewhere(path: string, outline: Outline, owner: CodeSymbol, name: string): Promise<Entity | undefined> {
    if (outline.language !== 'go') return undefined;
    for (const file of await packageFiles(this.#tree, folderOf(path))) {
      const symbols = (await this.#tree.outline(file))?.symbols ?? [];
      const symbol = symbols.findIndex((other) => other.owner === owner.name && other.name === name);
      if (symbol >= 0) return { kind: 'symbol', path: file, symbol };
    }
    return undefined;
  }
}

function isScript({ language }: Outline): boolean {
  return language === 'typescript' || language === 'tsx' || language === 'javascript';
}

/** Where the language has words for what is exported, the others cannot have it. */
function isGiven(outline: Outline, symbol: number): boolean {
  if (!isScript(outline)) return true;
  return outline.symbols[symbol]?.exported === true;
}

/** Symbols of the file itself, or of a namespace that spans it; of several, one with a body, and a type where one is asked for. */
function topSymbol(outline: Outline, name: string, type: boolean): number | undefined {
  let found: number | undefined;
  for (const [index, symbol] of outline.symbols.entries()) {
    if (symbol.name !== name || symbol.owner !== undefined || !isTop(outline, symbol)) continue;
    if (found === undefined) found = index;
    else if (type && isTypeLike(symbol.kind) && !isTypeLike(outline.symbols[found]?.kind ?? 'module')) found = index;
    else if (!type && symbol.kind !== 'interface' && outline.symbols[found]?.kind === 'interface') found = index;
  }
  return found;
}

function isTop(outline: Outline, { parent, kind }: CodeSymbol): boolean {
  if (parent === undefined) return true;
  const outer = outline.symbols[parent];
  // A namespace of C++ may be left out inside of it; in Ruby that holds for its classes, not for its methods.
  const open = outline.language === 'cpp' || (outline.language === 'ruby' && kind !== 'method');
  return open && outer?.kind === 'module' && isTop(outline, outer);
}

function moduleName(path: string): string {
  if (languageOf(path) === 'python') return pythonModuleName(path);
  const base = baseOf(path).replace(/\.rs$/, '');
  return base === 'mod' ? baseOf(folderOf(path)) : base;
}
