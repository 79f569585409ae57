/**
 * Keeps an answer within its cap. Lists lose items from their end and long texts their end, the largest ones first and
 * no more than is needed; what was left out is said, with the way to get the rest. Sizes are taken once, so that a large
 * result costs one walk, and then only what is kept of it.
 */
import { render } from './text.ts';

export interface Capped {
  readonly result: unknown;
  readonly truncated: boolean;
}

/** A place where something was left out: of `of` items, characters or fields, `kept` are there. */
interface Omission {
  readonly path: string;
  readonly kept: number;
  readonly of: number;
}

type Fields = Readonly<Record<string, unknown>>;

export function cap(result: unknown, limit: number, measure: (result: unknown) => number, rest?: string): Capped {
  const size = measure(result);
  if (typeof result !== 'object' || result === null || size <= limit) return { result, truncated: false };
  const whole = Array.isArray(result) ? { items: result } : (result as Fields);
  const cutter = new Cutter();
  const places = Math.min(20, Math.max(2, Math.floor(limit / 2048)));
  const answerOf = (budget: number): Fields => {
    const omitted: Omission[] = [];
    const kept = cutter.object(whole, budget, '', omitted);
    return {
      ...kept,
      truncated: true,
      omitted: omitted.slice(0, places),
      ...(omitted.length > places && { omittedElsewhere: omitted.length - places }),
      rest: rest ?? 'Ask for less: most operations take limit and offset.',
    };
  };
  // The text grows with the JSON: most answers fit at the first guess or the second, and each guess is measured whole.
  const { whole: bytes, least } = cutter.sizeOf(whole);
  for (const share of [1, 0.96]) {
    const budget = Math.floor((limit * share * bytes) / size);
    const answer = budget < least ? undefined : answerOf(budget);
    if (answer !== undefined && measure(answer) <= limit) return { result: answer, truncated: true };
  }
  let best = answerOf(0);
  let fitting = 0;
  let tooMuch = limit;
  // Whether lists and texts are enough is asked first; then the budget is narrowed to within a hundredth of the cap.
  for (let budget = Math.min(least, limit - 1); tooMuch - fitting > limit / 128; ) {
    const answer = answerOf(budget);
    if (measure(answer) > limit) tooMuch = budget;
    else [fitting, best] = [budget, answer];
    budget = Math.floor((fitting + tooMuch) / 2);
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

/** Bytes of JSON: as the value is, and with every list empty and every long text as short as it may become. */
interface Size {
  readonly whole: number;
  readonly least: number;
}

interface Field {
  readonly key: string;
  readonly value: unknown;
  /** Bytes of the key and of what stands around it; `size` includes them. */
  readonly around: number;
  readonly size: Size;
}

/** The fields of an object that is being cut: in their order, and the smallest first. */
interface Opened {
  readonly fields: readonly Field[];
  readonly ascending: readonly Field[];
}

/** A text that is not longer may be an id, a hash or a path, and half of one is a wrong one. */
const SHORTEST_CUT = 200;

/** Builds versions of a value that keep to a number of bytes. */
class Cutter {
  readonly #sizes = new Map<unknown, Size>();
  readonly #opened = new Map<Fields, Opened>();

  /** Every field gets the same share, but no less than it cannot do without and no more than it needs. */
  object(value: Fields, budget: number, path: string, omitted: Omission[]): Fields {
    const opened = this.#open(value);
    if (this.sizeOf(value).least > budget) return this.#fewer(opened, budget, path, omitted);
    const { fields } = opened;
    const bytes = ({ size }: Field, share: number) => Math.min(Math.max(share, size.least), size.whole);
    let share = 0;
    for (let step = 2 ** Math.ceil(Math.log2(budget + 1)); step >= 1; step /= 2) {
      if (fields.reduce((sum, field) => sum + bytes(field, share + step), 2) <= budget) share += step;
    }
    const kept = fields.map((field) => [field.key, this.#field(field, bytes(field, share), path, omitted)]);
    return continued(value, Object.fromEntries(kept));
  }

  /** The last resort, where an object is large by the number of its fields: the smallest stay. */
  #fewer({ fields, ascending }: Opened, budget: number, path: string, omitted: Omission[]): Fields {
    const kept = new Map<Field, unknown>();
    let room = budget - 2;
    for (const field of ascending) {
      const bytes = Math.min(field.size.least, room);
      if (bytes < field.size.least && (!isFields(field.value) || bytes < field.around + SHORTEST_CUT)) break;
      kept.set(field, this.#field(field, bytes, path, omitted));
      room -= bytes;
    }
    if (kept.size < fields.length) omitted.push(omission(path, kept.size, fields.length));
    return Object.fromEntries(fields.filter((field) => kept.has(field)).map((field) => [field.key, kept.get(field)]));
  }

  #open(value: Fields): Opened {
    let opened = this.#opened.get(value);
    if (opened === undefined) {
      const fields = this.#fields(value);
      opened = { fields, ascending: [...fields].sort((a, b) => a.size.least - b.size.least) };
      this.#opened.set(value, opened);
    }
    return opened;
  }

  #field({ key, value, around }: Field, budget: number, path: string, omitted: Omission[]): unknown {
    return this.#cut(value, budget - around, path === '' ? key : `${path}.${key}`, omitted);
  }

  #cut(value: unknown, budget: number, path: string, omitted: Omission[]): unknown {
    if (this.sizeOf(value).whole <= budget) return value;
    if (typeof value === 'string') return this.#text(value, budget, path, omitted);
    if (Array.isArray(value)) return this.#list(value, budget, path, omitted);
    return isFields(value) ? this.object(value, budget, path, omitted) : value;
  }

  /** As many whole items as there is room for; an item that needs more than half of the room alone is cut itself. */
  #list(items: readonly unknown[], budget: number, path: string, omitted: Omission[]): unknown[] {
    const kept: unknown[] = [];
    const within: Omission[] = [];
    let room = budget - 2;
    for (const item of items) {
      const { whole, least } = this.sizeOf(item);
      const fits = whole < room;
      if (!fits && (whole <= budget / 2 || least >= room)) break;
      kept.push(fits ? item : this.#cut(item, room - 1, `${path}[${kept.length}]`, within));
      if (!fits) break;
      room -= whole + 1;
    }
    if (kept.length < items.length) omitted.push(omission(path, kept.length, items.length));
    omitted.push(...within);
    return kept;
  }

  #text(text: string, budget: number, path: string, omitted: Omission[]): string {
    let kept = SHORTEST_CUT;
    let tooLong = Math.min(text.length, budget);
    if (text.length <= kept) return text;
    while (tooLong - kept > 1) {
      const middle = Math.floor((kept + tooLong) / 2);
      if (jsonSize(text.slice(0, middle)) <= budget) kept = middle;
      else tooLong = middle;
    }
    const start = wholeCharacters(text.slice(0, kept));
    omitted.push(omission(path, start.length, text.length));
    return start;
  }

  sizeOf(value: unknown): Size {
    if (!isLarge(value)) return both(jsonSize(value ?? null));
    let size = this.#sizes.get(value);
    if (size === undefined) {
      size = this.#measured(value);
      this.#sizes.set(value, size);
    }
    return size;
  }

  #measured(value: string | object): Size {
    if (typeof value === 'string') return { whole: jsonSize(value), least: jsonSize(value.slice(0, SHORTEST_CUT)) };
    if (Array.isArray(value))
      return { whole: value.reduce((sum, item) => sum + this.sizeOf(item).whole + 1, 2), least: 2 };
    const sizes = this.#fields(value as Fields).map(({ size }) => size);
    const sum = (of: keyof Size) => sizes.reduce((total, size) => total + size[of], 2);
    return { whole: sum('whole'), least: sum('least') };
  }

  #fields(value: Fields): Field[] {
    return Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => {
        const around = jsonSize(key) + 2;
        const { whole, least } = this.sizeOf(item);
        return { key, value: item, around, size: { whole: whole + around, least: least + around } };
      });
  }
}

function both(size: number): Size {
  return { whole: size, least: size };
}

/** What may be cut, and is worth measuring once. */
function isLarge(value: unknown): value is string | object {
  return typeof value === 'string' ? value.length > SHORTEST_CUT : typeof value === 'object' && value !== null;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A page of a content that is cut ends earlier than it says: what follows begins there. */
function continued(whole: Fields, kept: Fields): Fields {
  const { content, offset, unit, encoding } = kept;
  if (typeof content !== 'string' || typeof offset !== 'number' || content === whole.content) return kept;
  // Four letters of base64 are three bytes, and only together.
  const page = encoding === 'base64' ? content.slice(0, content.length - (content.length % 4)) : content;
  const length =
    encoding === 'base64' ? (page.length / 4) * 3 : unit === 'characters' ? page.length : Buffer.byteLength(page);
  return { ...kept, content: page, next_offset: offset + length };
}

/** Not half of a character that takes two units. */
function wholeCharacters(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}

/** Names of fields may come from a caller and be of any length. */
function omission(path: string, kept: number, of: number): Omission {
  return { path: path.length > 100 ? `${path.slice(0, 100)}…` : path, kept, of };
}
