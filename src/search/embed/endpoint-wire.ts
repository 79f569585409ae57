/** What the two kinds of endpoint are sent, and how their answers are read. A wrong answer is an error, never a vector. Pure. */
import { unit } from '../vector.ts';
import type { Endpoint } from './choice.ts';

const PATHS = { openai: 'embeddings', ollama: 'api/embed' };

/** The URL with the path added; a query that it has, such as a version of the interface, stays. */
export function targetOf({ provider, url }: Endpoint): URL {
  const target = new URL(url);
  target.pathname = `${url.pathname.replace(/\/+$/, '')}/${PATHS[provider]}`;
  return target;
}

export function bodyOf({ provider, model, dimensions }: Endpoint, texts: readonly string[]): Record<string, unknown> {
  return {
    model,
    input: texts,
    ...(provider === 'ollama' && { truncate: true }),
    ...(dimensions > 0 && { dimensions }),
  };
}

/** Unit vectors in the order of the texts, all of the same length. Throws what is wrong with the answer. */
export function vectorsIn(answer: unknown, provider: Endpoint['provider'], count: number): Float32Array[] {
  const lists = provider === 'openai' ? byIndex(fieldOf(answer, 'data'), count) : fieldOf(answer, 'embeddings');
  if (!Array.isArray(lists)) throw new Error('it holds no embeddings');
  if (lists.length !== count) throw new Error(`it holds ${lists.length} embeddings for ${count} texts`);
  const vectors = lists.map(vectorOf);
  const lengths = new Set(vectors.map(({ length }) => length));
  if (lengths.size > 1) throw new Error(`its embeddings have ${[...lengths].join(' and ')} dimensions`);
  return vectors;
}

/** They may come in any order; each place once. */
function byIndex(data: unknown, count: number): unknown {
  if (!Array.isArray(data)) return undefined;
  const ordered = new Map<number, unknown>();
  for (const item of data) {
    const index = fieldOf(item, 'index');
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count || ordered.has(index)) {
      throw new Error('its embeddings are not numbered from 0 on, each once');
    }
    ordered.set(index, fieldOf(item, 'embedding'));
  }
  return [...ordered].sort(([one], [other]) => one - other).map(([, embedding]) => embedding);
}

function vectorOf(list: unknown): Float32Array {
  if (!Array.isArray(list) || list.length === 0) throw new Error('one of its embeddings is not a list of numbers');
  if (!list.every((value) => typeof value === 'number'))
    throw new Error('one of its embeddings holds what is no number');
  const vector = unit(Float32Array.from(list));
  if (!vector.every(Number.isFinite)) throw new Error('one of its embeddings holds a number out of range');
  if (!vector.some((value) => value !== 0)) throw new Error('one of its embeddings is zero, and has no direction');
  return vector;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
