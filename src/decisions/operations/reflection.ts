/** Carries out what reflect.ts finds: proposals and their evidence, in one transaction on the events as they are then. */
import type { Context } from '../../operations/operation.ts';
import type { DecisionIndex, EventLink, EventLog } from '../../store/store.ts';
import { put } from '../change.ts';
import { headOf, ledgerOf, readFrom } from '../ledger.ts';
import { type Decision, newId, publicId } from '../record.ts';
import { type ProposalDraft, type ReflectionInput, reflect } from '../reflect.ts';

/** What came up lately; what is older has had its chance. */
const EVENTS = 2000;
const RECORDS = 5000;

export async function reflectNow(context: Context, namespace: string) {
  const { store } = context;
  // Most reflections find nothing: that is known without taking the write lock.
  const likely = await context.read((view) => inputFor(view.events, store.decisions, namespace));
  const first = reflect(likely);
  const nothing = { made: [], grown: [], events: likely.events.length };
  if (first.drafts.length === 0 && first.growth.length === 0) return nothing;

  const done = await context.write(async (change, audit) => {
    const input = await inputFor(change.events, store.decisions, namespace);
    const { drafts, growth } = reflect(input);
    const made: string[] = [];
    for (const draft of drafts) {
      const proposal = proposed(draft, namespace, input.now, context);
      await put(change, proposal);
      for (const event of draft.evidence) await change.events.link(event, proposal.id, input.now);
      made.push(proposal.id);
    }
    for (const { proposal, evidence, confidence } of growth) {
      const present = await readFrom(change.files, proposal);
      if (present === undefined) continue;
      await put(change, { ...present, confidence, updated: input.now });
      for (const event of evidence) await change.events.link(event, proposal, input.now);
    }
    const grown = growth.map(({ proposal }) => proposal);
    if (made.length + grown.length === 0) audit.skip();
    audit.subject(...[...made, ...grown].map(publicId));
    return { made, grown, events: input.events.length };
  });
  await ledgerOf(store).refresh([...done.made, ...done.grown]);
  return done;
}

async function inputFor(log: EventLog, index: DecisionIndex, namespace: string): Promise<ReflectionInput> {
  const events = await log.list({ namespace }, EVENTS, 0);
  const links: EventLink[] = [];
  for (const { id } of events) links.push(...(await log.links({ event: id })));
  const active = await index.list({ namespace, kind: 'decision', statuses: ['active'] }, RECORDS, 0);
  const proposals = await index.list({ namespace, kind: 'proposal' }, RECORDS, 0);
  const heads = [...active, ...proposals].map(headOf);
  const bodies = await index.bodies(heads.map(({ id }) => id));
  return {
    events,
    links,
    records: heads.map(({ id, kind, status, title, target }) => {
      return { id, kind, status, title, target, text: bodies.get(id) ?? '' };
    }),
    targets: (await index.targets(namespace)).map(({ target }) => target),
    now: new Date().toISOString(),
  };
}

function proposed(draft: ProposalDraft, namespace: string, now: string, { principal }: Context): Decision {
  const { title, target, rationale, confidence, suggestedSupersedes } = draft;
  return {
    id: newId('proposal', target, now),
    kind: 'proposal',
    title,
    target,
    namespace,
    status: 'proposed',
    rationale,
    consequences: [],
    supersedes: [],
    suggestedSupersedes,
    provenance: { origin: 'agent', agent: `reflection for ${principal.name}`, door: principal.door },
    confidence,
    created: now,
    updated: now,
    extra: {},
  };
}
