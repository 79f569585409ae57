import { useState } from 'preact/hooks';
import { useCall } from '../../data/use-call.ts';
import { Badge, Empty, Facts, Loaded, Section, Time } from '../../parts/basics.tsx';
import { Tick } from '../../parts/field.tsx';
import { PageHead } from '../../parts/heading.tsx';
import { Pager } from '../../parts/pager.tsx';
import { linkTo, type Route, replaceQuery } from '../../router.ts';
import { CodeLines } from '../../text/code.tsx';
import { bytes } from '../../text/format.ts';
import { Markdown } from '../../text/markdown.tsx';
import { languageOfPath } from '../../text/tokens.ts';
import { Related } from './related.tsx';

interface File {
  readonly hash?: string;
  readonly path?: string;
  readonly collection?: string;
  readonly size?: number;
  readonly type?: string;
  readonly mime?: string;
  readonly tags?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly modified?: string;
  readonly indexed?: string;
  readonly flagged?: string;
  readonly content?: string;
  readonly encoding?: string;
  readonly offset?: number;
  readonly next_offset?: number;
  readonly unit?: string;
  readonly problem?: string;
}

const PAGE = 64_000;

export function FilePage(props: { readonly collection: string; readonly path: string; readonly route: Route }) {
  const { collection, path, route } = props;
  const offset = Number(route.query.get('offset') || 0);
  const line = Number(route.query.get('line') || 0);
  const answer = useCall<File>(
    'get',
    { name: path, collection, include_content: true, as_text: true, offset, length: PAGE },
    ['document'],
  );
  return (
    <>
      <PageHead
        title={path}
        crumbs={[
          { label: 'Documents', href: '#/documents' },
          { label: collection, href: linkTo(['documents', 'in', collection]) },
        ]}
      />
      <Loaded answer={answer} lines={12}>
        {(file) => (
          <div class="split">
            <Content
              file={file}
              path={path}
              offset={offset}
              line={line}
              move={(next) => replaceQuery(route, { offset: next })}
            />
            <aside>
              <Section title="Facts">
                <Facts
                  facts={[
                    ['Size', file.size === undefined ? undefined : bytes(file.size)],
                    ['Kind', file.mime],
                    ['Changed', <Time at={file.modified} />],
                    ['Stored', <Time at={file.indexed} />],
                    ['Tags', file.tags?.join(', ')],
                    ...Object.entries(file.metadata ?? {}),
                    ['Flagged', file.flagged && <Badge word={file.flagged} tone="bad" />],
                    ['Content', <code class="hash">{file.hash?.slice(0, 16)}</code>],
                  ]}
                />
              </Section>
              <Related collection={collection} path={path} />
            </aside>
          </div>
        )}
      </Loaded>
    </>
  );
}

function Content(props: { file: File; path: string; offset: number; line: number; move: (offset: number) => void }) {
  const { file, path, offset, line, move } = props;
  const language = languageOfPath(path);
  const markdown = language === 'md' || language === 'markdown';
  const [source, setSource] = useState(line > 0);
  if (file.problem !== undefined) return <Empty title={file.problem} />;
  if (file.content === undefined || file.encoding === 'base64') {
    return <Empty title="It has no text to show.">Write it to a file: cairn get {path} --output-path FILE.</Empty>;
  }
  const next = file.next_offset;
  const total = next === undefined ? offset + file.content.length : Math.max(file.size ?? 0, next + 1);
  return (
    <div>
      {markdown && <Tick label="show the source" checked={source} onChange={setSource} />}
      {markdown && !source ? (
        <div class="card">
          <Markdown text={file.content} />
        </div>
      ) : (
        <CodeLines text={file.content} language={language} marked={offset === 0 && line > 0 ? line : undefined} />
      )}
      <Pager offset={offset} size={PAGE} total={total} onMove={move} unit={file.unit ?? ''} />
    </div>
  );
}
