/**
 * Keeps an answer within its cap. Lists lose items from their end and long texts theirs, the largest ones first and as
 * little as is needed; what was left out is said, with the way to get the rest. Sizes are taken once, so that a large
 * result costs one walk and then only what is kept of it.
 */
import { render } from './text.ts';

export interface Capped {
  readonly result: unknown;
  readonly truncated: boolean;
}

/** One place where something was left out: of `of` items, characters or fields, the first `kept` are there. */
interface Omission {
  readonly path: string;
  readonly kept: number;
  readonly of: number;
}

/** Bytes of JSON: as it is, and with every list empty and every long text cut as far as it may be. */
interface Size {
  readonly whole: number;
  readonly least: number;
}

/** A shorter text may be an id, a hash or a path, and half of one is a wrong one. */
const SHORTEST_CUT = 200;
const LONGEST_PATH = 100;

export function cap(result: unknown, limit: number, measure: (result: unknown) => number, rest?: string): Capped {
  if (typeof result !== 'object' || result === null || measure(result) <= limit) return { result, truncated: false };
  const whole = Array.isArray(result) ? { items: result } : (result as Record<string, unknown>);
  const cutter = new Cutter(whole);
  const places = Math.min(20, Math.max(2, Math.floor(limit / 2048)));
  const attempt = (budget: number): Record<string, unknown> => {
    const omitted: Omission[] = [];
    const kept = cutter.object(whole, budget, '', omitted);
    const more = omitted.length - places;
    return {
      ...kept,
      truncated: true,
      omitted: omitted.slice(0, places),
      ...(more > 0 && { omittedElsewhere: more }),
      rest: rest ?? 'Ask for less: most operations take limit and offset.',
    };
  };
  let best = attempt(0);
  let fits = 0;
  for (let tooMuch = limit; tooMuch - fits > limit / 128; ) {
    const budget = Math.floor((fits + tooMuch) / 2);
    const answer = attempt(budget);
    if (measure(answer) > limit) tooMuch = budget;
    else [fits, best] = [budget, answer];
  }
  return { result: best, truncated: true };
}

/** Bytes of a `tools/call` answer: text and structured content together. */
export function answerSize(result: unknown): number {
  return jsonSize(result) + Buffer.byteLength(render(result));
}

export function jsonSize(result: unknown): number {
  return Buffer.byteLength(JSON.stringify(result) ?? '');
}

/** Builds versions of a value that keep to a budget of bytes, from sizes that are computed once. */
class Cutter {
  readonly #sizes = new Map<object, Size>();

  constructor(whole: object) {
    this.#size(whole);
  }

  /** Each field gets the same share, at least what it cannot do without and at most what it is; the level is searched. */
  object(value: Record<string, unknown>, budget: number, path: string, omitted: Omission[]): Record<string, unknown> {
    const fields = this.#fields(value);
    const least = fields.reduce((sum, { size }) => sum + size.least, 2);
    if (least > budget) return this.#fewerFields(fields, budget, path, omitted);
    const share = (level: number) => ({ size }: Field) => Math.min(Math.max(level, size.least), size.whole);
    let level = 0;
    for (let step = 2 ** Math.ceil(Math.log2(budget + 1)); step >= 1; step /= 2) {
      const need = fields.map(share(level + step)).reduce((sum, bytes) => sum + bytes, 2);
      if (need <= budget) level += step;
    }
    return Object.fromEntries(
      fields.map((field) => {
        const bytes = share(level)(field) - field.overhead;
        return [field.key, this.#value(field.value, bytes, join(path, field.key), omitted)];
      }),
    );
  }

  /** The last resort, for objects that are large by the number of their fields: the smallest stay. */
  #fewerFields(fields: readonly Field[], budget: number, path: string, omitted: Omission[]): Record<string, unknown> {
    const kept = new Set<Field>();
    let used = 2;
    for (const field of [...fields].sort((a, b) => a.size.least - b.size.least)) {
      if (used + field.size.least > budget) break;
      kept.add(field);
      used += field.size.least;
    }
    omitted.push({ path: shortened(path), kept: kept.size, of: fields.length });
    return Object.fromEntries(
      fields
        .filter((field) => kept.has(field))
        .map(({ key, value, size, overhead }) => [key, this.#value(value, size.least - overhead, join(path, key), omitted)]),
    );
  }

  #value(value: unknown, budget: number, path: string, omitted: Omission[]): unknown {
    if (this.#size(value).whole <= budget) return value;
    if (typeof value === 'string') return cutText(value, budget, path, omitted);
    if (Array.isArray(value)) return this.#list(value, budget, path, omitted);
    return typeof value === 'object' && value !== null
      ? this.object(value as Record<string, unknown>, budget, path, omitted)
      : value;
  }

  /** As many whole items as there is room for; one that takes more than half of the room alone is cut itself. */
  #list(items: readonly unknown[], budget: number, path: string, omitted: Omission[]): unknown[] {
    const kept: unknown[] = [];
    const inside: Omission[] = [];
    let room = budget - 2;
    for (const item of items) {
      const { whole, least } = this.#size(item);
      if (whole + 1 > room) {
        if (whole > budget / 2 && least + 1 <= room) kept.push(this.#value(item, room - 1, `${path}[${kept.length}]`, inside));
        break;
      }
      kept.push(item);
      room -= whole + 1;
    }
    if (kept.length < items.length) omitted.push({ path: shortened(path), kept: kept.length, of: items.length });
    omitted.push(...inside);
    return kept;
  }

  #fields(value: Record<string, unknown>): Field[] {
    return Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => {
        const overhead = jsonSize(key) + 2;
        const { whole, least } = this.#size(item);
        return { key, value: item, overhead, size: { whole: whole + overhead, least: least + overhead } };
      });
  }

  #size(value: unknown): Size {
    if (typeof value === 'string') return textSize(value);
    if (typeof value !== 'object' || value === null) return equal(jsonSize(value ?? null));
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    const size = Array.isArray(value) ? this.#listSize(value) : this.#objectSize(value as Record<string, unknown>);
    this.#sizes.set(value, size);
    return size;
  }

  #listSize(items: readonly unknown[]): Size {
    return { whole: items.reduce((sum: number, item) => sum + this.#size(item).whole + 1, 2), least: 2 };
  }

  #objectSize(value: Record<string, unknown>): Size {
    const sizes = this.#fields(value).map(({ size }) => size);
    return {
      whole: sizes.reduce((sum, { whole }) => sum + whole, 2),
      least: sizes.reduce((sum, { least }) => sum + least, 2),
    };
  }
}

interface Field {
  readonly key: string;
  readonly value: unknown;
  /** Bytes of the key and what stands around it. */
  readonly overhead: number;
  readonly size: Size;
}
