/** What a process holds from its start: nothing is done before the first text, and losses are told once. */
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { choiceOf, type EmbeddingSettings } from '../../src/search/embed/choice.ts';
import type { Embedder } from '../../src/search/embed/embedder.ts';
import { lazyEmbedder } from '../../src/search/embed/lazy.ts';
import { endpointServer, openai, send } from './endpoint-server.ts';

function held(settings: Partial<EmbeddingSettings>): { embedder: Embedder; told: string[] } {
  const told: string[] = [];
  const choice = choiceOf({
    embeddings: 'openai',
    embeddingsUrl: '',
    embeddingsModel: 'small',
    embeddingsKey: '',
    embeddingsDimensions: 0,
    embeddingsQueryPrefix: '',
    embeddingsTextPrefix: '',
    ...settings,
  });
  const embedder = lazyEmbedder(choice, pathToFileURL('/no/such/program.js'), {
    warn: (message) => told.push(`warn: ${message}`),
    info: (message) => told.push(`info: ${message}`),
  });
  onTestFinished(() => embedder.close());
  return { embedder, told };
}

afterEach(() => void vi.useRealTimers());

describe('an embedder from the start', () => {
  it('asks for nothing before the first text', async () => {
    const server = await endpointServer();
    const { embedder } = held({ embeddingsUrl: server.url });
    expect(embedder.state()).toEqual({ state: 'idle' });
    expect(embedder.model).toBe(`openai:small@${server.host}`);
    expect(embedder.dimensions).toBe(0);
    await embedder.close();
    expect(server.asked).toEqual([]);
  });

  it('tells a loss once, however often it is felt, and the return', async () => {
    const server = await endpointServer((_, response) => send(response, 403, { message: 'not yours' }));
    const { embedder, told } = held({ embeddingsUrl: server.url });
    for (let times = 0; times < 3; times++) await expect(embedder.embed(['abc'])).rejects.toThrow('not yours');
    expect(told).toEqual([expect.stringMatching(/^warn: Search goes by keywords alone.*answers 403: not yours.*_KEY/)]);
    // The pause is a span of time, whatever the date says.
    const now = performance.now.bind(performance);
    let ahead = 61_000;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
    onTestFinished(() => clock.mockRestore());
    expect(embedder.state()).toEqual({ state: 'idle' });
    await expect(embedder.embed(['abc'])).rejects.toThrow('not yours');
    expect(told).toHaveLength(1);
    ahead += 61_000;
    server.answer = openai;
    expect(await embedder.embed(['abc'])).toHaveLength(1);
    expect(told.slice(1)).toEqual([expect.stringMatching(/^info: .* again/)]);
    expect(embedder.dimensions).toBe(8);
  });

  it('tells nothing where a call is cancelled, or embeddings are switched off', async () => {
    const server = await endpointServer(() => {});
    const { embedder, told } = held({ embeddingsUrl: server.url });
    await expect(embedder.embed(['abc'], { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
      kind: 'cancelled',
    });
    const off = held({ embeddings: 'none' });
    expect(off.embedder.state()).toMatchObject({ state: 'unavailable' });
    await expect(off.embedder.embed(['abc'])).rejects.toThrow('switched off');
    expect([...told, ...off.told]).toEqual([]);
  });
});
