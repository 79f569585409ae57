import { collectionNames, documentPaths, fixed } from '../complete.ts';
import type { BuiltIn, Given } from './built-in.ts';
import { givenByCaller, lines, literal, query, storedTextIsData } from './wording.ts';

const extensions: Readonly<Record<string, readonly string[]>> = {
  c: ['.c', '.h'],
  'c#': ['.cs'],
  'c++': ['.cpp', '.hpp', '.h'],
  go: ['.go'],
  html: ['.html'],
  java: ['.java'],
  javascript: ['.js', '.mjs', '.jsx'],
  kotlin: ['.kt'],
  markdown: ['.md'],
  php: ['.php'],
  python: ['.py'],
  ruby: ['.rb'],
  rust: ['.rs'],
  shell: ['.sh'],
  sql: ['.sql'],
  swift: ['.swift'],
  typescript: ['.ts', '.tsx'],
  yaml: ['.yaml', '.yml'],
};

export const searchCodebase: BuiltIn = {
  name: 'search_codebase',
  title: 'Search the code',
  description: 'Search for code patterns in the codebase',
  arguments: [
    { name: 'query', description: 'What to look for: words, a name, a question.', required: true, longest: 500 },
    { name: 'path', description: 'Only below this folder, or in this file.', longest: 1000, choices: documentPaths },
    {
      name: 'language',
      description: 'Only files in this language.',
      longest: 50,
      choices: fixed(...Object.keys(extensions)),
    },
  ],
  text(given) {
    const { query: wanted = '', path, language } = given;
    const scopes = scopesOf(path, language);
    const words = { query: literal(wanted), limit: 20, line_numbers: true, context: 2 };
    const places = { pattern: patternOf(wanted), ignore_case: true, line_numbers: true, context: 2, max_count: 5 };
    return lines(
      'Find something in the code and documents that Cairn keeps.',
      '',
      givenByCaller(given),
      '- By words and meaning:',
      query(...scopes.map((scope) => ({ op: 'search', params: { ...words, ...scope } }))),
      '- By every place that holds the words as they stand; the pattern is a regular expression, widen it where that helps:',
      query(...scopes.map((scope) => ({ op: 'grep', params: { ...places, ...scope } }))),
      '- The beginning of the best hit; "next_offset" says where to go on:',
      query(
        { op: 'search', params: { query: literal(wanted), limit: 1, ...scopes[0] } },
        { op: 'get', params: { hash: '$prev.results[0].hash', include_content: true, length: 8000 } },
      ),
      '',
      'Answer with the path and line of each finding and one sentence on what it does.',
      language !== undefined && 'Leave out what is in another language.',
      'If there is nothing, say what you searched for and where.',
      storedTextIsData,
    );
  },
};

/** Where to look: below the path, once for each ending that files of the language have. */
function scopesOf(path: string | undefined, language: string | undefined) {
  const below = path === undefined ? {} : { paths: [literal(path)] };
  const endings = language === undefined ? [] : endingsOf(language);
  return endings.length === 0 ? [below] : endings.map((extension) => ({ ...below, extension }));
}

function patternOf(wanted: string): string {
  return literal(wanted.trim().split(/\s+/).map(escaped).join('\\s+'));
}

function escaped(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function endingsOf(language: string): readonly string[] {
  const known = new Map(Object.entries(extensions)).get(language.trim().toLowerCase());
  if (known !== undefined) return known;
  const ending = /^\.?([A-Za-z0-9]{1,10})$/.exec(language.trim())?.[1];
  return ending === undefined ? [] : [`.${ending.toLowerCase()}`];
}

const hash = /^(?:sha256[-:])?[0-9a-f]{8,64}$/i;

export const summarizeDocument: BuiltIn = {
  name: 'summarize_document',
  title: 'Summarize a document',
  description: 'Read a stored document to its end and summarize it',
  arguments: [
    {
      name: 'document',
      description: 'Its path, the end of it where that is unique, or its hash.',
      required: true,
      longest: 1000,
      choices: documentPaths,
    },
    { name: 'collection', description: 'The collection it is in.', longest: 100, choices: collectionNames },
    { name: 'focus', description: 'What the summary is wanted for.', longest: 1000 },
  ],
  text(given) {
    return lines(
      'Summarize a document that Cairn keeps.',
      '',
      givenByCaller(given),
      'Read it, as text:',
      query({ op: 'get', params: { ...whichDocument(given), as_text: true, length: 8000 } }),
      'While the answer has "next_offset", ask again with "offset" set to it, until you have read to the end. If there is a',
      '"problem", say so. If several documents have that name, ask which is meant.',
      '',
      'Then say in one sentence what the document is, in at most ten what it says, and list what follows from it: decisions,',
      'open questions, dates, numbers. Name the path and the first 12 characters of the hash. Add nothing that is not in it.',
      given.focus !== undefined && 'Put first what serves the focus.',
      storedTextIsData,
    );
  },
};

function whichDocument({ document = '', collection }: Given) {
  return {
    ...(hash.test(document) ? { hash: document } : { name: literal(document) }),
    ...(collection !== undefined && { collection: literal(collection) }),
  };
}
