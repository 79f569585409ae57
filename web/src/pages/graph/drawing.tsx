/** A mermaid text, drawn or as it is. */
import { useEffect, useState } from 'preact/hooks';
import { draw } from '../../drawing/draw.ts';
import type { Picture } from '../../drawing/scrub.ts';
import { announce } from '../../parts/action.tsx';
import { Section } from '../../parts/basics.tsx';
import { useTheme } from '../../theme.ts';

const MOST_NODES = 150;

interface Drawn {
  readonly picture?: Picture;
  readonly error?: string;
}

export function Drawing({
  source,
  nodes,
  note,
}: {
  readonly source: string;
  readonly nodes: number;
  readonly note: string;
}) {
  const [raw, setRaw] = useState(false);
  const [insists, setInsists] = useState(false);
  const [large, setLarge] = useState(false);
  const tooMany = nodes > MOST_NODES && !insists;
  const { picture, error } = useDrawing(tooMany || raw ? undefined : withoutLook(source));
  return (
    <Section
      title={raw ? 'Source' : 'Drawing'}
      note={note}
      aside={
        <div class="buttons">
          <button type="button" aria-pressed={raw} onClick={() => setRaw(!raw)}>
            {raw ? 'Show drawn' : 'Show source'}
          </button>
          {!raw && picture !== undefined && (
            <button type="button" aria-pressed={large} onClick={() => setLarge(!large)}>
              {large ? 'Fit in' : 'Full size'}
            </button>
          )}
          <CopyButton text={source} />
        </div>
      }
    >
      {raw ? (
        <pre class="code source">{source}</pre>
      ) : tooMany ? (
        <p>
          {nodes} nodes take long to draw, and are hard to read.{' '}
          <button type="button" onClick={() => setInsists(true)}>
            Draw them anyway
          </button>
        </p>
      ) : error !== undefined ? (
        <p class="failure">It cannot be drawn: {error}</p>
      ) : picture === undefined ? (
        <p class="note">Drawing…</p>
      ) : (
        <div class="scroll drawing">
          <img
            class={large ? '' : 'fit'}
            src={picture.url}
            width={picture.width}
            height={picture.height}
            alt={`Graph of ${note}; the source says the same in text`}
          />
        </div>
      )}
    </Section>
  );
}

/** What a source says of its own colours gives way to the theme of the page. */
function withoutLook(source: string): string {
  return source.replace(/^---\n[\s\S]*?\n---\n/, '');
}

function useDrawing(source: string | undefined): Drawn {
  const theme = useTheme();
  const [drawn, setDrawn] = useState<Drawn>({});
  useEffect(() => {
    if (source === undefined) return;
    let current = true;
    draw(source, theme === 'dark').then(
      (picture) => current && setDrawn({ picture }),
      (error: unknown) => current && setDrawn({ error: error instanceof Error ? error.message : String(error) }),
    );
    return () => {
      current = false;
    };
  }, [source, theme]);
  return drawn;
}

function CopyButton({ text }: { readonly text: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <button
      type="button"
      onClick={async () => {
        await navigator.clipboard.writeText(text);
        setCopied(true);
        announce('Copied');
        setTimeout(() => setCopied(false), 2000);
      }}
    >
      {copied ? 'Copied' : 'Copy source'}
    </button>
  );
}
