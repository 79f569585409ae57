import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { cite } from '../../graph/stale.ts';
import type { Audit, Context } from '../../operations/operation.ts';
import { operation } from '../../operations/operation.ts';
import { sentence, violationsOf } from '../../operations/violations.ts';
import { scanForSecrets } from '../../service/secret-scan.ts';
import { sha256 } from '../../store/hash.ts';
import type { Change, FileShelf } from '../../store/store.ts';
import { catalogOf } from '../catalog.ts';
import { type AddOptions, type Decision, decideAdd } from '../change.ts';
import { type Entry, fileOf, isId, serialize } from '../entry.ts';
import { headOf, readEntry } from '../file.ts';
import { entryGovernanceHash } from '../governance.ts';
import { ownerFor, readOwners } from '../owners.ts';
import { catalogWrite, type EntryInput, entryInput } from './shape.ts';
import { viewCatalog } from './view.ts';

const MAY_WARN = 50_000;

export const add = operation({
  ...catalogWrite,
  name: 'instructions_add',
  description:
    'Adds an instruction, or with overwrite replaces one: what is not sent stays, a changed body raises the version. Send it inside "entry"; lax fills what is missing.',
  spellings: ['instructions/add'],
  failure: 'error',
  input: z.strictObject({
    entry: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('The instruction: id, title, body, priority, requirement, categories, owner…'),
    overwrite: z.boolean().default(false),
    lax: z
      .boolean()
      .default(false)
      .describe('Fill what is missing: title, priority 50, audience all, requirement optional, no categories.'),
    expectedVersion: z
      .string()
      .max(40)
      .optional()
      .describe('Refuse if the stored version is another: no update is lost.'),
  }),
  output: z.object({
    id: z.string().optional(),
    hash: z.string().optional(),
    created: z.boolean(),
    overwritten: z.boolean().optional(),
    skipped: z.boolean().optional(),
    verified: z.boolean().optional(),
    sourceHash: z.string().optional(),
    governanceHash: z.string().optional(),
    version: z.string().optional(),
    status: z.string().optional(),
    warnings: z.array(z.string()).optional(),
    error: z.string().optional(),
    feedbackHint: z.string().optional(),
    reproEntry: z.record(z.string(), z.unknown()).optional(),
    errors: z.array(z.record(z.string(), z.unknown())).optional(),
    schema: z.record(z.string(), z.unknown()).optional(),
  }),
  // S1: an instruction sent without its wrapper is "missing entry", not a complaint about each of its fields.
  prepare: (raw) => (typeof raw === 'object' && raw !== null && !('entry' in raw) ? {} : raw),
  example: {
    input: {
      entry: {
        id: 'review-small',
        title: 'Small changes',
        body: 'Keep a change small enough to review in one sitting.',
        priority: 40,
        requirement: 'recommended',
        categories: ['review'],
      },
    },
  },
  async run({ entry, overwrite, lax, expectedVersion }, context) {
    if (entry === undefined)
      return refusal('missing entry', 'Wrap the instruction: {"entry": {"id": …, "body": …}}.', {}, true);
    const parsed = entryInput.safeParse(entry);
    if (!parsed.success) {
      const errors = violationsOf(parsed.error, entry).map((violation) => ({ ...violation }));
      return { ...refusal(`invalid_entry: ${sentence(errors)}`, 'Compare with the schema.', entry, true), errors };
    }
    const given = parsed.data;
    const [secret] = await scanForSecrets(textOf(given));
    if (secret !== undefined) {
      return refusal(`secret: ${secret.rule}`, `Remove ${secret.masked}: instructions are read by everybody.`, {
        id: given.id,
      });
    }
    const options = await addOptions(context, { overwrite, lax, expectedVersion });
    const decision = await writeEntry(context, given, options);
    if (decision.kind === 'refuse') return refusal(decision.refused, decision.hint, entry);
    return answer(context, decision);
  },
});

async function answer(context: Context, decision: Exclude<Decision, { kind: 'refuse' }>) {
  const { id, body, sourceHash, version, status } = decision.entry;
  const { catalog, shelf } = await viewCatalog(context);
  await catalog.refresh([id]);
  const isNew = decision.kind === 'write' && decision.previous === undefined;
  await cite(context, 'instruction', [id], { by: context.principal.name, anew: isNew });
  // Success is what was read back from the file, not what was sent.
  const stored = shelf.get(id);
  const wrote = decision.kind === 'write';
  const previous = wrote ? decision.previous : undefined;
  return {
    id,
    hash: shelf.hash,
    created: wrote && previous === undefined,
    overwritten: previous !== undefined,
    skipped: !wrote,
    verified: stored?.head.sourceHash === sourceHash,
    sourceHash,
    governanceHash: entryGovernanceHash(headOf(decision.entry)),
    version,
    status,
    ...(body.length > MAY_WARN && {
      warnings: [`The body has ${body.length} characters; agents read shorter ones better.`],
    }),
  };
}

function refusal(error: string, feedbackHint: string, entry: Record<string, unknown>, structural = false) {
  const body = typeof entry.body === 'string' ? entry.body : undefined;
  return {
    created: false,
    error,
    feedbackHint: `${feedbackHint} If that seems wrong, tell us with feedback/submit and this reproEntry.`,
    reproEntry: { id: entry.id, ...(body !== undefined && { bodyPreview: body.slice(0, 200) }) },
    ...(structural && {
      schema: z.toJSONSchema(entryInput, { target: 'draft-7', io: 'input' }) as Record<string, unknown>,
    }),
  };
}

type Wishes = Pick<AddOptions, 'overwrite' | 'lax' | 'expectedVersion'>;

export async function addOptions(
  { config, principal, store }: Context,
  wishes: Wishes,
): Promise<(id: string) => AddOptions> {
  const owners = await readOwners(store.files);
  return (id) => ({
    ...wishes,
    now: new Date().toISOString(),
    canonical: !config.canonicalDisabled,
    strictCreate: config.strictCreate,
    owner: ownerFor(id, owners),
    // What an agent adds is a proposal until somebody who may approves it.
    status: principal.role === 'agent' ? 'draft' : 'approved',
    ...(config.workspaceId !== '' && { workspaceId: config.workspaceId }),
  });
}

/**
 * Reads what is there, decides and writes, all under the write lock: versions are exact, however many write at once. What
 * would be refused or skipped anyway takes no lock, and makes no home.
 */
async function writeEntry(context: Context, given: EntryInput, options: (id: string) => AddOptions): Promise<Decision> {
  const likely = await decideIn(context.store.files, given, options(given.id), context);
  if (likely.kind !== 'write') return likely;
  return context.write(async (change, audit) => {
    const decision = await decideIn(change.files, given, options(given.id), context);
    if (decision.kind === 'write') await put(change, audit, decision.entry, decision.previous);
    else audit.skip();
    return decision;
  });
}

async function decideIn(
  files: Pick<FileShelf, 'read'>,
  given: EntryInput,
  options: AddOptions,
  { principal }: Context,
): Promise<Decision> {
  // An agent cannot approve: not by saying so, and not by rewriting what was approved. Times are the store's to say.
  const agent = principal.role === 'agent';
  const { createdAt: _created, updatedAt: _updated, ...timeless } = given;
  const wanted = { ...timeless, status: agent && given.status === 'approved' ? undefined : given.status };
  const text = isId(given.id) ? await files.read('instructions', fileOf(given.id)) : undefined;
  if (text === undefined) return decideAdd(wanted, undefined, options);
  const reading = readEntry(given.id, text);
  if (!('problem' in reading)) return demoted(decideAdd(wanted, reading.entry, options), agent);
  if (options.overwrite && given.body !== undefined) return decideAdd(wanted, undefined, options);
  return {
    kind: 'refuse',
    refused: 'hydration_mismatch',
    hint: `The stored file ${reading.problem}. Send overwrite: true with the whole entry to replace it.`,
  };
}

/** What an agent changed is a proposal again, whatever it was before. */
export function demoted(decision: Decision, agent: boolean): Decision {
  if (!agent || decision.kind !== 'write' || decision.entry.status !== 'approved') return decision;
  return { ...decision, entry: { ...decision.entry, status: 'draft' } };
}

/** Everything in it that somebody wrote: a secret is one in any field. */
export function textOf(given: object): string {
  const { sourceHash: _hash, governanceHash: _governance, ...written } = given as Record<string, unknown>;
  return Object.values(written)
    .flat()
    .map((value) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')))
    .join('\n');
}

export async function put(change: Change, audit: Audit, entry: Entry, previous: Entry | undefined): Promise<void> {
  const written = serialize(entry);
  assertReadable(entry.id, written);
  audit.subject(entry.id);
  audit.hashes(previous && sha256(serialize(previous)), sha256(written));
  await change.files.put('instructions', fileOf(entry.id), written);
}

/** The last guard: what could not be read back is not written. */
function assertReadable(id: string, text: string): void {
  const reading = readEntry(id, text);
  if ('problem' in reading) throw new CairnError('validation_failed', `The entry ${id} ${reading.problem}`);
}

export async function refreshed(context: Context, ids: readonly string[]): Promise<string> {
  const catalog = catalogOf(context.store);
  await catalog.current();
  await catalog.refresh(ids);
  await cite(context, 'instruction', ids, { by: context.principal.name });
  return catalog.shelf.hash;
}
