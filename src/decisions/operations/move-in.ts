import * as z from 'zod';
import { CairnError, explain, toCairnError } from '../../errors.ts';
import { cite } from '../../graph/stale.ts';
import { type Context, operation } from '../../operations/operation.ts';
import { allowedPath } from '../../service/roots.ts';
import { mask } from '../../service/secret.ts';
import type { ForeignEvent } from '../../store/embedded/foreign-events.ts';
import type { EventDraft, EventKind } from '../../store/store.ts';
import { put } from '../change.ts';
import { type Draft, type Mapping, readLedgermind, timeOf } from '../foreign/ledgermind.ts';
import { DEFAULT_NAMESPACE, type Decision, plainId } from '../record.ts';
import { targetKey } from '../target.ts';
import { type FoundFiles, ledgermindFiles } from './move-in-files.ts';
import { type Plan, planned, type Skipped } from './move-in-plan.ts';
import { refuseSecrets } from './secrets.ts';
import { currentLedger, cut, memoryWrite, success } from './shape.ts';

const file = z.object({ path: z.string().min(1).max(1024), text: z.string().max(1_048_576) });
const counts = z.object({ found: z.number(), imported: z.number(), present: z.number(), skipped: z.number() });

export const memoryImport = operation({
  ...memoryWrite,
  name: 'memory_import',
  description:
    'Takes in the decisions, proposals and events of a LedgerMind folder, with their chains, states and times; what is here stays. A second run brings only what is new. dryRun reports and changes nothing.',
  capability: 'supersede',
  idempotent: true,
  positional: ['source'],
  changesNothing: ({ dryRun }) => dryRun === true,
  rest: 'The counts are whole; import parts of the folder to see every line.',
  input: z.strictObject({
    source: z.string().min(1).max(4096).optional().describe('The folder, within the allowed roots.'),
    files: z.array(file).max(1000).optional().describe('Files of its folder "semantic", instead of a source.'),
    dryRun: z.boolean().default(false).describe('Report what would be done, and do nothing.'),
  }),
  output: success({
    dryRun: z.boolean().optional(),
    decisions: counts.describe('present: here from an earlier import.'),
    events: counts,
    links: z.number().describe('Events that became evidence of a decision.'),
    ids: z.array(z.object({ from: z.string(), to: z.string() })).describe('Where an id could not be kept.'),
    mappings: z.array(z.record(z.string(), z.unknown())).describe('What was not taken as it stood.'),
    skipped: z.array(z.object({ item: z.string(), reason: z.string() })),
  }),
  example: {
    input: {
      files: [
        {
          path: 'semantic/decision_cache.md',
          text: '---\nkind: decision\ncontext:\n  title: Cache in Redis\n  target: cache\n  status: active\n  rationale: It has expiry built in, and we run it already.\n---\n',
        },
      ],
    },
  },
  async run({ source, files, dryRun }, context) {
    if ((source === undefined) === (files === undefined))
      throw new CairnError('invalid_params', 'memory_import needs either source or files');
    const now = new Date().toISOString();
    const found: FoundFiles =
      source === undefined
        ? { texts: (files ?? []).map((each) => ({ ...each, modified: now })), skipped: [] }
        : await ledgermindFiles(await allowedPath(source, context.config, context.principal));
    const ledger = await currentLedger(context);
    const { drafts, mappings, skipped } = await drafted(found);
    const plan = dryRun ? await rehearsed(context, drafts) : await carriedOut(context, drafts);
    if (!dryRun) {
      const ids = plan.taken.map(({ id }) => id);
      await ledger.refresh(ids);
      await cite(context, 'decision', ids, { by: context.principal.name });
    }
    const evidence = await takeEvents(context, found, drafts, plan, dryRun);
    const all = [...skipped, ...plan.skipped, ...evidence.skipped];
    const told = [...mappings, ...plan.mappings];
    return {
      status: 'success' as const,
      ...(dryRun && { dryRun }),
      decisions: {
        found: found.texts.length + found.skipped.length,
        imported: plan.taken.length,
        present: plan.present,
        skipped: skipped.length + plan.skipped.length,
      },
      events: evidence.counts,
      links: evidence.links,
      ids: told.filter(({ field }) => field === 'id').map(({ from, to }) => ({ from: String(from), to: String(to) })),
      mappings: told.slice(0, SHOWN),
      skipped: all.slice(0, SHOWN).map(({ item, reason }) => ({ item: mask(item), reason: mask(reason) })),
    };
  },
});

/** A person reads the first thousand; the counts tell of the rest. */
const SHOWN = 1000;

async function drafted({ texts, skipped: left }: FoundFiles) {
  const drafts: Draft[] = [];
  const mappings: Mapping[] = [];
  const skipped: Skipped[] = [...left];
  for (const { path, text, modified } of texts) {
    const reading = readLedgermind({ path, text }, modified);
    if ('skipped' in reading) skipped.push({ item: path, reason: reading.skipped });
    else {
      const { draft } = reading;
      const secret = await secretIn(draft);
      if (secret !== undefined) skipped.push({ item: path, reason: secret });
      else {
        drafts.push(draft);
        mappings.push(...reading.mappings);
      }
    }
  }
  return { drafts, mappings, skipped };
}

async function secretIn({ id, namespace, title, target, rationale, consequences }: Draft): Promise<string | undefined> {
  try {
    await refuseSecrets(id, namespace, title, target, rationale, ...consequences);
    return undefined;
  } catch (thrown) {
    return toCairnError(thrown).message;
  }
}

function provenance({ principal }: Context) {
  return { origin: 'import', agent: principal.name, door: principal.door } as const;
}

function rehearsed(context: Context, drafts: readonly Draft[]): Promise<Plan> {
  return context.read((view) => planned(view, context.store.decisions, drafts, provenance(context)));
}

/** All of them in one transaction: a chain is here whole or not at all. */
async function carriedOut(context: Context, drafts: readonly Draft[]): Promise<Plan> {
  if (drafts.length === 0) return rehearsed(context, drafts);
  return context.write(async (change, audit) => {
    const plan = await planned(change, context.store.decisions, drafts, provenance(context));
    for (const decision of plan.taken) {
      await put(change, decision);
      if (!isTruth(decision)) continue;
      await change.truths.release(decision.namespace, targetKey(decision.target));
      await change.truths.claim(decision.namespace, targetKey(decision.target), decision.id);
    }
    if (plan.taken.length === 0) audit.skip();
    audit.subject(...plan.taken.map(({ id }) => id));
    return plan;
  });
}

function isTruth({ kind, status }: Decision): boolean {
  return kind === 'decision' && status === 'active';
}

interface Evidence {
  readonly counts: { found: number; imported: number; present: number; skipped: number };
  links: number;
  readonly skipped: Skipped[];
}

async function takeEvents(
  context: Context,
  { events: path }: FoundFiles,
  drafts: readonly Draft[],
  plan: Plan,
  dryRun: boolean,
): Promise<Evidence> {
  const evidence: Evidence = { counts: { found: 0, imported: 0, present: 0, skipped: 0 }, links: 0, skipped: [] };
  if (path === undefined) return evidence;
  const cited = citedBy(drafts);
  try {
    const { foreignEvents } = await import('../../store/embedded/foreign-events.ts');
    for await (const page of foreignEvents(path)) {
      context.signal.throwIfAborted();
      evidence.counts.found += page.length;
      if (!dryRun) await takePage(context, page, cited, plan, evidence);
      context.progress({ done: evidence.counts.found, message: 'events' });
    }
  } catch (thrown) {
    evidence.skipped.push({ item: 'episodic.db', reason: explain(toCairnError(thrown)) });
  }
  // Whether one is here already is known only when it is added.
  if (dryRun) evidence.counts.imported = evidence.counts.found;
  return evidence;
}

/** Events that a decision names as its evidence, by their number. */
function citedBy(drafts: readonly Draft[]): Map<number, string[]> {
  const cited = new Map<number, string[]>();
  for (const { was, evidence } of drafts)
    for (const event of evidence) cited.set(event, [...(cited.get(event) ?? []), was]);
  return cited;
}

async function takePage(
  context: Context,
  page: readonly ForeignEvent[],
  cited: ReadonlyMap<number, readonly string[]>,
  { ids }: Plan,
  evidence: Evidence,
): Promise<void> {
  const { counts: tally, skipped } = evidence;
  let links = 0;
  await context.write(async (change, audit) => {
    const before = tally.imported;
    for (const event of page) {
      if (event.content.trim() === '') {
        tally.skipped++;
        skipped.push({ item: `event ${event.id}`, reason: 'it is empty' });
        continue;
      }
      const named = [event.linkedId, ...(cited.get(event.id) ?? [])].filter((each) => each !== '');
      const decisions = named.flatMap((each) => ids.get(plainId(each.split(/[\\/]/).at(-1) ?? each)) ?? []);
      const draft = eventDraft(event, decisions[0]?.namespace);
      const { id, added } = await change.events.add(draft);
      if (added) tally.imported++;
      else tally.present++;
      for (const decision of decisions) {
        if (decision.namespace !== draft.namespace) continue;
        if (await change.events.link(id, decision.id, draft.created)) links++;
      }
    }
    if (tally.imported === before && links === 0) audit.skip();
    audit.subject(`${tally.imported - before} events`);
  });
  evidence.links += links;
}

const eventKindsOfOurs: Readonly<Record<string, EventKind>> = {
  error: 'error',
  commit_change: 'commit',
  decision: 'decision',
};

/** The day is the session: what was said twice on one day is one event, as it is here. */
function eventDraft(event: ForeignEvent, namespace: string | undefined): EventDraft {
  const created = timeOf(event.timestamp) ?? new Date(0).toISOString();
  const kind = Object.hasOwn(eventKindsOfOurs, event.kind) ? eventKindsOfOurs[event.kind] : undefined;
  const context = event.context.trim();
  return {
    namespace: namespace ?? DEFAULT_NAMESPACE,
    session: `ledgermind ${created.slice(0, 10)}`,
    kind: kind ?? 'interaction',
    source: mask(event.source).slice(0, 100) || 'ledgermind',
    subject: cut(mask(event.content)),
    detail: context === '' || context === '{}' ? '' : cut(mask(context)),
    targets: [],
    files: [],
    success: event.kind !== 'error',
    created,
  };
}
