/** Small things that every page is made of. */
import type { ComponentChildren } from 'preact';
import type { CallError } from '../data/call.ts';
import type { Answer } from '../data/use-call.ts';
import { ago, moment } from '../text/format.ts';

type Children = { readonly children?: ComponentChildren };

const tones: Readonly<Record<string, string>> = {
  approved: 'good',
  active: 'good',
  accepted: 'good',
  ok: 'good',
  resolved: 'good',
  healthy: 'good',
  ready: 'good',
  review: 'warn',
  proposed: 'warn',
  draft: 'calm',
  new: 'warn',
  stale: 'bad',
  changed: 'bad',
  missing: 'bad',
  moved: 'warn',
  conflict: 'bad',
  overdue: 'bad',
  deprecated: 'faint',
  superseded: 'faint',
  rejected: 'faint',
  closed: 'faint',
  critical: 'bad',
  high: 'bad',
  degraded: 'bad',
};

export function Badge({ word, tone }: { readonly word: string; readonly tone?: string }) {
  return <span class={`badge ${tone ?? tones[word] ?? 'calm'}`}>{word}</span>;
}

export function Time({ at }: { readonly at: string | undefined }) {
  return at === undefined ? (
    <span class="faint">–</span>
  ) : (
    <time dateTime={at} title={moment(at)}>
      {ago(at)}
    </time>
  );
}

export function Section({
  title,
  note,
  aside,
  children,
}: Children & { readonly title: string; readonly note?: ComponentChildren; readonly aside?: ComponentChildren }) {
  return (
    <section class="card">
      <header class="card-head">
        <h2>{title}</h2>
        {note !== undefined && <span class="note">{note}</span>}
        {aside !== undefined && <div class="card-aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

export function Empty({ title, children }: Children & { readonly title: string }) {
  return (
    <div class="empty">
      <p>{title}</p>
      {children !== undefined && <div class="note">{children}</div>}
    </div>
  );
}

export function Failure({ error, retry }: { readonly error: CallError; readonly retry?: () => void }) {
  return (
    <div class="failure" role="alert">
      <p>{error.message}</p>
      {error.suggestion !== undefined && <p class="note">{error.suggestion}</p>}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** What an answer holds, once it is there; before that a quiet place of about its size. */
export function Loaded<T>({
  answer,
  children,
  lines = 3,
}: {
  readonly answer: Answer<T>;
  readonly children: (data: T) => ComponentChildren;
  readonly lines?: number;
}) {
  const { data, error, reload } = answer;
  if (error !== undefined && data === undefined) return <Failure error={error} retry={reload} />;
  if (data === undefined) return <Placeholder lines={lines} />;
  return (
    <>
      {error !== undefined && <Failure error={error} retry={reload} />}
      {children(data)}
    </>
  );
}

export function Placeholder({ lines }: { readonly lines: number }) {
  return (
    <div class="placeholder" aria-hidden="true">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}

/** A name beside its value; what has no value is left out. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ComponentChildren])[] }) {
  const known = facts.filter(([, value]) => value !== undefined && value !== '' && value !== null);
  return (
    <dl class="facts">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export interface Tab {
  readonly name: string;
  readonly label: string;
  readonly href: string;
}

export function Tabs({ tabs, current, label }: { tabs: readonly Tab[]; current: string; label: string }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ name, label: text, href }) => (
        <a key={name} href={href} {...(name === current && { 'aria-current': 'page' as const })}>
          {text}
        </a>
      ))}
    </nav>
  );
}
