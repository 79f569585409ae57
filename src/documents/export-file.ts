/**
 * Documents that were written out as JSON: a list, an object that holds one, or a line each, as `get` with its content and
 * `list` answer them. Pure. What cannot be a document has a reason.
 */
import { sha256 } from '../store/hash.ts';

export interface ExportedDocument {
  readonly path: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
}

export interface Exported {
  readonly documents: readonly ExportedDocument[];
  readonly skipped: readonly { readonly item: string; readonly reason: string }[];
}

export function readExport(text: string): Exported | { readonly problem: string } {
  const items = itemsOf(text);
  if ('problem' in items) return items;
  const documents: ExportedDocument[] = [];
  const skipped: { item: string; reason: string }[] = [];
  for (const [index, item] of items.list.entries()) {
    const reading = documentOf(item);
    if ('reason' in reading) skipped.push({ item: nameOf(item) || `item ${index + 1}`, reason: reading.reason });
    else documents.push(reading);
  }
  return { documents, skipped };
}

const wrappers = ['documents', 'results', 'items'];

function itemsOf(text: string): { readonly list: readonly unknown[] } | { readonly problem: string } {
  const whole = text.replace(/^\uFEFF/, '').trim();
  try {
    const value: unknown = JSON.parse(whole);
    if (Array.isArray(value)) return { list: value };
    if (!isRecord(value)) return { problem: 'it holds neither a list nor an object' };
    const list = wrappers.map((name) => value[name]).find(Array.isArray);
    return { list: list ?? [value] };
  } catch (thrown) {
    const lines = whole.split('\n').filter((line) => line.trim() !== '');
    try {
      return { list: lines.map((line) => JSON.parse(line) as unknown) };
    } catch {
      return { problem: `it is not JSON: ${thrown instanceof Error ? thrown.message.slice(0, 200) : 'unreadable'}` };
    }
  }
}

function documentOf(item: unknown): ExportedDocument | { readonly reason: string } {
  if (!isRecord(item)) return { reason: 'it is no object' };
  const { content, hash } = item;
  const path = safePath(nameOf(item));
  if (path === undefined) return { reason: 'it has no path or name that could be one of a document' };
  if (typeof content !== 'string') return { reason: 'it has no content: ask for it with include_content' };
  const wanted = typeof hash === 'string' ? /^(?:sha256[-:])?([0-9a-f]{64})$/i.exec(hash)?.[1] : undefined;
  // A text that was cut or changed on its way is not the document that it says it is.
  if (wanted !== undefined && wanted.toLowerCase() !== sha256(content))
    return { reason: 'its content has another hash' };
  return { path, content, tags: tagsOf(item.tags), metadata: metadataOf(item.metadata) };
}

function nameOf(item: unknown): string {
  if (!isRecord(item)) return '';
  const found = [item.path, item.name, item.title].find((each) => typeof each === 'string' && each.trim() !== '');
  return typeof found === 'string' ? found.trim() : '';
}

/** Without the root of another machine's disk; nothing that leads upwards. */
function safePath(written: string): string | undefined {
  const parts = written
    .replaceAll('\\', '/')
    .replace(/^[A-Za-z]:/, '')
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  const plain = parts.join('/');
  return plain === '' || parts.includes('..') || plain.length > 1024 || /\p{Cc}/u.test(plain) ? undefined : plain;
}

function tagsOf(raw: unknown): string[] {
  const list = typeof raw === 'string' ? raw.split(',') : Array.isArray(raw) ? raw : [];
  const words = list.filter((each): each is string => typeof each === 'string').map((each) => each.trim());
  return [...new Set(words.filter((each) => each !== '' && each.length <= 100))].slice(0, 50);
}

/** An object, or a list of `key=value`. */
function metadataOf(raw: unknown): Record<string, string> {
  const pairs = Array.isArray(raw)
    ? raw.flatMap((each) => {
        const [, key, value] = typeof each === 'string' ? (/^([^=]{1,200})=(.*)$/s.exec(each) ?? []) : [];
        return key === undefined ? [] : [[key, value ?? ''] as const];
      })
    : Object.entries(isRecord(raw) ? raw : {});
  const texts = pairs.filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  return Object.fromEntries(texts.slice(0, 100).map(([key, value]) => [key, String(value).slice(0, 10_000)]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
