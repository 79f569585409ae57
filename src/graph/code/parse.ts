/** Reads a source to its outline. What does not parse is left out; what takes too long or is too large gives an empty outline that says so. */
import { forgetParsers, isCrash, type Node, type Parser, parserOf } from './grammar.ts';
import { languageOf } from './language.ts';
import type { Language, Outline } from './outline.ts';
import { Sketch } from './sketch.ts';

/** What to do with each type of node; called from front to back, the outer node before the inner one. */
export type Rules = Readonly<Record<string, (node: Node, sketch: Sketch) => void>>;

export interface Reader {
  readonly rules: Rules;
  readonly bareMembers?: boolean;
}

export interface Bounds {
  readonly characters: number;
  readonly milliseconds: number;
}

const usual: Bounds = { characters: 2_000_000, milliseconds: 5000 };

const readers: Readonly<Record<Language, () => Promise<Reader>>> = {
  typescript: async () => (await import('./languages/typescript.ts')).reader,
  tsx: async () => (await import('./languages/typescript.ts')).reader,
  javascript: async () => (await import('./languages/typescript.ts')).reader,
  python: async () => (await import('./languages/python.ts')).reader,
  go: async () => (await import('./languages/go.ts')).reader,
  rust: async () => (await import('./languages/rust.ts')).reader,
  java: async () => (await import('./languages/java.ts')).reader,
  c: async () => (await import('./languages/cpp.ts')).reader,
  cpp: async () => (await import('./languages/cpp.ts')).reader,
  csharp: async () => (await import('./languages/csharp.ts')).reader,
  ruby: async () => (await import('./languages/ruby.ts')).reader,
  php: async () => (await import('./languages/php.ts')).reader,
};

/** Nothing for a path whose language is not known. */
export async function outlineOf(path: string, text: string, bounds = usual): Promise<Outline | undefined> {
  const language = languageOf(path);
  if (language === undefined) return undefined;
  if (text.length > bounds.characters)
    return empty(language, `longer than ${bounds.characters} characters, so it was not read as code`);
  const reader = await readers[language]();
  return read(await parserOf(language), language, text, reader, bounds);
}

function read(parser: Parser, language: Language, text: string, reader: Reader, bounds: Bounds): Outline {
  const until = performance.now() + bounds.milliseconds;
  try {
    return readTree(parser, language, text, reader, () => performance.now() > until);
  } catch (error) {
    if (isCrash(error)) forgetParsers();
    // Readers go into what is nested, and so does the parser; nobody nests so deeply by hand.
    if (isCrash(error) || error instanceof RangeError) return empty(language, 'nested too deeply to be read as code');
    if (error === TOO_LATE) return empty(language, `reading took longer than ${bounds.milliseconds} ms`);
    throw error;
  }
}

const TOO_LATE = new Error('The time for reading is over');

function readTree(parser: Parser, language: Language, text: string, reader: Reader, late: () => boolean): Outline {
  const tree = parser.parse(text, null, { progressCallback: late });
  if (tree === null) {
    // A parse that was given up would else go on with the next text.
    parser.reset();
    throw TOO_LATE;
  }
  const sketch = new Sketch(language, text, reader);
  try {
    for (const node of tree.rootNode.descendantsOfType(Object.keys(reader.rules))) {
      if (node === null) continue;
      sketch.moveTo(node.startIndex);
      reader.rules[node.type]?.(node, sketch);
      if (late()) throw TOO_LATE;
    }
  } catch (error) {
    if (!isCrash(error)) tree.delete();
    throw error;
  }
  tree.delete();
  return sketch.finish();
}

function empty(language: Language, problem: string): Outline {
  return { language, symbols: [], imports: [], calls: [], inherits: [], problem };
}
