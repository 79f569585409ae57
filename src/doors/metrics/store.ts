/** What the store holds and how far what is derived from it has come: counted again only when something was written. */
import type { App } from '../../service/app.ts';
import type { Store, VectorShelf } from '../../store/store.ts';
import type { WebhookState } from '../../store/webhooks.ts';
import { gauge, gauges, type Measure } from './exposition.ts';

const statuses = ['active', 'superseded', 'proposed', 'accepted', 'rejected', 'deprecated'] as const;

/** Vectors and indexes are filled without a write to the store: what was counted is good for this long at most. */
const GOOD_FOR_MS = 5000;

export class StoreFigures {
  readonly #app: Pick<App, 'store' | 'embedder'>;
  #counted: { readonly generation: number; readonly at: number; readonly measures: Measure[] } | undefined;

  constructor(app: Pick<App, 'store' | 'embedder'>) {
    this.#app = app;
  }

  async measures(): Promise<Measure[]> {
    const generation = await this.#app.store.generation();
    const known = this.#counted;
    if (known !== undefined && known.generation === generation && performance.now() - known.at < GOOD_FOR_MS)
      return known.measures;
    const measures = await this.#count(generation);
    this.#counted = { generation, at: performance.now(), measures };
    return measures;
  }

  async #count(generation: number): Promise<Measure[]> {
    const { store, embedder } = this.#app;
    const { documents, events, audit, lastChange, webhooks, dead } = await store.read(async (view) => ({
      documents: await view.documents.count({}),
      events: await view.events.count({}),
      // The trail is never shortened: the number of the last entry is how many there are, and no count.
      audit: (await view.audit.recent(1))[0]?.seq ?? 0,
      lastChange: await view.documents.lastChange(),
      webhooks: await view.webhooks.list(),
      dead: await view.webhooks.deadCount(),
    }));
    const vectors = {
      instruction: await progress(store.instructions.vectors, embedder.model),
      decision: await progress(store.decisions.vectors, embedder.model),
      document: await progress(store.documents.vectors, embedder.model),
    };
    const behind = {
      documents: Math.max(0, lastChange - (await store.documents.seq())),
      graph: await store.graph.pending(),
    };
    return [
      gauge('cairn_store_generation', 'Grows with every committed write of any process.', generation),
      gauge('cairn_instructions', 'Instructions in the index.', await store.graph.instructionCount()),
      gauges('cairn_decisions', 'Decisions in the index.', 'status', await decisionCounts(store)),
      gauge('cairn_documents', 'Documents.', documents),
      gauge('cairn_contents', 'Contents of documents that are indexed.', (await store.documents.counts()).contents),
      gauge('cairn_events', 'Events of the memory.', events),
      gauge('cairn_audit_entries', 'Entries of the audit trail.', audit),
      gauges('cairn_index_behind', 'What the index has not taken in yet.', 'index', behind),
      gauge(
        'cairn_webhook_queue',
        'Entries of the trail that webhooks have not been told of.',
        waiting(webhooks, audit),
      ),
      gauge('cairn_webhook_dead_letters', 'Events that webhooks did not take.', dead),
      gauges('cairn_vectors_done', 'Texts that have vectors, or need none.', 'kind', each(vectors, 'done')),
      gauges('cairn_vectors_wanted', 'Texts that are to have vectors.', 'kind', each(vectors, 'of')),
    ];
  }
}

function waiting(webhooks: readonly WebhookState[], newest: number): number {
  return webhooks.reduce((sum, { cursor }) => sum + Math.max(0, newest - cursor), 0);
}

async function decisionCounts({ decisions }: Store): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const status of statuses) counts[status] = await decisions.count({ statuses: [status] });
  return counts;
}

interface Progressed {
  readonly done: number;
  readonly of: number;
}

function progress(shelf: VectorShelf, model: string): Promise<Progressed> {
  return shelf.progress(model);
}

function each(vectors: Readonly<Record<string, Progressed>>, what: keyof Progressed): Record<string, number> {
  return Object.fromEntries(Object.entries(vectors).map(([kind, figures]) => [kind, figures[what]]));
}
