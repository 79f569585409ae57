/**
 * Keeps an answer within its cap. The largest list (or, without one, the longest text) is halved until the answer fits;
 * what was left out is said, with the way to get the rest.
 */
import { render } from './text.ts';

export interface Capped {
  readonly result: unknown;
  readonly truncated: boolean;
}

type Container = Record<string, unknown> | unknown[];

interface Place {
  readonly parent: Container;
  readonly key: string | number;
  readonly path: string;
  readonly size: number;
}

const ROUNDS = 200;

export function cap(result: unknown, limit: number, measure: (result: unknown) => number, rest?: string): Capped {
  if (typeof result !== 'object' || result === null || measure(result) <= limit) return { result, truncated: false };
  const original = JSON.parse(JSON.stringify(result)) as Container;
  const whole: Record<string, unknown> = Array.isArray(original) ? { items: original } : original;
  const lengths = new Map<string, { kept: number; of: number }>();
  whole.truncated = true;
  whole.omitted = [];
  whole.rest = rest ?? 'Ask for less: most operations take limit and offset.';
  for (let round = 0; round < ROUNDS && measure(whole) > limit; round++) {
    const place = largest(whole);
    if (place === undefined) break;
    cut(place, lengths);
    whole.omitted = [...lengths].map(([path, { kept, of }]) => ({ path, kept, of }));
  }
  return { result: whole, truncated: true };
}

/** Bytes of a `tools/call` answer: text and structured content together. */
export function answerSize(result: unknown): number {
  return Buffer.byteLength(JSON.stringify(result) ?? '') + Buffer.byteLength(render(result));
}

export function jsonSize(result: unknown): number {
  return Buffer.byteLength(JSON.stringify(result) ?? '');
}

function cut({ parent, key, path }: Place, lengths: Map<string, { kept: number; of: number }>): void {
  const value = (parent as Record<string | number, unknown>)[key] as unknown[] | string;
  const kept = Math.floor(value.length / 2);
  (parent as Record<string | number, unknown>)[key] = value.slice(0, kept);
  lengths.set(path, { kept, of: lengths.get(path)?.of ?? value.length });
}

/** The list that holds most; a text only where no list is left to cut. */
function largest(whole: Container): Place | undefined {
  const lists: Place[] = [];
  const texts: Place[] = [];
  walk(whole, '', (place, value) => {
    if (Array.isArray(value) && value.length > 0) lists.push(place);
    else if (typeof value === 'string' && value.length > 200) texts.push(place);
  });
  const biggest = (places: Place[]) => places.sort((a, b) => b.size - a.size)[0];
  return biggest(lists.filter(({ path, size }) => path !== 'omitted' && size > 200)) ?? biggest(texts);
}

const DEPTH = 6;

function walk(parent: Container, prefix: string, visit: (place: Place, value: unknown) => void, depth = 0): void {
  for (const [key, value] of Object.entries(parent)) {
    const path = Array.isArray(parent) ? `${prefix}[${key}]` : prefix === '' ? key : `${prefix}.${key}`;
    visit({ parent, key, path, size: jsonSize(value) }, value);
    if (typeof value === 'object' && value !== null && depth < DEPTH) walk(value as Container, path, visit, depth + 1);
  }
}
