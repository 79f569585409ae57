/** Code with its colours, and with line numbers where they are wanted. */
import { type Token, tokensOf } from './tokens.ts';

export function Code({ text, language = '' }: { readonly text: string; readonly language?: string }) {
  return (
    <pre class="code">
      <code>{tokensOf(text, language).map(tokenElement)}</code>
    </pre>
  );
}

export function CodeLines({
  text,
  language,
  first = 1,
  marked,
}: {
  readonly text: string;
  readonly language: string;
  readonly first?: number;
  readonly marked?: number | undefined;
}) {
  return (
    <pre class="code lines">
      {linesOf(tokensOf(text, language)).map((tokens, index) => {
        const number = first + index;
        return [
          <span key={`n${number}`} class="line-number" aria-hidden="true" id={`L${number}`}>
            {number}
          </span>,
          <code key={number} class="line">
            {number === marked ? <mark>{tokens.map(tokenElement)}</mark> : tokens.map(tokenElement)}
          </code>,
        ];
      })}
    </pre>
  );
}

function tokenElement({ kind, text }: Token, key: number) {
  return kind === 'plain' ? (
    text
  ) : (
    <span key={key} class={`tok-${kind}`}>
      {text}
    </span>
  );
}

function linesOf(tokens: readonly Token[]): Token[][] {
  const lines: Token[][] = [[]];
  for (const { kind, text } of tokens) {
    text.split('\n').forEach((part, index) => {
      if (index > 0) lines.push([]);
      if (part !== '') lines.at(-1)?.push({ kind, text: part });
    });
  }
  return lines;
}
