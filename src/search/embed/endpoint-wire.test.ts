import { describe, expect, it } from 'vitest';
import type { Endpoint } from './choice.ts';
import { bodyOf, targetOf, vectorsIn } from './endpoint-wire.ts';

const endpoint: Endpoint = {
  provider: 'openai',
  url: new URL('https://example.org/v1'),
  model: 'small',
  key: 'k',
  dimensions: 0,
};
const rounded = (vectors: readonly Float32Array[]) =>
  vectors.map((vector) => [...vector].map((v) => Math.round(v * 10)));

describe('a request', () => {
  it.each([
    ['openai', 'https://example.org/v1', 'https://example.org/v1/embeddings'],
    ['openai', 'https://example.org/v1/', 'https://example.org/v1/embeddings'],
    ['openai', 'https://example.org', 'https://example.org/embeddings'],
    ['openai', 'https://example.org/d?api-version=1', 'https://example.org/d/embeddings?api-version=1'],
    ['ollama', 'http://127.0.0.1:11434', 'http://127.0.0.1:11434/api/embed'],
  ] as const)('to %s at %s goes to %s', (provider, url, target) => {
    expect(targetOf({ ...endpoint, provider, url: new URL(url) }).href).toBe(target);
  });

  it('has the model and the texts, dimensions where they are asked for, and never the key', () => {
    expect(bodyOf(endpoint, ['a', 'b'])).toEqual({ model: 'small', input: ['a', 'b'] });
    expect(bodyOf({ ...endpoint, dimensions: 64 }, ['a'])).toEqual({ model: 'small', input: ['a'], dimensions: 64 });
    expect(bodyOf({ ...endpoint, provider: 'ollama' }, ['a'])).toEqual({
      model: 'small',
      input: ['a'],
      truncate: true,
    });
  });
});

describe('an answer', () => {
  it('gives unit vectors, by their index', () => {
    const data = [
      { index: 1, embedding: [0, 5] },
      { index: 0, embedding: [3, 4] },
    ];
    expect(rounded(vectorsIn({ data }, 'openai', 2))).toEqual([
      [6, 8],
      [0, 10],
    ]);
    expect(rounded(vectorsIn({ embeddings: [[3, 4]] }, 'ollama', 1))).toEqual([[6, 8]]);
  });

  it.each([
    ['is nothing', null],
    ['is a text', 'oh'],
    ['is an error', { error: 'model not loaded' }],
    ['has too few', { data: [{ index: 0, embedding: [1] }] }],
    ['has too many', { data: [0, 1, 2].map((index) => ({ index, embedding: [1] })) }],
    ['numbers two alike', { data: [0, 0].map((index) => ({ index, embedding: [1] })) }],
    ['numbers from one on', { data: [1, 2].map((index) => ({ index, embedding: [1] })) }],
    ['numbers none', { data: [{ embedding: [1] }, { embedding: [1] }] }],
    [
      'mixes dimensions',
      {
        data: [
          { index: 0, embedding: [1, 2] },
          { index: 1, embedding: [1] },
        ],
      },
    ],
    ...(
      [
        ['is empty', []],
        ['is text', ['1', '2']],
        ['is base64', 'AACAPw=='],
        ['has a hole', [1, null]],
        ['is out of range', [1e300, 1]],
        ['is zero', [0, 0]],
      ] as const
    ).map(([what, embedding]): [string, unknown] => [
      `has an embedding that ${what}`,
      {
        data: [
          { index: 0, embedding },
          { index: 1, embedding: [1, 1] },
        ],
      },
    ]),
  ])('that %s is an error', (_, answer) => {
    expect(() => vectorsIn(answer, 'openai', 2)).toThrow();
  });

  it('of Ollama with the wrong number is an error', () => {
    expect(() => vectorsIn({ embeddings: [[1]] }, 'ollama', 2)).toThrow('1 embeddings for 2 texts');
    expect(() => vectorsIn({ embedding: [1] }, 'ollama', 1)).toThrow('no embeddings');
  });
});
