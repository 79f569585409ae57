/** `cairn import KIND PATH`: moving in from another system, with an account of what was taken, what was not, and why. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { surface } from '../../operations/surface.ts';
import { badUsage } from './arguments.ts';
import { counted } from './figures.ts';
import { type Invocation, perform, watched } from './invocation.ts';
import { table } from './table.ts';
import { type Line, toned, written } from './terminal.ts';

interface Row {
  readonly what: string;
  readonly found: number;
  readonly imported: number;
  /** Here from an earlier run. */
  readonly present: number;
  readonly skipped: number;
}

export interface MoveReport {
  readonly kind: string;
  readonly source: string;
  readonly dryRun: boolean;
  readonly rows: readonly Row[];
  readonly skipped: readonly { readonly item: string; readonly reason: string }[];
  readonly ids: readonly { readonly from: string; readonly to: string }[];
  readonly mappings: readonly object[];
  /** What of the other system is left where it is. */
  readonly notes: readonly string[];
}

interface Order {
  readonly source: string;
  readonly dryRun: boolean;
  readonly mode?: string;
  call<T>(operation: string, input: object): Promise<T>;
}

type Mover = (order: Order) => Promise<Omit<MoveReport, 'kind' | 'source' | 'dryRun'>>;

const movers: Readonly<Record<string, Mover>> = {
  ledgermind: fromLedgermind,
  'index-server': fromIndexServer,
  yams: fromYams,
};

/** Kinds of files that need no account of their own: the operation's is one. */
const fileKinds = ['markdown', 'agent-file'];

export async function importCommand(invocation: Invocation): Promise<number> {
  const { app, words, flags, print } = invocation;
  const { kind, path } = meant(words);
  const dryRun = flags['dry-run'] === true;
  const mode = typeof flags.mode === 'string' ? { mode: flags.mode } : {};
  const source = resolve(path);
  const mover = kind === undefined ? undefined : movers[kind];
  if (kind === undefined || mover === undefined) {
    const input = { source, ...mode, ...(kind !== undefined && { kind }), ...(dryRun && { dryRun }) };
    return perform(invocation, surface.resolve('instructions_import'), input);
  }
  const call = async <T>(operation: string, input: object) => (await watched(app, operation, input)) as T;
  const report: MoveReport = { kind, source, dryRun, ...(await mover({ source, dryRun, call, ...mode })) };
  print(report, () => written(reportLines(report), false).trimEnd());
  return report.skipped.length > 0 ? 1 : 0;
}

function meant(words: readonly string[]): { kind?: string; path: string } {
  const [first, second, ...more] = words;
  const kinds = [...Object.keys(movers), ...fileKinds];
  if (first === undefined || more.length > 0)
    throw badUsage('import needs a folder or file, as in cairn import AGENTS.md', `Kinds: ${kinds.join(', ')}.`);
  if (second === undefined) {
    // The name of a system alone is one half of a command, unless a file is called so.
    if (first in movers && !existsSync(first)) throw badUsage(`import ${first} needs the folder to import from`);
    return { path: first };
  }
  if (!kinds.includes(first))
    throw badUsage(`${JSON.stringify(first)} is no kind of import; allowed is ${kinds.join(', ')}`);
  return { kind: first, path: second };
}

interface MemoryAnswer {
  readonly status: string;
  readonly message?: string;
  readonly decisions: Omit<Row, 'what'>;
  readonly events: Omit<Row, 'what'>;
  readonly links: number;
  readonly ids: MoveReport['ids'];
  readonly mappings: MoveReport['mappings'];
  readonly skipped: MoveReport['skipped'];
}

async function fromLedgermind({ source, dryRun, call }: Order): ReturnType<Mover> {
  const answer = await call<MemoryAnswer>('memory_import', { source, dryRun });
  if (answer.status !== 'success') throw badUsage(answer.message ?? 'memory_import was refused');
  const { decisions, events, links, ids, mappings, skipped } = answer;
  return {
    rows: [
      { what: 'decisions and proposals', ...decisions },
      { what: 'events', ...events },
      { what: 'evidence links', found: links, imported: links, present: 0, skipped: 0 },
    ],
    skipped,
    ids,
    mappings,
    notes: ['Vectors, the search index and the git history stay behind: the first two are made anew.'],
  };
}

interface CatalogAnswer {
  readonly imported: number;
  readonly overwritten: number;
  readonly skipped: number;
  readonly total: number;
  readonly errors: readonly { readonly index: number; readonly id?: string; readonly error: string }[];
  readonly mappings: readonly { readonly field: string; readonly from: unknown; readonly to: unknown }[];
  readonly ignored: readonly { readonly path: string; readonly why: string }[];
}

async function fromIndexServer({ source, dryRun, mode, call }: Order): ReturnType<Mover> {
  const folder = existsSync(join(source, 'instructions')) ? join(source, 'instructions') : source;
  const input = { source: folder, kind: 'index-server', preserve: true, dryRun, ...(mode !== undefined && { mode }) };
  const answer = await call<CatalogAnswer>('instructions_import', input);
  const { imported, overwritten, skipped: present, total, errors, mappings, ignored } = answer;
  // Files that could not be read are no entries yet.
  const unread = errors.filter(({ index }) => index < 0).length;
  return {
    rows: [
      {
        what: 'instructions',
        found: total + unread,
        imported: imported + overwritten,
        present,
        skipped: errors.length,
      },
    ],
    skipped: errors.map(({ id = '', error }) => ({ item: id, reason: error })),
    ids: mappings
      .filter(({ field, from }) => field === 'id' && from !== null)
      .map(({ from, to }) => ({ from: String(from), to: String(to) })),
    mappings,
    notes: [
      ...ignored.slice(0, 20).map(({ path, why }) => `${path} is no instruction: ${why}.`),
      'gates.json and owners.json have the same form here: copy them into instructions/ of the home.',
      'Usage counts, feedback and logs stay behind: how they are kept is not documented.',
    ],
  };
}

interface DocumentsAnswer {
  readonly found: number;
  readonly imported: number;
  readonly present: number;
  readonly skipped: MoveReport['skipped'];
}

async function fromYams({ source, dryRun, call }: Order): ReturnType<Mover> {
  const { found, imported, present, skipped } = await call<DocumentsAnswer>('documents_import', { source, dryRun });
  return {
    rows: [{ what: 'documents', found, imported, present, skipped: skipped.length }],
    skipped,
    ids: [],
    mappings: [],
    notes: [
      'Snapshots, vectors and the graph stay behind: a snapshot of what came is made, the others are derived anew.',
    ],
  };
}

const SHOWN = 20;

function reportLines({ kind, source, dryRun, rows, skipped, ids, mappings, notes }: MoveReport): Line[] {
  const heads = ['', 'found', dryRun ? 'would import' : 'imported', 'here already', 'not taken'];
  const columns = heads.map((title, at) => ({ title, right: at > 0 }));
  const cells = rows.map((row) => [row.what, row.found, row.imported, row.present, row.skipped].map(String));
  return [
    [toned('strong', `${kind} in ${source}${dryRun ? ' (nothing was changed)' : ''}`)],
    ...table(columns, cells),
    ...some('not taken', skipped, ({ item, reason }) => `${item}: ${reason}`),
    ...some('under another id', ids, ({ from, to }) => `${from} is ${to}`),
    ...(mappings.length > 0 ? [[`${counted(mappings.length, 'value')} not taken as it stood; --json lists them`]] : []),
    ...notes.map((note): Line => [note]),
  ];
}

function some<T>(title: string, items: readonly T[], tell: (item: T) => string): Line[] {
  const more = items.length - SHOWN;
  if (items.length === 0) return [];
  return [
    [`${counted(items.length, 'item')} ${title}`],
    ...items.slice(0, SHOWN).map((item): Line => [`  ${tell(item)}`]),
    ...(more > 0 ? [[`  and ${more} more; --json lists them`]] : []),
  ];
}
