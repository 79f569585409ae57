/** The verbs of the documents: what can be typed, and what it does. Their code is loaded when one of them is meant. */
import { graphVerbs } from './graph-verbs.ts';
import { sessionVerbs } from './session-verbs.ts';
import { staleVerb } from './stale-verb.ts';
import type { Verb } from './verb.ts';

const bringing: readonly Verb[] = [
  {
    name: 'add',
    usage: "PATH|'PATTERN'…",
    about: 'stores files and folders, without what .gitignore leaves out',
    notes:
      "Paths are those of the working folder. The shell expands patterns; one in quotes, such as 'src/**/*.ts', is looked for below the working folder, past what .gitignore leaves out. Folders and patterns make a snapshot. Exit code 1 if a file could not be taken.",
    operation: 'add',
    spoken: ['path', 'paths'],
    answersForOperation: true,
    aliases: { tag: 'tags', include: 'include-patterns', exclude: 'exclude-patterns' },
    examples: [
      ['cairn add docs README.md', 'a folder and a file'],
      ["cairn add 'src/**/*.{ts,md}' --collection code --tag source", 'what fits the pattern'],
      ['cairn add . --exclude "*.log" --label "before the release"', 'the working folder, as a snapshot with a label'],
    ],
    load: async () => (await import('./add.ts')).addFiles,
  },
  {
    name: 'download',
    usage: 'URL',
    about: 'stores what a URL gives, once its checksum is right',
    operation: 'download',
    spoken: ['url'],
    answersForOperation: true,
    aliases: { tag: 'tags' },
    examples: [
      ['cairn download https://example.com/data.csv', 'stored as data.csv'],
      ['cairn download https://example.com/a.tar.gz --checksum sha256:HEX', 'stored only if it has this checksum'],
    ],
    load: async () => (await import('./add.ts')).downloadOne,
  },
];

const looking: readonly Verb[] = [
  {
    name: 'ls',
    usage: "[FOLDER|'PATTERN'…]",
    about: 'lists documents: size, time, path, tags',
    notes: 'Folders and patterns are those of the documents, seen from the project: docs, *.md, src/**/*.ts.',
    operation: 'list',
    spoken: ['paths'],
    answersForOperation: true,
    flags: {
      long: ['bare', 'also hash, type and collection'],
      reverse: ['bare', 'the other way round'],
    },
    aliases: { sort: 'sort-by' },
    letters: { l: 'long', r: 'reverse', n: 'limit' },
    examples: [
      ['cairn ls docs', 'what is stored of the folder docs'],
      ["cairn ls '*.md' --sort modified --reverse", 'the newest Markdown first'],
      ['cairn ls -l --tag design', 'with hash and type'],
    ],
    load: async () => (await import('./ls.ts')).listDocuments,
  },
  {
    name: 'cat',
    usage: 'NAME|HASH…',
    about: 'writes documents to stdout, byte for byte',
    notes:
      'On a terminal binary content is refused, and control characters of texts are left out; --force writes the bytes as they are. With --json: the facts of the document and the first page of it.',
    operation: 'get',
    spoken: [
      'hash',
      'name',
      'include_content',
      'as_text',
      'offset',
      'length',
      'outputPath',
      'overwrite',
      'graph',
      'depth',
    ],
    flags: {
      text: ['bare', 'the readable text instead of the bytes: HTML, PDF, Word and notebooks as Markdown'],
      force: ['bare', 'binary content and control characters on a terminal too'],
    },
    letters: { f: 'force', t: 'text' },
    examples: [
      ['cairn cat docs/design.md', 'a document by its path, or the unique end of one'],
      ['cairn cat 3f2a91bc > logo.png', 'by the beginning of its hash'],
      ['cairn cat --text report.pdf | less', 'the text of a PDF'],
    ],
    load: async () => (await import('./cat.ts')).concatenate,
  },
  {
    name: 'search',
    usage: 'WORDS…',
    about: 'finds documents by what they say or are called, best first',
    operation: 'search',
    spoken: ['query'],
    takesText: true,
    letters: { n: 'limit', C: 'context' },
    examples: [
      ['cairn search how sessions expire', 'words or a question, without quotes'],
      ['cairn search retry policy --collection code --extension .ts', 'in a part of the store'],
      ['cairn search timeout --json', 'for a program'],
    ],
    load: async () => (await import('./search.ts')).searchDocuments,
  },
  {
    name: 'grep',
    usage: 'PATTERN [PATH…]',
    about: 'every line that matches a regular expression',
    notes:
      'PATH is a document, a folder of them or a pattern, seen from the project. Exit codes as grep has them: 0 something matched, 1 nothing did, 2 the pattern is none. All matches are shown, however many; --limit and --cursor ask for one page.',
    operation: 'grep',
    spoken: ['pattern', 'paths', 'line_numbers'],
    takesText: true,
    letters: {
      i: 'ignore-case',
      w: 'word',
      v: 'invert',
      c: 'count',
      l: 'files-with-matches',
      m: 'max-count',
      C: 'context',
      n: 'line-numbers',
    },
    examples: [
      ["cairn grep 'TODO|FIXME' src", 'in the documents of a folder'],
      ['cairn grep -iw -C 2 deadline', 'whole words, any case, two lines around each'],
      ["cairn grep -c 'import .* from' '*.ts'", 'how many lines of each document'],
    ],
    load: async () => (await import('./grep.ts')).grepDocuments,
  },
];

const keeping: readonly Verb[] = [
  {
    name: 'rm',
    usage: "NAME|'PATTERN'…",
    about: 'removes documents; snapshots keep what they hold',
    notes:
      'On a terminal it shows what would go and asks. Elsewhere more than 10 documents need --yes. A folder is removed by a pattern, such as docs/**.',
    operation: 'delete',
    spoken: ['name', 'names'],
    flags: { yes: ['bare', 'without asking'] },
    letters: { y: 'yes' },
    examples: [
      ['cairn rm notes/old.md', 'one document'],
      ["cairn rm '*.tmp' --dry-run", 'what would go'],
      ["cairn rm 'drafts/**' --yes", 'all of a folder, without asking'],
    ],
    load: async () => (await import('./rm.ts')).removeDocuments,
  },
  {
    name: 'restore',
    usage: '[SNAPSHOT] DIR',
    about: 'writes a snapshot or a collection below a folder',
    notes:
      'SNAPSHOT is an id, the beginning of one, a label, or latest. Without it: the collection that --collection names (default) as it is now. Files that are there stay unless --overwrite is set.',
    operation: 'restore',
    spoken: ['output_directory', 'snapshot_id'],
    answersForOperation: true,
    aliases: { include: 'include-patterns', exclude: 'exclude-patterns' },
    examples: [
      ['cairn restore latest ./back', 'the newest snapshot'],
      ["cairn restore ./back --collection code --include '*.ts'", 'a part of a collection as it is now'],
      ['cairn restore 20250101T100000 ./back --dry-run', 'what would be written'],
    ],
    load: async () => (await import('./snapshots.ts')).restoreFiles,
  },
  {
    name: 'snapshot',
    usage: '[LABEL]',
    about: 'keeps a collection as it is now',
    operation: 'snapshot',
    spoken: ['label'],
    answersForOperation: true,
    examples: [
      ['cairn snapshot before the clean-up', 'of the collection default'],
      ['cairn snapshot release --collection code', 'of another one'],
    ],
    load: async () => (await import('./snapshots.ts')).takeSnapshot,
  },
  {
    name: 'snapshots',
    usage: '',
    about: 'lists snapshots, newest first',
    operation: 'list_snapshots',
    answersForOperation: true,
    letters: { n: 'limit' },
    examples: [['cairn snapshots --collection code', 'of one collection']],
    load: async () => (await import('./snapshots.ts')).listSnapshots,
  },
  {
    name: 'diff',
    usage: 'SNAPSHOT [SNAPSHOT]',
    about: 'what was added (+), changed (~) and removed (-) since a snapshot',
    notes: 'SNAPSHOT is an id, the beginning of one, a label, or latest. Without a second one: up to now.',
    operation: 'snapshot_diff',
    spoken: ['from', 'to'],
    answersForOperation: true,
    aliases: { include: 'include-patterns' },
    examples: [
      ['cairn diff latest', 'from the newest snapshot to now'],
      ["cairn diff 'before the clean-up' 20250101T100000 --include '*.md'", 'between two of them'],
    ],
    load: async () => (await import('./snapshots.ts')).compareSnapshots,
  },
  {
    name: 'collections',
    usage: '',
    about: 'lists collections with their documents and bytes',
    operation: 'list_collections',
    answersForOperation: true,
    examples: [['cairn collections', '']],
    load: async () => (await import('./keep.ts')).listCollections,
  },
  {
    name: 'status',
    usage: '',
    about: 'how much is stored, and what sharing saves',
    operation: 'status',
    answersForOperation: true,
    examples: [['cairn status --file-types', 'also by type']],
    load: async () => (await import('./keep.ts')).showStatus,
  },
  {
    name: 'gc',
    usage: '',
    about: 'frees the space of contents that nothing needs any more',
    notes: 'Contents younger than an hour stay, and those that documents, snapshots or pins of running sessions need.',
    operation: 'gc',
    answersForOperation: true,
    examples: [['cairn gc', '']],
    load: async () => (await import('./keep.ts')).collectGarbage,
  },
  {
    name: 'verify',
    usage: '',
    about: 'checks instruction files and stored contents against their hashes, and the audit trail',
    notes: 'Exit code 1 if anything is damaged, for CI.',
    examples: [['cairn verify', '']],
    load: async () => (await import('./keep.ts')).verifyAll,
  },
];

export const verbs: readonly Verb[] = [...bringing, ...looking, ...graphVerbs, ...keeping, staleVerb, ...sessionVerbs];

const byName = new Map(verbs.map((verb) => [verb.name, verb]));
const byOperation = new Map(
  verbs.flatMap((verb): [string, Verb][] =>
    verb.answersForOperation && verb.operation !== undefined ? [[verb.operation, verb]] : [],
  ),
);

export interface FoundVerb {
  readonly verb: Verb;
  /** How many words its name took. */
  readonly used: number;
}

/**
 * The verb that the words begin with. `operation` is the operation that they name, if any: one that takes more of the words
 * is meant, as in `list proposals`.
 */
export function verbIn(words: readonly string[], operation?: { name: string; used: number }): FoundVerb | undefined {
  for (const used of [2, 1]) {
    const verb = words.length < used ? undefined : byName.get(words.slice(0, used).join(' '));
    if (verb === undefined) continue;
    if (verb.takesText || operation === undefined || operation.used <= used) return { verb, used };
  }
  const verb = operation && byOperation.get(operation.name);
  return verb && { verb, used: operation.used };
}
