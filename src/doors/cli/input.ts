/** Turns flags and words into the arguments of an operation, following its JSON Schema. The operation validates them. */
import type { SurfaceEntry } from '../../operations/surface.ts';
import { badUsage, type FlagKind, type Flags } from './arguments.ts';

export interface Property {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: string;
  readonly items?: Property;
}

export function propertiesOf({ inputSchema }: SurfaceEntry): [string, Property][] {
  return Object.entries((inputSchema.properties ?? {}) as Record<string, Property>);
}

/** `outputPath` and `include_content` are typed as `--output-path` and `--include-content`. */
export function flagFor(property: string): string {
  return property
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
}

export function flagsOf(entry: SurfaceEntry): Map<string, FlagKind> {
  return new Map(
    propertiesOf(entry).map(([name, { type }]) => [
      flagFor(name),
      type === 'boolean' ? 'bare' : type === 'array' ? 'list' : 'value',
    ]),
  );
}

export function inputFrom(entry: SurfaceEntry, words: readonly string[], flags: Flags): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [name, property] of propertiesOf(entry)) {
    const given = flags[flagFor(name)];
    if (given !== undefined) input[name] = typedValue(given, property, flagFor(name));
  }
  const open = entry.positional.filter((name) => input[name] === undefined);
  if (words.length > open.length) {
    throw badUsage(`${JSON.stringify(words[open.length])} is one word too many for ${entry.name}`);
  }
  const properties = new Map(propertiesOf(entry));
  for (const [index, word] of words.entries()) {
    const name = open[index] ?? '';
    input[name] = typedValue(word, properties.get(name) ?? {}, name);
  }
  return input;
}

function typedValue(given: string | boolean | string[], property: Property, flag: string): unknown {
  const { type, items } = property;
  if (type === 'array') return listOf(given, items ?? {}, flag);
  if (typeof given !== 'string') return given;
  if (type === 'boolean') return given === 'true' ? true : given === 'false' ? false : given;
  if (type === 'integer' || type === 'number') return /^-?\d+(\.\d+)?$/.test(given) ? Number(given) : given;
  return type === 'string' ? given : jsonOf(given, flag);
}

/** Repeated flags, a comma-separated text, or JSON: `--tags a --tags b`, `--tags a,b`, `--steps '[{…}]'`. */
function listOf(given: string | boolean | string[], items: Property, flag: string): unknown {
  const texts = (Array.isArray(given) ? given : [given]).map(String);
  const only = texts.length === 1 ? (texts[0] ?? '') : '';
  if (only.trimStart().startsWith('[')) return jsonOf(only, flag);
  const parts = items.type === 'object' ? texts : texts.flatMap((text) => text.split(',')).map((part) => part.trim());
  return parts.map((part) => typedValue(part, items, flag));
}

export function jsonOf(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw badUsage(
      `${what} is not JSON: ${thrown instanceof Error ? thrown.message : thrown}`,
      `Quote it for the shell, as in '{"limit":5}'.`,
    );
  }
}
