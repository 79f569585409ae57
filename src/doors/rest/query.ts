/**
 * The query of a URL as the arguments of an operation, following its JSON Schema. What does not fit stays text, so that the
 * operation's own validator complains, in the same words as at every door.
 */
import type { JsonSchema } from '../../operations/surface.ts';

interface Property {
  readonly type?: string;
  readonly items?: Property;
}

export function inputFromQuery(query: URLSearchParams, { properties = {} }: JsonSchema): Record<string, unknown> {
  const known = new Map(Object.entries(properties as Record<string, Property>));
  const names = [...new Set(query.keys())];
  // Not an object literal: a name such as __proto__ must become a field like any other.
  return Object.fromEntries(names.map((name) => [name, valueFrom(query.getAll(name), known.get(name) ?? {})]));
}

function valueFrom(texts: readonly string[], property: Property): unknown {
  if (property.type === 'array') return listOf(texts, property.items ?? {});
  // A name that may stand once and stands twice is for the validator to refuse.
  return texts.length === 1 ? typed(texts[0] ?? '', property) : texts;
}

/** Repeated names; or one JSON list, for items that are objects. */
function listOf(texts: readonly string[], items: Property): unknown {
  const only = texts.length === 1 ? (texts[0] ?? '') : '';
  const whole = only.startsWith('[') ? parsed(only) : undefined;
  return Array.isArray(whole) ? whole : texts.map((text) => typed(text, items));
}

function typed(text: string, { type }: Property): unknown {
  switch (type) {
    case 'integer':
    case 'number':
      return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : text;
    case 'boolean':
      return truth.get(text.toLowerCase()) ?? text;
    case 'string':
      return text;
    default:
      return parsed(text) ?? text;
  }
}

const truth: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
