import { useCallback } from 'preact/hooks';
import type { Instruction, InstructionPage } from '../../data/answers.ts';
import { useSession } from '../../data/session.ts';
import { useCall } from '../../data/use-call.ts';
import { Badge, Empty, Loaded, Time } from '../../parts/basics.tsx';
import { Choice, SearchField } from '../../parts/field.tsx';
import { PageHead } from '../../parts/heading.tsx';
import { instructionLink } from '../../parts/places.ts';
import { type Column, Table } from '../../parts/table.tsx';
import { type Route, replaceQuery } from '../../router.ts';
import { count, plural } from '../../text/format.ts';

const statuses = ['draft', 'review', 'approved', 'deprecated'];
const tiers = ['P1', 'P2', 'P3', 'P4'];
const PAGE = 50;
const MOST = 1000;

const anyOf = (label: string, options: readonly string[]) => [
  { value: '', label },
  ...options.map((value) => ({ value, label: value })),
];

export function InstructionList({ route }: { readonly route: Route }) {
  const { canWrite } = useSession();
  const { query } = route;
  const wanted = (name: string) => query.get(name) ?? '';
  const change = useCallback(
    (name: string, value: string) => replaceQuery(route, { [name]: value, show: '' }),
    [route],
  );
  const categories = useCall<{ categories: readonly { name: string; count: number }[] }>(
    'instructions_categories',
    {},
    ['instruction'],
  );
  const names = (categories.data?.categories ?? []).map(({ name }) => name);
  return (
    <>
      <PageHead title="Instructions" lead="How we work: governed, versioned, owned, reviewed.">
        <a class="button" href="#/reviews">
          Review calendar
        </a>
        {canWrite && (
          <a class="button main" href="#/new-instruction">
            New instruction
          </a>
        )}
      </PageHead>
      <div class="filters">
        <SearchField label="Find instructions" value={wanted('q')} onChange={(q) => change('q', q)} />
        <Choice
          label="Category"
          value={wanted('category')}
          options={anyOf('all', names)}
          onChange={(v) => change('category', v)}
        />
        <Choice
          label="Status"
          value={wanted('status')}
          options={anyOf('all', statuses)}
          onChange={(v) => change('status', v)}
        />
        <Choice label="Tier" value={wanted('tier')} options={anyOf('all', tiers)} onChange={(v) => change('tier', v)} />
        <Owner value={wanted('owner')} onChange={(v) => change('owner', v)} />
        {wanted('q') === '' && (
          <Choice label="Order" value={wanted('sort') || 'id'} options={orders} onChange={(v) => change('sort', v)} />
        )}
      </div>
      <Found route={route} />
    </>
  );
}

const orders = [
  { value: 'id', label: 'by id' },
  { value: 'priority', label: 'by priority' },
  { value: 'updatedAt', label: 'latest change first' },
  { value: 'title', label: 'by title' },
];

function Owner({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const items = useCall<{ items?: readonly { owner: string }[] }>('instructions_governance_hash', {
    includeItems: true,
  });
  const owners = [...new Set((items.data?.items ?? []).map(({ owner }) => owner).filter(Boolean))].sort();
  if (owners.length === 0 && value === '') return null;
  return <Choice label="Owner" value={value} options={anyOf('all', owners)} onChange={onChange} />;
}

function Found({ route: { query }, route }: { readonly route: Route }) {
  const get = (name: string) => query.get(name) ?? '';
  const q = get('q').trim();
  const limit = Math.min(MOST, PAGE * Math.max(1, Number(get('show') || 1)));
  const only = <T,>(name: string, value: T) => (get(name) === '' ? {} : { [name]: value });
  const asked = q === '' ? queryInput() : searchInput();

  function queryInput() {
    const filters = {
      ...(get('category') && { categories: [get('category')] }),
      ...(get('status') && { status: [get('status')] }),
      ...(get('tier') && { priorityTiers: [get('tier')] }),
      ...(get('owner') && { owners: [get('owner')] }),
    };
    const field = get('sort') || 'id';
    return { filters, sort: { field, direction: field === 'updatedAt' ? 'desc' : 'asc' }, limit };
  }
  function searchInput() {
    const narrow = {
      ...only('category', get('category')),
      ...only('status', get('status')),
      ...only('owner', get('owner')),
    };
    return { q, limit, ...narrow };
  }

  const answer = useCall<InstructionPage & { count?: number }>(
    q === '' ? 'instructions_query' : 'instructions_search',
    asked,
    ['instruction'],
  );
  return (
    <Loaded answer={answer} lines={8}>
      {({ items, total, count: counted }) => {
        const fitting =
          q === '' || get('tier') === '' ? items : items.filter((item) => item.priorityTier === get('tier'));
        const all = total ?? counted ?? fitting.length;
        if (fitting.length === 0) return <Nothing filtered={query.size > 0} />;
        return (
          <>
            <p class="note" aria-live="polite">
              {plural(all, 'instruction')}
              {fitting.length < all && `, ${count(fitting.length)} shown`}
            </p>
            <Table label="Instructions" rows={fitting} columns={columns} keyOf={({ id }) => id} />
            {items.length < all && limit < MOST && (
              <button
                type="button"
                class="more"
                onClick={() => replaceQuery(route, { show: Number(get('show') || 1) + 1 })}
              >
                Show more
              </button>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

function Nothing({ filtered }: { readonly filtered: boolean }) {
  return filtered ? (
    <Empty title="No instruction fits.">Take a filter away, or search for other words.</Empty>
  ) : (
    <Empty title="There are no instructions yet.">
      Add one on the command line (cairn instructions add), import AGENTS.md and friends (cairn import), or sign in and
      write one here.
    </Empty>
  );
}

const columns: readonly Column<Instruction>[] = [
  {
    name: 'Instruction',
    kind: 'main',
    cell: ({ id, title, stale, nextReviewDue }) => (
      <>
        <a href={instructionLink(id)}>{title}</a> {stale !== undefined && <Badge word="stale" />}{' '}
        {Date.parse(nextReviewDue) < Date.now() && <Badge word="overdue" />}
        <span class="id">{id}</span>
      </>
    ),
  },
  { name: 'Status', kind: 'short', cell: ({ status }) => <Badge word={status} /> },
  { name: 'Tier', kind: 'short', cell: ({ priorityTier, priority }) => `${priorityTier} · ${priority}` },
  { name: 'Owner', cell: ({ owner }) => owner },
  {
    name: 'Categories',
    cell: ({ categories }) => (
      <span class="badges">
        {categories.map((name) => (
          <Badge key={name} word={name} tone="calm" />
        ))}
      </span>
    ),
  },
  { name: 'Changed', kind: 'short', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  { name: 'Used', kind: 'number', cell: ({ usageCount }) => count(usageCount ?? 0) },
];
