import { type DiffLine, diffOf, shortened } from './diff.ts';

const signs = { same: ' ', added: '+', removed: '−', skipped: '⋯' } as const;

export function Diff({ before, after }: { readonly before: string; readonly after: string }) {
  return <DiffLines lines={shortened(diffOf(before, after))} />;
}

export function DiffLines({ lines }: { readonly lines: readonly DiffLine[] }) {
  if (lines.length === 0) return <p class="note">The text is the same.</p>;
  return (
    <div class="diff">
      {lines.map(({ kind, text }, index) => (
        <div key={index} class={kind}>
          <span aria-hidden="true">{signs[kind]}</span>
          <span>
            {kind === 'added' || kind === 'removed' ? <span class="unseen">{kind}: </span> : null}
            {text}
          </span>
        </div>
      ))}
    </div>
  );
}

/** A unified diff as the server makes it. */
export function UnifiedDiff({ text }: { readonly text: string }) {
  const lines = text.split('\n').map((line): DiffLine => {
    if (line.startsWith('@@') || line.startsWith('---') || line.startsWith('+++'))
      return { kind: 'skipped', text: line };
    if (line.startsWith('+')) return { kind: 'added', text: line.slice(1) };
    return line.startsWith('-') ? { kind: 'removed', text: line.slice(1) } : { kind: 'same', text: line.slice(1) };
  });
  return <DiffLines lines={lines} />;
}
