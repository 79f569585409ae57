import { useCallback } from 'preact/hooks';
import type { Hit, SearchAnswer } from '../data/answers.ts';
import { useCall } from '../data/use-call.ts';
import { Badge, Empty, Loaded } from '../parts/basics.tsx';
import { Choice, SearchField, TextField } from '../parts/field.tsx';
import { PageHead } from '../parts/heading.tsx';
import { decisionLink, documentLink, instructionLink } from '../parts/places.ts';
import { Snippet } from '../parts/snippet.tsx';
import { type Route, replaceQuery } from '../router.ts';
import { count, milliseconds, plural } from '../text/format.ts';

const kinds = [
  { value: 'all', label: 'everything' },
  { value: 'instruction', label: 'instructions' },
  { value: 'decision', label: 'decisions' },
  { value: 'document', label: 'documents' },
  { value: 'event', label: 'events' },
];
const types = [
  { value: 'hybrid', label: 'words and meaning' },
  { value: 'keyword', label: 'words' },
  { value: 'semantic', label: 'meaning' },
];
const PAGE = 20;

export function SearchPage({ route }: { readonly route: Route }) {
  const get = (name: string) => route.query.get(name) ?? '';
  const set = useCallback((name: string, value: string) => replaceQuery(route, { [name]: value, show: '' }), [route]);
  return (
    <>
      <PageHead title="Search" />
      <div class="filters">
        <SearchField
          label="Search everything"
          placeholder='Words, a question, "a phrase", prefix*, -without, path:src'
          value={get('q')}
          onChange={(q) => set('q', q)}
        />
        <Choice label="In" value={get('kind') || 'all'} options={kinds} onChange={(v) => set('kind', v)} />
        <Choice label="By" value={get('by') || 'hybrid'} options={types} onChange={(v) => set('by', v)} />
        {(get('kind') === 'document' || get('collection') !== '') && (
          <TextField label="Collection" value={get('collection')} onChange={(v) => set('collection', v)} />
        )}
        {get('kind') === 'instruction' && (
          <TextField label="Category" value={get('category')} onChange={(v) => set('category', v)} />
        )}
      </div>
      {get('q').trim() === '' ? (
        <Empty title="Type what you look for.">Misspelled words find what was meant; the / key leads here.</Empty>
      ) : (
        <Results route={route} />
      )}
    </>
  );
}

function Results({ route }: { readonly route: Route }) {
  const get = (name: string) => route.query.get(name) ?? '';
  const shown = Math.max(1, Number(get('show') || 1));
  const answer = useCall<SearchAnswer>(
    'search',
    {
      query: get('q').trim(),
      kind: get('kind') || 'all',
      type: get('by') || 'hybrid',
      limit: Math.min(200, PAGE * shown),
      highlight: true,
      explain: true,
      line_numbers: true,
      ...(get('collection') && { collection: get('collection') }),
      ...(get('category') && { category: get('category') }),
    },
    ['instruction', 'decision', 'document', 'event'],
  );
  return (
    <Loaded answer={answer} lines={10}>
      {({ results = [], total, at_least, execution_time_ms, spelling = {}, indexes }) => (
        <>
          <p class="note" aria-live="polite">
            {at_least ? 'at least ' : ''}
            {plural(total, 'hit')} in {milliseconds(execution_time_ms)}
            {Object.entries(spelling).map(([word, meant]) => `; “${word}” taken for ${meant.join(', ')}`)}
            {indexes.vector !== undefined &&
              indexes.vector !== 'ready' &&
              `; by meaning: ${indexes.vector.replace(/%$/, '% ready')}`}
          </p>
          {results.length === 0 && (
            <Empty title="Nothing was found.">Try fewer or other words, or look in everything.</Empty>
          )}
          <ol class="list hits">
            {results.map((hit) => (
              <HitItem key={hit.key} hit={hit} />
            ))}
          </ol>
          {results.length < total && results.length >= PAGE * shown && (
            <button type="button" class="more" onClick={() => replaceQuery(route, { show: shown + 1 })}>
              Show more
            </button>
          )}
        </>
      )}
    </Loaded>
  );
}

export function hitLink({ kind, key, path, collection, line }: Hit): string | undefined {
  if (kind === 'document' && path !== undefined) return documentLink(collection ?? 'default', path, line);
  const id = key.replace(/^(?:instruction|decision):/, '');
  if (kind === 'instruction') return instructionLink(id);
  return kind === 'decision' || kind === 'proposal' ? decisionLink(id) : undefined;
}

function HitItem({ hit }: { readonly hit: Hit }) {
  const href = hitLink(hit);
  return (
    <li>
      <Badge word={hit.kind} tone="accent" /> {href === undefined ? hit.title : <a href={href}>{hit.title}</a>}{' '}
      {hit.state !== undefined && hit.state !== 'active' && <Badge word={hit.state} />}{' '}
      {hit.stale !== undefined && <Badge word="stale" />}
      {hit.path !== undefined && (
        <span class="note">
          {' '}
          {hit.collection}/{hit.path}
          {hit.line !== undefined && `:${hit.line}`}
        </span>
      )}
      <Snippet text={hit.snippet} highlights={hit.highlights ?? []} />
      <Why hit={hit} />
    </li>
  );
}

/** What the score is made of, largest part first. */
function Why({ hit: { score, explain = {} } }: { readonly hit: Hit }) {
  const parts = Object.entries(explain).filter(([, value]) => value !== 0);
  if (parts.length === 0) return null;
  return (
    <details class="why">
      <summary class="note">score {score.toFixed(3)}: why</summary>
      <table class="bars">
        <tbody>
          {parts
            .toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a))
            .map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{name.replaceAll('_', ' ')}</th>
                <td class="number">{Number.isInteger(value) ? count(value) : value.toFixed(4)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </details>
  );
}
