/** The text of a content as an index takes it in. Pure. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { type Section, sectionsOf } from '../search/sections.ts';
import { splitWords } from '../search/words.ts';
import type { ContentText, KeptText } from './document-index.ts';
import type { Row } from './rows.ts';

export interface TextFacts {
  readonly title: string;
  readonly text: string;
  /** What grep looks at. */
  readonly letters: string;
  /** The text itself, packed, where it cannot be read from the content. */
  readonly kept: Uint8Array | null;
  readonly partial: 0 | 1;
  readonly problem: string | null;
  readonly sections: readonly Section[];
  /** The parts of the names in it. */
  readonly parts: readonly string[];
}

export function textFacts(given: ContentText | undefined): TextFacts {
  const { title = '', text = '', letters = text, extracted = false, partial = true, problem } = given ?? {};
  return {
    title,
    text,
    letters,
    kept: extracted ? deflateRawSync(text, { level: 1 }) : null,
    partial: partial ? 1 : 0,
    problem: problem ?? null,
    sections: text === '' && title === '' ? [] : sectionsOf(text),
    parts: splitWords(text),
  };
}

/** The parts of the names in one of its sections. */
export function partsOf({ sections, parts }: TextFacts, { text }: Section): readonly string[] {
  return sections.length === 1 ? parts : splitWords(text);
}

/** What a path is found by: itself, and the parts of the names in it. */
export function pathWords(path: string): string {
  return `${path} ${splitWords(path).join(' ')}`;
}

export function keptText({ title, extracted, problem }: Row): KeptText {
  return {
    ...(typeof title === 'string' && { title }),
    ...(extracted instanceof Uint8Array && { text: inflateRawSync(extracted).toString() }),
    ...(typeof problem === 'string' && { problem }),
  };
}
