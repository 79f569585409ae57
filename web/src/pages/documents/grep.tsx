import { useState } from 'preact/hooks';
import type { Hit, SearchAnswer } from '../../data/answers.ts';
import { useCall } from '../../data/use-call.ts';
import { Empty, Loaded } from '../../parts/basics.tsx';
import { Choice, SearchField, TextField, Tick } from '../../parts/field.tsx';
import { PageHead } from '../../parts/heading.tsx';
import { documentLink } from '../../parts/places.ts';
import { Snippet } from '../../parts/snippet.tsx';
import { type Route, replaceQuery } from '../../router.ts';
import { count, plural } from '../../text/format.ts';

interface GrepAnswer {
  readonly matches?: readonly Match[];
  readonly total: number;
  readonly files_matched: number;
  readonly files_searched: number;
  readonly next_cursor?: string;
}
interface Match {
  readonly path: string;
  readonly collection: string;
  readonly line?: number;
  readonly text: string;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

export function DocumentSearch({ route }: { readonly route: Route }) {
  const get = (name: string) => route.query.get(name) ?? '';
  const set = (name: string) => (value: string) => replaceQuery(route, { [name]: value });
  const how = get('how') || 'search';
  return (
    <>
      <PageHead title="Search in documents" crumbs={[{ label: 'Documents', href: '#/documents' }]} />
      <div class="filters">
        <SearchField
          label={how === 'grep' ? 'Regular expression' : 'Words or a question'}
          value={get('q')}
          onChange={set('q')}
        />
        <Choice
          label="How"
          value={how}
          options={[
            { value: 'search', label: 'best matches' },
            { value: 'grep', label: 'every line (grep)' },
          ]}
          onChange={set('how')}
        />
        <TextField label="Collection" value={get('collection')} onChange={set('collection')} />
        <TextField label="Ending" placeholder=".ts" value={get('extension')} onChange={set('extension')} />
        {how === 'grep' && (
          <Tick
            label="ignore case"
            checked={get('i') === 'true'}
            onChange={(checked) => replaceQuery(route, { i: checked })}
          />
        )}
      </div>
      {get('q') === '' ? (
        <Empty title="Type what you look for." />
      ) : how === 'grep' ? (
        <GrepResults route={route} key={route.query.toString()} />
      ) : (
        <SearchResults route={route} />
      )}
    </>
  );
}

function scopeOf({ query }: Route) {
  const collection = query.get('collection');
  const extension = query.get('extension');
  return { ...(collection && { collection }), ...(extension && { extension }) };
}

function SearchResults({ route }: { readonly route: Route }) {
  const asked = {
    query: route.query.get('q') ?? '',
    limit: 30,
    highlight: true,
    line_numbers: true,
    ...scopeOf(route),
  };
  const answer = useCall<SearchAnswer>('search', asked, ['document']);
  return (
    <Loaded answer={answer} lines={6}>
      {({ results = [], total }) =>
        results.length === 0 ? (
          <Empty title="No document speaks of it." />
        ) : (
          <>
            <p class="note">{plural(total, 'document')}</p>
            <ol class="list hits">
              {results.map((hit) => (
                <Found key={hit.key} hit={hit} />
              ))}
            </ol>
          </>
        )
      }
    </Loaded>
  );
}

function Found({ hit: { path = '', collection = 'default', line, snippet, highlights } }: { readonly hit: Hit }) {
  return (
    <li>
      <a href={documentLink(collection, path, line)}>{path}</a>{' '}
      <span class="note">
        {collection}
        {line !== undefined && `, line ${line}`}
      </span>
      <Snippet text={snippet} highlights={highlights ?? []} />
    </li>
  );
}

function GrepResults({ route }: { readonly route: Route }) {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const cursor = cursors.at(-1);
  const asked = {
    pattern: route.query.get('q') ?? '',
    line_numbers: true,
    ignore_case: route.query.get('i') === 'true',
    context: 1,
    limit: 100,
    ...scopeOf(route),
    ...(cursor !== undefined && { cursor }),
  };
  const answer = useCall<GrepAnswer>('grep', asked);
  return (
    <Loaded answer={answer} lines={6}>
      {({ matches = [], files_searched, next_cursor }) => (
        <>
          <p class="note">
            {plural(matches.length, 'line')} here; {count(files_searched)} documents searched
          </p>
          {matches.length === 0 && <Empty title="No line matches." />}
          <ol class="list hits">
            {matches.map((match) => (
              <Line key={`${match.collection}/${match.path}:${match.line}`} match={match} />
            ))}
          </ol>
          <div class="buttons more">
            {cursors.length > 0 && (
              <button type="button" onClick={() => setCursors(cursors.slice(0, -1))}>
                Back
              </button>
            )}
            {next_cursor !== undefined && (
              <button type="button" onClick={() => setCursors([...cursors, next_cursor])}>
                Next
              </button>
            )}
          </div>
        </>
      )}
    </Loaded>
  );
}

function Line({ match: { path, collection, line, text, before = [], after = [] } }: { readonly match: Match }) {
  return (
    <li>
      <a href={documentLink(collection, path, line)}>
        {path}
        {line !== undefined && `:${line}`}
      </a>
      <div class="snippet mono">
        {before.map((each) => `${each}\n`)}
        <mark>{text}</mark>
        {after.map((each) => `\n${each}`)}
      </div>
    </li>
  );
}
