/** Finds what an expression of one file stands for, through imports, members, bases and the types that are written down. */
import type { Entity, Target } from './entity.ts';
import { type Expression, readExpression } from './expression.ts';
import { ModuleNames } from './module-names.ts';
import type { CodeSymbol, Outline } from './outline.ts';
import { isCallable, isTypeLike } from './symbols.ts';
import type { Tree } from './tree.ts';

/** Chains of aliases, bases and re-exports that are longer are given up. */
const DEEPEST = 12;
/** Methods of lists and maps that give one of what they hold, or hold the same still. */
const giveElement = /^\.(get|at|find|findLast|pop|shift|next)$/;
const giveSame = /^\.(filter|slice|values|toSorted|toReversed|reverse|sort|concat)$/;

export class Evaluator {
  readonly #tree: Tree;
  readonly #names: ModuleNames;
  readonly #known = new Map<string, Entity | undefined>();

  constructor(tree: Tree) {
    this.#tree = tree;
    this.#names = new ModuleNames(tree);
  }

  /** The symbol that an expression calls, if it is one that can be called. */
  async called(path: string, callee: string, caller?: number): Promise<Target | undefined> {
    const entity = await this.#memoised(path, callee, caller);
    return entity === undefined ? undefined : this.#callable(entity, 0);
  }

  /** The type that is meant by the name of a base. */
  async base(path: string, name: string, depth = 0): Promise<Target | undefined> {
    const entity = await this.#evaluate(path, name, depth);
    if (entity?.kind !== 'symbol') return undefined;
    const symbol = await this.#symbol(entity);
    if (symbol === undefined) return undefined;
    return isTypeLike(symbol.kind) || symbol.kind === 'module'
      ? { path: entity.path, symbol: entity.symbol }
      : undefined;
  }

  async #memoised(path: string, text: string, caller?: number): Promise<Entity | undefined> {
    const key = `${path}\n${text}\n${text.includes('.') ? '' : caller}`;
    if (!this.#known.has(key)) this.#known.set(key, await this.#evaluate(path, text, 0, caller));
    return this.#known.get(key);
  }

  async #evaluate(path: string, text: string, depth: number, caller?: number): Promise<Entity | undefined> {
    if (text.startsWith('=>')) return { kind: 'function', path, gives: text.slice(2) };
    const expression = depth > DEEPEST ? undefined : readExpression(text);
    const outline = expression && (await this.#tree.outline(path));
    if (expression === undefined || outline === undefined) return undefined;
    const start = await this.#names.root(path, outline, expression);
    let entity = start?.entity ?? (await this.#bareMember(path, outline, expression.root, caller, depth));
    let rest = expression.steps.slice(start?.steps ?? 0);
    if (expression.root.startsWith(':')) {
      [entity, rest] = await this.#typed(entity, rest, depth);
    }
    const found = await this.#follow(entity, rest, depth);
    if (found !== undefined || start === undefined) return found;
    return (await this.#isNamespace(outline, start.entity))
      ? this.#evaluate(path, withoutRoot(expression), depth + 1)
      : found;
  }

  async #follow(start: Entity | undefined, steps: readonly string[], depth: number): Promise<Entity | undefined> {
    let entity = start;
    for (let at = 0; at < steps.length && entity !== undefined; at++) {
      const step = steps[at] ?? '';
      const list = await this.#listStep(entity, step, steps[at + 1], depth);
      if (list !== undefined) at++;
      entity = list ?? (await this.#step(entity, step, depth));
    }
    return entity;
  }

  /** A namespace may be spread over files, so what it holds is looked for as if it stood at the top of them. */
  async #isNamespace({ language }: Outline, entity: Entity): Promise<boolean> {
    if (!/^(cpp|ruby)$/.test(language) || entity.kind !== 'symbol') return false;
    return (await this.#symbol(entity))?.kind === 'module';
  }

  /** A type may be named by its module or by the type around it; from there on, the steps are those of a value. */
  async #typed(start: Entity | undefined, steps: string[], depth: number): Promise<[Entity | undefined, string[]]> {
    let entity = start;
    let at = 0;
    for (; entity !== undefined && at < steps.length && steps[at]?.startsWith('.'); at++) {
      const inner: Entity | undefined = await this.#step(entity, steps[at] ?? '', depth);
      const symbol = inner?.kind === 'symbol' ? await this.#symbol(inner) : undefined;
      if (entity.kind !== 'module' && (symbol === undefined || !isTypeLike(symbol.kind))) break;
      entity = inner;
    }
    const value = entity?.kind === 'symbol' ? await this.#asValue(entity, depth) : entity;
    return [value, steps.slice(at)];
  }

  async #asValue(entity: Target, depth: number): Promise<Entity | undefined> {
    const { path, symbol: index } = entity;
    const outline = await this.#tree.outline(path);
    const symbol = outline?.symbols[index];
    if (symbol === undefined || outline === undefined) return undefined;
    const alias = symbol.kind === 'type' && symbol.type !== undefined && !hasMembers(outline, index);
    if (alias) return this.#evaluate(path, symbol.type ?? '', depth + 1);
    return isTypeLike(symbol.kind) ? { kind: 'value', path, symbol: index, lists: 0 } : undefined;
  }

  async #listStep(entity: Entity, step: string, next: string | undefined, depth: number): Promise<Entity | undefined> {
    if (next !== '()' || !(giveElement.test(step) || giveSame.test(step))) return undefined;
    const value = await this.#valueOf(entity, depth);
    if (value?.kind !== 'value' || value.lists === 0) return undefined;
    return giveElement.test(step) ? { ...value, lists: value.lists - 1 } : value;
  }

  async #step(entity: Entity, step: string, depth: number): Promise<Entity | undefined> {
    if (step === '()') return this.#result(entity, depth);
    if (step === '[]' || step === '*') {
      const value = await this.#valueOf(entity, depth);
      const lists = value?.kind === 'value' ? value.lists + (step === '*' ? 1 : -1) : -1;
      return value?.kind === 'value' && lists >= 0 ? { ...value, lists } : undefined;
    }
    const name = step.slice(1);
    if (entity.kind === 'module') return this.#names.exported(entity.paths, name);
    if (entity.kind === 'function') return undefined;
    const member = await this.#member(entity, name, depth);
    if (member !== undefined || entity.kind !== 'symbol') return member;
    const value = await this.#valueOf(entity, depth);
    return value === undefined || value === entity ? undefined : this.#step(value, step, depth + 1);
  }

  /** What a call of it gives. */
  async #result(entity: Entity, depth: number): Promise<Entity | undefined> {
    if (depth > DEEPEST) return undefined;
    if (entity.kind === 'function')
      return entity.gives === '' ? undefined : this.#evaluate(entity.path, entity.gives, depth + 1);
    if (entity.kind === 'module') return this.#resultOf(await this.#names.exported(entity.paths, 'default'), depth);
    // `super()` gives what `super` is.
    if (entity.kind === 'value') return entity;
    const symbol = await this.#symbol(entity);
    if (symbol === undefined) return undefined;
    if (symbol.kind === 'class' || symbol.kind === 'struct' || (await this.#hasPrototype(entity)))
      return { kind: 'value', path: entity.path, symbol: entity.symbol, lists: 0 };
    if (symbol.type === undefined) return undefined;
    const given = await this.#evaluate(entity.path, symbol.type, depth + 1);
    return symbol.kind === 'function' || symbol.kind === 'method' ? given : this.#resultOf(given, depth);
  }

  /** A function of JavaScript that has methods is a class. */
  async #hasPrototype({ path, symbol }: Target): Promise<boolean> {
    const outline = await this.#tree.outline(path);
    if (outline?.language !== 'javascript' || outline.symbols[symbol]?.kind !== 'function') return false;
    return outline.symbols.some((other) => other.parent === symbol && other.kind === 'method');
  }

  #resultOf(entity: Entity | undefined, depth: number): Promise<Entity | undefined> {
    return entity === undefined ? Promise.resolve(undefined) : this.#result(entity, depth + 1);
  }

  /** The value that a variable or a field holds, where its type or its origin is known. */
  async #valueOf(entity: Entity, depth: number): Promise<Entity | undefined> {
    if (entity.kind !== 'symbol' || depth > DEEPEST) return entity;
    const symbol = await this.#symbol(entity);
    if (symbol === undefined || !/^(field|variable|constant)$/.test(symbol.kind)) return entity;
    const held = symbol.type === undefined ? undefined : await this.#evaluate(entity.path, symbol.type, depth + 1);
    return held === undefined ? undefined : this.#valueOf(held, depth + 1);
  }

  async #member(entity: Target & { lists?: number }, name: string, depth: number): Promise<Entity | undefined> {
    if ((entity.lists ?? 0) > 0 || depth > DEEPEST) return undefined;
    const outline = await this.#tree.outline(entity.path);
    const owner = outline?.symbols[entity.symbol];
    if (outline === undefined || owner === undefined) return undefined;
    if (name === 'super') return this.#superOf(entity, outline, depth);
    const own = outline.symbols.findIndex((symbol) => symbol.parent === entity.symbol && symbol.name === name);
    if (own >= 0) return { kind: 'symbol', path: entity.path, symbol: own };
    const elsewhere = await this.#names.memberElsewhere(entity.path, outline, owner, name);
    if (elsewhere !== undefined) return elsewhere;
    for (const { symbol, base } of outline.inherits) {
      if (symbol !== entity.symbol) continue;
      const target = await this.base(entity.path, base, depth + 1);
      const found = target && (await this.#member(target, name, depth + 1));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  async #superOf(entity: Target, outline: Outline, depth: number): Promise<Entity | undefined> {
    for (const { symbol, base } of outline.inherits) {
      const target = symbol === entity.symbol ? await this.base(entity.path, base, depth + 1) : undefined;
      if (target !== undefined) return { kind: 'value', ...target, lists: 0 };
    }
    return undefined;
  }

  /** A member that is named without its object, in languages that allow it; it may be a base's. */
  async #bareMember(path: string, outline: Outline, name: string, caller: number | undefined, depth: number) {
    if (caller === undefined || !/^(java|csharp|cpp|ruby)$/.test(outline.language)) return undefined;
    for (let at: number | undefined = caller; at !== undefined; at = outline.symbols[at]?.parent) {
      const { kind, owner } = outline.symbols[at] ?? {};
      const type = owner === undefined ? { path, symbol: at } : await this.base(path, owner, depth + 1);
      if (type === undefined || (owner === undefined && (kind === undefined || !isTypeLike(kind)))) continue;
      const member = await this.#member(type, name, depth);
      if (member !== undefined) return member;
    }
    return undefined;
  }

  async #callable(entity: Entity, depth: number): Promise<Target | undefined> {
    if (depth > DEEPEST || entity.kind === 'function') return undefined;
    if (entity.kind === 'module') {
      const main = await this.#names.exported(entity.paths, 'default');
      return main === undefined || main.kind === 'module' ? undefined : this.#callable(main, depth + 1);
    }
    const symbol = await this.#symbol(entity);
    if (symbol === undefined) return undefined;
    const { path, symbol: index } = entity;
    if (isCallable(symbol.kind)) return { path, symbol: index };
    if (entity.kind === 'value' || symbol.type === undefined) return undefined;
    // A property that is declared as a function.
    if (symbol.type.startsWith('=>')) return symbol.kind === 'field' ? { path, symbol: index } : undefined;
    const alias =
      /^(field|variable|constant)$/.test(symbol.kind) && (await this.#evaluate(path, symbol.type, depth + 1));
    return alias && alias.kind === 'symbol' ? this.#callable(alias, depth + 1) : undefined;
  }

  async #symbol({ path, symbol }: Target): Promise<CodeSymbol | undefined> {
    return (await this.#tree.outline(path))?.symbols[symbol];
  }
}

function withoutRoot({ root, steps }: Expression): string {
  return (root.startsWith(':') ? ':' : '') + steps.join('').replace(/^\./, '');
}

function hasMembers(outline: Outline, index: number): boolean {
  return outline.symbols.some(({ parent }) => parent === index);
}
