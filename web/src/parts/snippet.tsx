/** A piece of stored text with the places that matched. */

interface Place {
  readonly start: number;
  readonly end: number;
}

export function Snippet({ text, highlights }: { readonly text: string; readonly highlights: readonly Place[] }) {
  const pieces: preact.ComponentChildren[] = [];
  let at = 0;
  for (const { start, end } of highlights.toSorted((a, b) => a.start - b.start)) {
    if (start < at || end > text.length) continue;
    pieces.push(text.slice(at, start), <mark key={start}>{text.slice(start, end)}</mark>);
    at = end;
  }
  return (
    <div class="snippet">
      {pieces}
      {text.slice(at)}
    </div>
  );
}
