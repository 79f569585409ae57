/**
 * Install and uninstall as plans: first everything is read and worked out, then it is written. A file that cannot be read
 * stops the plan before a single byte was changed.
 */
import { homedir } from 'node:os';
import { dirname, isAbsolute, resolve } from 'node:path';
import { CairnError } from '../../../errors.ts';
import { unifiedDiff } from '../../../service/unified-diff.ts';
import { removeIfPresent, writeFileAtomically } from '../../../store/file.ts';
import { sha256 } from '../../../store/hash.ts';
import { type Client, clientFacts, type FileEdits, type Place, type Scope } from './clients.ts';
import { type FileState, missingFolders, readState, removeFolderIfEmpty, textOf } from './disk.ts';
import { type Edit, type Memory, putAll, takeAll } from './edit.ts';
import { runningCommand } from './invocation.ts';
import { dropRecord, type FileRecord, type InstallRecord, readRecord, recordPath, writeRecord } from './record.ts';
import { shadowMark } from './shadow.ts';

export interface InstallOptions {
  /** The folder of the user; theirs by default. */
  readonly home?: string;
  /** The working folder by default. */
  readonly project?: string;
  /** By default what suits the client. */
  readonly scope?: Scope;
  /** The words that start Cairn; by default the running node and script. */
  readonly command?: readonly string[];
  /** A home for Cairn that the client is to name (`--home`). */
  readonly cairnHome?: string;
  /** Whether hooks are written; by default where the client has settled ones. */
  readonly hooks?: boolean;
  /** Replaces a server of the same name that is not ours. */
  readonly force?: boolean;
  /** VS Code: the shadow file and what stands in it. */
  readonly shadow?: { readonly name: string; readonly context: string };
  readonly platform?: NodeJS.Platform;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export type FileAction = 'created' | 'changed' | 'unchanged' | 'restored' | 'removed';

export interface PlannedFile {
  readonly path: string;
  readonly action: FileAction;
  readonly target: string;
  readonly mode: number;
  readonly before?: Buffer;
  /** What will be there; without it the file goes. */
  readonly after?: Buffer;
  /** Folders to remove if they are empty then, outermost first. */
  readonly folders: readonly string[];
}

export interface Plan {
  readonly client: Client;
  readonly scope: Scope;
  readonly hooks: boolean;
  readonly files: readonly PlannedFile[];
  readonly notes: readonly string[];
  readonly recordPath: string;
  /** What is remembered from then on; without it the record goes. */
  readonly record?: InstallRecord;
}

export async function plan(client: Client, options: InstallOptions = {}): Promise<Plan> {
  const place = placeOf(client, options);
  const path = recordPath(place);
  const old = await readRecord(path);
  const notes: string[] = [];
  const files: PlannedFile[] = [];
  const records = new Map(old?.files.map((file) => [file.path, file]));
  for (const wanted of clientFacts[client].files(place).filter(({ edits }) => edits.length > 0)) {
    const known = records.get(wanted.path);
    const state = readState(wanted.path, boundOf(place));
    const text = state.bytes === undefined ? '' : textOf(state.bytes, wanted.path);
    const memory = state.bytes === undefined ? undefined : known;
    const put = putAll({ file: wanted.path, text }, wanted.edits, memory, options.force === true);
    notes.push(...put.notes);
    const after = put.text === text ? state.bytes : Buffer.from(put.text);
    const action = after === state.bytes ? 'unchanged' : state.bytes === undefined ? 'created' : 'changed';
    files.push(planned(wanted.path, action, state, after));
    if (action !== 'unchanged' && after !== undefined) {
      records.set(wanted.path, recordOf(wanted, state, text, put.memory, known, after));
    }
  }
  notes.push(...(clientFacts[client].notes?.(place) ?? []));
  if (isTiedToMachine(place) && files.some(({ action }) => action !== 'unchanged')) notes.push(tiedNote);
  const record: InstallRecord = { version: 1, client, scope: place.scope, files: [...records.values()] };
  return { client, scope: place.scope, hooks: place.hooks, files, notes, recordPath: path, record };
}

/** What takes an install back: the bytes from before where nobody touched the file since, else only what is ours. */
export async function planUndo(client: Client, options: InstallOptions = {}): Promise<Plan> {
  const shadow = { name: 'cairn_context.md', context: '' };
  const place = placeOf(client, { ...options, hooks: true, shadow });
  const path = recordPath(place);
  const old = await readRecord(path);
  const edits = new Map(clientFacts[client].files(place).map((file) => [file.path, file.edits]));
  const recorded = new Map(old?.files.map((file) => [file.path, file]));
  const notes: string[] = [];
  const files = [...new Set([...recorded.keys(), ...edits.keys()])].map((file) => {
    const state = readState(file, boundOf(place));
    const known = recorded.get(file);
    return undoneFile(file, state, edits.get(file) ?? editsOfUnknown(file), known, options.force === true, notes);
  });
  const touched = files.filter(({ action, path: file }) => action !== 'unchanged' || recorded.has(file));
  return { client, scope: place.scope, hooks: true, files: touched, notes, recordPath: path };
}

export async function undo(client: Client, options: InstallOptions = {}): Promise<Plan> {
  const planned = await planUndo(client, options);
  await apply(planned);
  return planned;
}

/** Writes what was planned, the record first: whatever happens then, the bytes from before are safe. */
export async function apply({ files, record, recordPath: path }: Plan): Promise<void> {
  const changes = files.filter(({ action }) => action !== 'unchanged');
  for (const file of changes) refuseIfChangedSince(file);
  if (record !== undefined && changes.length > 0) await writeRecord(path, record);
  for (const { target, after, mode, folders } of changes) {
    if (after === undefined) await removeIfPresent(target);
    else await writeFileAtomically(target, after, mode);
    for (const folder of [...folders].reverse()) removeFolderIfEmpty(folder);
  }
  if (record !== undefined) return;
  await dropRecord(path);
  for (const folder of [dirname(path), dirname(dirname(path))]) removeFolderIfEmpty(folder);
}

export function diffOf({ files }: Plan): string {
  return files
    .filter(({ action }) => action !== 'unchanged')
    .map(({ path, before, after }) => unifiedDiff(path, before?.toString('utf8'), after?.toString('utf8')))
    .join('\n');
}

function placeOf(client: Client, options: InstallOptions): Place {
  const facts = clientFacts[client];
  const project = resolve(options.project ?? '.');
  const platform = options.platform ?? process.platform;
  const words = [...(options.command ?? runningCommand(process.argv[1], platform))];
  if (options.cairnHome !== undefined) words.push('--home', resolve(project, options.cairnHome));
  return {
    client,
    scope: options.scope ?? facts.scope,
    home: options.home ?? homedir(),
    project,
    platform,
    env: options.env ?? process.env,
    words,
    hooks: options.hooks ?? facts.hooks,
    ...(options.shadow !== undefined && { shadow: options.shadow }),
  };
}

/** Files of a project are shared; a full path in them is of use on one machine only. */
function isTiedToMachine({ scope, words }: Place): boolean {
  return scope === 'project' && isAbsolute(words[0] ?? '');
}

const tiedNote =
  'These files name paths of this machine; for a project that others share, add --command "npx -y cairn-mcp" (hooks are slower then).';

/** The folder that a plan may not leave by a link: a project may be somebody else's, one's own folder is not. */
function boundOf({ scope, project }: Place): string | undefined {
  return scope === 'project' ? project : undefined;
}

function planned(
  path: string,
  action: FileAction,
  state: FileState,
  after?: Buffer,
  folders: readonly string[] = [],
): PlannedFile {
  return {
    path,
    action,
    target: state.target,
    mode: state.mode,
    folders,
    ...(state.bytes !== undefined && { before: state.bytes }),
    ...(after !== undefined && { after }),
  };
}

function recordOf(
  { path, edits }: FileEdits,
  state: FileState,
  text: string,
  memory: Memory,
  known: FileRecord | undefined,
  after: Buffer,
): FileRecord {
  return { ...memory, path, ...originalOf(path, edits, state, text, known), after: sha256(after) };
}

/** What uninstall is to bring back: for a file that was changed since the last install, what it is without us. */
function originalOf(
  path: string,
  edits: readonly Edit[],
  { target, bytes }: FileState,
  text: string,
  known: FileRecord | undefined,
): Pick<FileRecord, 'before' | 'folders'> {
  if (bytes === undefined) {
    // An install that was cut off may have made the folders, and not the file.
    const folders = new Set([...(known?.folders ?? []), ...missingFolders(target)]);
    return { before: null, folders: [...folders].sort((one, other) => one.length - other.length) };
  }
  if (known === undefined) return { before: bytes.toString('base64'), folders: [] };
  if (sha256(bytes) === known.after) return { before: known.before, folders: known.folders };
  const without = takeAll({ file: path, text }, edits, known, false);
  if (known.before === null && isNothing(without)) return { before: null, folders: known.folders };
  return { before: Buffer.from(without).toString('base64'), folders: known.folders };
}

function undoneFile(
  path: string,
  state: FileState,
  edits: readonly Edit[],
  known: FileRecord | undefined,
  force: boolean,
  notes: string[],
): PlannedFile {
  if (state.bytes === undefined) return planned(path, 'unchanged', state);
  if (known !== undefined && sha256(state.bytes) === known.after) {
    if (known.before === null) return planned(path, 'removed', state, undefined, known.folders);
    return planned(path, 'restored', state, Buffer.from(known.before, 'base64'));
  }
  const text = textOf(state.bytes, path);
  const without = takeAll({ file: path, text }, edits, known, force);
  const generated = edits.some(({ kind }) => kind === 'whole');
  if (known !== undefined && !generated)
    notes.push(`${path} was changed since it was installed: only what is Cairn's is taken out.`);
  const gone = isNothing(without) && (known?.before === null || generated);
  if (gone) return planned(path, 'removed', state, undefined, known?.folders ?? []);
  return without === text
    ? planned(path, 'unchanged', state, state.bytes)
    : planned(path, 'changed', state, Buffer.from(without));
}

/** A shadow file under a name that was chosen then: the record knows it, the client's own list does not. */
function editsOfUnknown(path: string): Edit[] {
  return path.endsWith('.md') ? [{ kind: 'whole', mark: shadowMark, text: '' }] : [];
}

function isNothing(text: string): boolean {
  return /^\uFEFF?\s*(\{\s*\}\s*)?$/.test(text);
}

/** Clients write these files too. What changed between reading and writing would be lost. */
function refuseIfChangedSince({ path, before }: PlannedFile): void {
  const { bytes } = readState(path);
  if (bytes === undefined ? before === undefined : before?.equals(bytes)) return;
  throw new CairnError('conflict', `${path} was changed by another program just now.`, {
    suggestion: 'Close the client, then run the command again.',
  });
}
