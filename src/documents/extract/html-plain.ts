/** Everything a page shows, as simple Markdown, in one pass and without a tree: for pages too large to be one. */
import { tokensOf } from './html-tokens.ts';

const blocks = new Set(
  (
    'address article aside blockquote center dd details dialog div dl dt fieldset figcaption figure footer form ' +
    'header hr main nav ol option p pre section summary table tbody tfoot thead tr ul li h1 h2 h3 h4 h5 h6'
  ).split(' '),
);

export function plainText(source: string): string {
  const lines: string[] = [];
  let line: string[] = [];
  let mark = '';
  let preformatted = 0;
  let inTitle = false;
  const end = () => {
    const text = preformatted > 0 ? line.join('') : line.join('').replace(/\s+/g, ' ').trim();
    if (text !== '') lines.push(mark + text);
    if (text !== '') mark = '';
    line = [];
  };
  for (const token of tokensOf(source)) {
    if (token.kind === 'text') {
      if (!inTitle) line.push(token.text);
      continue;
    }
    const { kind, name } = token;
    if (name === 'title') inTitle = kind === 'open';
    else if (name === 'br') end();
    else if (name === 'td' || name === 'th') line.push(kind === 'close' ? ' | ' : '');
    else if (blocks.has(name)) {
      end();
      if (name === 'pre') preformatted = Math.max(0, preformatted + (kind === 'open' ? 1 : -1));
      mark = kind === 'open' ? markOf(name) : '';
      if (kind === 'close' && lines.at(-1) !== '') lines.push('');
    }
  }
  end();
  return lines.join('\n').trim();
}

function markOf(name: string): string {
  if (name === 'li') return '- ';
  const [, level] = /^h([1-6])$/.exec(name) ?? [];
  return level === undefined ? '' : `${'#'.repeat(Number(level))} `;
}
