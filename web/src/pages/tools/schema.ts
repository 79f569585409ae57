/** A JSON Schema as the fields of a form, and what was typed as arguments. Pure. */

export interface Property {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly description?: string;
  readonly items?: Property;
}

export interface ToolSchema {
  readonly properties?: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
}

export type Typed = Readonly<Record<string, string>>;

/** How a property is typed in: a choice, a tick, a line, or JSON. */
export function fieldKind({ type, enum: options }: Property): 'choice' | 'tick' | 'line' | 'json' {
  if (options !== undefined) return 'choice';
  if (type === 'boolean') return 'tick';
  return type === 'string' || type === 'number' || type === 'integer' ? 'line' : 'json';
}

/** Fields left empty are left out. Throws a sentence for what is not JSON. */
export function argumentsOf({ properties = {} }: ToolSchema, typed: Typed): Record<string, unknown> {
  const given = Object.entries(typed).filter(([name, text]) => text !== '' && Object.hasOwn(properties, name));
  return Object.fromEntries(given.map(([name, text]) => [name, typedValue(name, text, properties[name] ?? {})]));
}

function typedValue(name: string, text: string, property: Property): unknown {
  if (property.type === 'string') return text;
  if (property.type === 'boolean') return text === 'true';
  if ((property.type === 'number' || property.type === 'integer') && text.trim() !== '' && !Number.isNaN(Number(text)))
    return Number(text);
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${name} is not JSON`);
  }
}

/** An example as what would have to be typed for it. */
export function typedOf(example: Readonly<Record<string, unknown>>): Typed {
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value, null, 2),
    ]),
  );
}
