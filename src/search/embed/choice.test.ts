import { join, parse } from 'node:path';
import { describe, expect, it } from 'vitest';
import { choiceOf, type EmbeddingSettings, isEndpointUrl, isProvider, missingFor } from './choice.ts';
import { dimensionsOf, MODEL, modelOf } from './identity.ts';

const plain: EmbeddingSettings = {
  embeddings: 'bundled',
  embeddingsUrl: '',
  embeddingsModel: '',
  embeddingsKey: '',
  embeddingsDimensions: 0,
  embeddingsQueryPrefix: '',
  embeddingsTextPrefix: '',
};
const folder = join(parse(process.cwd()).root, 'models', 'small');
const nameOf = (settings: Partial<EmbeddingSettings>, fingerprint = 'f'.repeat(64)) =>
  modelOf(choiceOf({ ...plain, ...settings }), () => fingerprint);

describe('a provider', () => {
  it.each(['bundled', 'none', 'openai', 'ollama', `onnx:${folder}`])('may be %s', (text) => {
    expect(isProvider(text)).toBe(true);
  });

  it.each(['', 'Bundled', 'onnx', 'onnx:', 'onnx:models/small', 'onnx:./small', 'https://example.org'])(
    'may not be %j',
    (text) => {
      expect(isProvider(text)).toBe(false);
    },
  );
});

describe('the URL of an endpoint', () => {
  it.each(['https://example.org/v1', 'http://127.0.0.1:11434', 'http://[::1]:8080/', 'https://a.b/x?api-version=1'])(
    'may be %s',
    (text) => {
      expect(isEndpointUrl(text)).toBe(true);
    },
  );

  it.each([
    'example.org/v1',
    'ftp://example.org',
    'file:///etc/passwd',
    'https://me:pw@example.org',
    'https://me@a.b',
    'http://',
    'https://a.b/#x',
  ])('may not be %s', (text) => {
    expect(isEndpointUrl(text)).toBe(false);
  });
});

describe('what an endpoint needs', () => {
  it('is a URL and a model for the OpenAI interface, and a model for Ollama', () => {
    expect(missingFor(plain)).toEqual([]);
    expect(missingFor({ ...plain, embeddings: 'openai' })).toEqual([
      expect.stringContaining('needs CAIRN_EMBEDDINGS_URL'),
      expect.stringContaining('needs CAIRN_EMBEDDINGS_MODEL'),
    ]);
    expect(missingFor({ ...plain, embeddings: 'ollama' })).toEqual([
      expect.stringContaining('needs CAIRN_EMBEDDINGS_MODEL'),
    ]);
    const whole = { ...plain, embeddingsUrl: 'https://example.org', embeddingsModel: 'm' };
    expect(missingFor({ ...whole, embeddings: 'openai' })).toEqual([]);
    expect(missingFor({ ...whole, embeddings: 'ollama', embeddingsUrl: '' })).toEqual([]);
  });

  it('is for Ollama this machine, where nothing else is said', () => {
    const choice = choiceOf({ ...plain, embeddings: 'ollama', embeddingsModel: 'm' });
    expect(choice).toMatchObject({ url: new URL('http://127.0.0.1:11434') });
  });
});

describe('the name under which vectors are kept', () => {
  const openai = { embeddings: 'openai', embeddingsUrl: 'https://a.example/v1', embeddingsModel: 'm' };

  it('is that of the bundled model, and none without one', () => {
    expect(nameOf({})).toBe(MODEL);
    expect(nameOf({ embeddings: 'none' })).toBe('none');
  });

  it('tells apart provider, model, place, dimensions and what stands before a text', () => {
    const names = [
      openai,
      { ...openai, embeddings: 'ollama' },
      { ...openai, embeddingsModel: 'n' },
      { ...openai, embeddingsUrl: 'https://b.example/v1' },
      { ...openai, embeddingsUrl: 'https://a.example:8443/v1' },
      { ...openai, embeddingsUrl: 'https://a.example/v2' },
      { ...openai, embeddingsDimensions: 256 },
      { ...openai, embeddingsTextPrefix: 'passage: ' },
      { ...openai, embeddingsTextPrefix: 'search_document: ' },
    ].map((settings) => nameOf(settings));
    expect(new Set(names).size).toBe(names.length);
    expect(names[0]).toBe('openai:m@a.example/v1');
  });

  it('stays the same for another key, another prefix of questions and a slash at the end', () => {
    const same = { embeddingsKey: 'k', embeddingsQueryPrefix: 'query: ', embeddingsUrl: 'https://a.example/v1/' };
    expect(nameOf({ ...openai, ...same })).toBe(nameOf(openai));
  });

  it('is for a folder its own name and the fingerprint of what is in it', () => {
    const onnx = { embeddings: `onnx:${folder}` };
    expect(nameOf(onnx, 'a'.repeat(64))).toBe('onnx:small/aaaaaaaaaaaaaaaa');
    expect(nameOf(onnx, 'b'.repeat(64))).not.toBe(nameOf(onnx, 'a'.repeat(64)));
  });

  it('does not read a folder where there is none', () => {
    const never = () => {
      throw new Error('read');
    };
    expect(modelOf(choiceOf({ ...plain, ...openai }), never)).toContain('openai');
  });

  it('comes with the dimensions where they are known beforehand', () => {
    const known = (settings: Partial<EmbeddingSettings>) => dimensionsOf(choiceOf({ ...plain, ...settings }));
    expect([known({}), known(openai), known({ ...openai, embeddingsDimensions: 256 })]).toEqual([384, 0, 256]);
    expect([known({ embeddings: 'none' }), known({ embeddings: `onnx:${folder}` })]).toEqual([0, 0]);
  });
});
