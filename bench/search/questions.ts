/** What the cost of a search is measured with: never the same question twice in a row, so that nothing is remembered. Pure. */
import type { Ask } from '../command.ts';
import { documentNumber, wordOf } from '../documents/texts.ts';

const SUBJECTS =
  'cache queue password release invoice backup deployment session customer meeting budget harbour garden engine weather novel'.split(
    ' ',
  );
const MATTERS = 'owner failure history design price schedule location purpose size security colour repair'.split(' ');

/** Plain English, which is what the model understands. */
export function question(number: number): string {
  const subject = SUBJECTS[number % SUBJECTS.length];
  const matter = MATTERS[Math.floor(number / SUBJECTS.length) % MATTERS.length];
  return `What do we know about the ${matter} of the ${subject}?`;
}

export interface Kind {
  readonly name: string;
  ask(number: number, documents: number): Ask;
}

const FOUND = '"results":[{';
const BY_VECTORS = '"vector":"ready"';

function search(query: string, type: string, proof: string): Ask {
  return { tool: 'search', input: { query, type }, proof };
}

/** Somewhere among them, another one each time. */
const anyOf = (number: number, documents: number) => (number * 7919) % documents;

export const rareWords: Kind = {
  name: 'keyword, two rare words',
  ask: (number, documents) => search(documentNumber(anyOf(number, documents)).rare.join(' '), 'keyword', FOUND),
};

export const kinds: readonly Kind[] = [
  rareWords,
  {
    name: 'keyword, two middling words',
    ask: (number) => search(`${wordOf(1000 + (number % 400))} ${wordOf(1400 + (number % 500))}`, 'keyword', FOUND),
  },
  {
    name: 'keyword, two common words',
    ask: (number) => search(`${wordOf(number % 20)} ${wordOf(20 + (number % 30))}`, 'keyword', FOUND),
  },
  { name: 'semantic', ask: (number) => search(question(number), 'semantic', BY_VECTORS) },
  {
    name: 'hybrid',
    ask: (number, documents) =>
      search(`${question(number)} ${documentNumber(anyOf(number, documents)).rare[0]}`, 'hybrid', BY_VECTORS),
  },
];
