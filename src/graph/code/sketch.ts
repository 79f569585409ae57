/**
 * An outline while its source is read from front to back: the scopes that are open, and what was found so far. Names are looked up
 * at the end, because a function may be called above its declaration.
 */
import type { Node } from './grammar.ts';
import type { Call, CodeSymbol, Export, Import, ImportedName, Inheritance, Language, Outline } from './outline.ts';
import { type BareMembers, closed, type Scope, type ScopeKind } from './scope.ts';
import { isTypeLike } from './symbols.ts';

export interface Definition {
  readonly name: string;
  readonly kind: CodeSymbol['kind'];
  readonly node: Node;
  /** Others can have it, if they can have what it is a part of. */
  readonly exported?: boolean;
  readonly type?: string | undefined;
  /** The type it belongs to, by name, when it stands outside of that type's body. */
  readonly owner?: string | undefined;
  readonly parent?: number | undefined;
  /** Defined inside a function, but no name of its own there: `self.total = …`. */
  readonly inner?: boolean;
  /** A signature without a body, which a later definition of the same name completes. */
  readonly signature?: boolean;
}

interface CallSite {
  readonly name: string;
  readonly receiver?: string | undefined;
  readonly line: number;
  readonly scope: Scope;
  readonly callee: string | undefined;
}

/** A definition without its node, which would keep the tree. */
interface Draft extends Omit<Definition, 'node' | 'inner'> {
  readonly scope: Scope;
  readonly line: number;
  endLine: number;
}

const LONGEST_RECEIVER = 80;
const LONGEST_MEANING = 2000;

export class Sketch {
  readonly text: string;
  readonly language: Language;
  namespace: string | undefined;
  scope: Scope;

  readonly #bare: BareMembers | undefined;
  readonly #symbols: Draft[] = [];
  readonly #imports: Import[] = [];
  readonly #calls: CallSite[] = [];
  readonly #inherits: Inheritance[] = [];
  readonly #exports: Export[] = [];
  readonly #later: { type: string; base: string }[] = [];

  constructor(language: Language, text: string, { bareMembers = false }: { bareMembers?: boolean } = {}) {
    this.language = language;
    this.text = text;
    // The type itself, and not its constructor, which is called the same.
    if (bareMembers)
      this.#bare = (type, name) => (this.#symbols[type]?.name === name ? type : this.memberOf(type, name));
    this.scope = { kind: 'file', end: Number.POSITIVE_INFINITY, names: new Map() };
  }

  textOf(node: Node): string {
    return this.text.slice(node.startIndex, node.endIndex);
  }

  /** Too much text for a value or a type that could be made sense of; also what ends recursion into long chains. */
  isLong(node: Node): boolean {
    return node.endIndex - node.startIndex > LONGEST_MEANING;
  }

  textOfField(node: Node, field: string): string | undefined {
    const child = node.childForFieldName(field);
    return child === null ? undefined : this.textOf(child);
  }

  /** Closes the scopes that end before a place. */
  moveTo(index: number): void {
    while (this.scope.end <= index && this.scope.outer !== undefined) this.scope = this.scope.outer;
  }

  open(node: Node, kind: ScopeKind, symbol: number | undefined = this.scope.symbol): void {
    this.scope = {
      kind,
      end: node.endIndex,
      outer: this.scope,
      names: new Map(),
      ...(symbol === undefined ? {} : { symbol }),
    };
  }

  /** The symbol in whose body the current place lies. */
  get enclosing(): Draft | undefined {
    return this.scope.symbol === undefined ? undefined : this.#symbols[this.scope.symbol];
  }

  symbolAt(index: number): Draft | undefined {
    return this.#symbols[index];
  }

  /** A new symbol, known by its name in the scope that encloses it. Members of types have no name of their own there. */
  define(definition: Definition): number {
    const { node, name, kind, exported = false, type, owner, signature = false } = definition;
    const known = this.#completes(definition);
    if (known !== undefined) return known;
    const index = this.#symbols.length;
    this.#symbols.push({
      name,
      kind,
      exported,
      type,
      owner,
      signature,
      parent: definition.parent ?? (owner === undefined ? this.scope.symbol : undefined),
      scope: this.scope,
      line: node.startPosition.row + 1,
      endLine: node.endPosition.row + 1,
    });
    const lexical = this.scope.kind !== 'type' || this.enclosing?.kind === 'module';
    const named = lexical && owner === undefined && definition.inner !== true;
    if (named && !this.scope.names.has(name)) this.scope.names.set(name, { symbol: index });
    return index;
  }

  /** The symbol of a signature of which this is a further signature or the body. */
  #completes({ name, node, kind }: Definition): number | undefined {
    const last = this.#symbols.length - 1;
    for (let index = last; index >= Math.max(0, last - 3); index--) {
      const earlier = this.#symbols[index];
      if (earlier?.signature !== true || earlier.name !== name || earlier.kind !== kind || earlier.scope !== this.scope)
        continue;
      earlier.endLine = node.endPosition.row + 1;
      return index;
    }
    return undefined;
  }

  bind(name: string, means: string | undefined, scope: Scope = this.scope): void {
    const known = scope.names.get(name);
    if (known === undefined) scope.names.set(name, { means });
    else if ('means' in known && known.means !== means) scope.names.set(name, { means: undefined });
  }

  /** The nearest scope of a function or of the file: where languages without blocks keep their names. */
  get functionScope(): Scope {
    let scope = this.scope;
    while (scope.kind !== 'function' && scope.kind !== 'file' && scope.outer !== undefined) scope = scope.outer;
    return scope;
  }

  /** At the top of the file, or of a namespace in it. */
  get atTop(): boolean {
    const kind = this.enclosing?.kind;
    return this.scope.kind !== 'function' && this.scope.kind !== 'block' && (kind === undefined || kind === 'module');
  }

  import(specifier: string, node: Node, names: readonly ImportedName[], reexported = false): number {
    const line = node.startPosition.row + 1;
    return this.#imports.push({ specifier, line, names, ...(reexported ? { reexported } : {}) }) - 1;
  }

  export(name: string, local: string): void {
    this.#exports.push({ name, local });
  }

  call(name: string, node: Node, callee: string | undefined, receiver?: string): void {
    const line = node.startPosition.row + 1;
    this.#calls.push({ name, line, scope: this.scope, callee, ...(receiver === undefined ? {} : { receiver }) });
  }

  inherit(symbol: number, base: string): void {
    if (base !== '') this.#inherits.push({ symbol, base });
  }

  /** Of a type that may be defined further down, or in another file; then nothing is noted. */
  inheritByName(type: string, base: string): void {
    this.#later.push({ type, base });
  }

  memberOf(type: number, name: string): number | undefined {
    const index = this.#symbols.findIndex((symbol) => symbol.parent === type && symbol.name === name);
    return index < 0 ? undefined : index;
  }

  /** The expression with every name of an inner scope replaced by what it stands for. */
  close(text: string, scope: Scope): string | undefined {
    return closed(text, scope, this.#bare);
  }

  finish(): Outline {
    const tops = this.#topTypes();
    for (const { type, base } of this.#later) {
      const symbol = tops.get(type);
      if (symbol !== undefined) this.inherit(symbol, base);
    }
    const given = new Set(this.#exports.map(({ local }) => local));
    const symbols: CodeSymbol[] = [];
    for (const draft of this.#symbols) symbols.push(this.#symbol(draft, tops, given, symbols));
    const calls = this.#calls.map((site) => this.#finishCall(site));
    return {
      language: this.language,
      symbols,
      imports: this.#imports,
      calls,
      inherits: this.#inherits,
      ...(this.#exports.length > 0 ? { exports: this.#exports } : {}),
      ...(this.namespace === undefined ? {} : { namespace: this.namespace }),
    };
  }

  #topTypes(): Map<string, number> {
    const tops = new Map<string, number>();
    // A function with a prototype is a class in all but name.
    const functions = this.language === 'javascript';
    for (const [index, { name, kind }] of this.#symbols.entries())
      if ((isTypeLike(kind) || (functions && kind === 'function')) && !tops.has(name)) tops.set(name, index);
    return tops;
  }

  #symbol(
    draft: Draft,
    tops: ReadonlyMap<string, number>,
    given: ReadonlySet<string>,
    before: readonly CodeSymbol[],
  ): CodeSymbol {
    const { name, kind, line, endLine, scope, owner } = draft;
    const type = draft.type === undefined ? undefined : this.close(draft.type, scope);
    const parent = draft.parent ?? (owner === undefined ? undefined : tops.get(owner));
    // Whoever cannot have the whole cannot have its parts.
    const outer = draft.parent === undefined ? undefined : before[draft.parent];
    const exported =
      outer === undefined ? draft.exported === true || given.has(name) : draft.exported === true && outer.exported;
    return {
      name,
      kind,
      line,
      endLine,
      exported,
      ...(parent === undefined ? {} : { parent }),
      ...(type === undefined ? {} : { type }),
      ...(owner === undefined || parent !== undefined ? {} : { owner }),
    };
  }

  #finishCall({ name, receiver, line, scope, callee }: CallSite): Call {
    return {
      name,
      ...(receiver === undefined ? {} : { receiver: short(receiver) }),
      line,
      ...(scope.symbol === undefined ? {} : { caller: scope.symbol }),
      callee: (callee === undefined ? undefined : this.close(callee, scope)) ?? '',
    };
  }
}

function short(receiver: string): string {
  const line = receiver
    .slice(0, 3 * LONGEST_RECEIVER)
    .replaceAll(/\s+/g, ' ')
    .replaceAll('?.', '.');
  return line.length > LONGEST_RECEIVER ? `${line.slice(0, LONGEST_RECEIVER - 1)}…` : line;
}
