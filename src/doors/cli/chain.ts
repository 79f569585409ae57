/** `cairn why`: the decisions of a target as a timeline that a person reads from top to bottom. */

interface Link {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly created: string;
  readonly until?: string;
  readonly origin: string;
  readonly rationale: string;
  readonly consequences: readonly string[];
  readonly evidence: number;
}

interface Chain {
  readonly status: string;
  readonly message?: string;
  readonly target: string;
  readonly namespace: string;
  readonly chain: readonly Link[];
  readonly conflict?: readonly string[];
}

const WIDTH = 100;
const makers: Readonly<Record<string, string>> = { human: 'a person', agent: 'an agent', import: 'an import' };

export function chainText(answer: unknown): string {
  const { status, message, target, namespace, chain, conflict } = answer as Chain;
  if (status !== 'success') return message ?? 'Nothing was found.';
  const head = namespace === 'default' ? target : `${target} (${namespace})`;
  const warning =
    conflict === undefined ? [] : ['', `! ${conflict.length} decisions are active at once: ${conflict.join(', ')}`];
  return [head, ...chain.flatMap((link, at) => linkText(link, at === chain.length - 1)), ...warning].join('\n');
}

function linkText(link: Link, last: boolean): string[] {
  const bar = last ? ' ' : '│';
  const when = link.until === undefined ? `since ${day(link.created)}` : `${day(link.created)} to ${day(link.until)}`;
  const facts = [
    link.status,
    when,
    `by ${makers[link.origin] ?? link.origin}`,
    ...(link.evidence > 0 ? [`${link.evidence} ${link.evidence === 1 ? 'event speaks' : 'events speak'} for it`] : []),
  ];
  const reason = wrap(link.rationale, WIDTH).slice(0, 6);
  return [
    '│',
    `${link.status === 'active' ? '●' : '○'} ${link.title}`,
    `${bar}   ${facts.join(', ')}`,
    ...reason.map((line) => `${bar}   ${line}`),
    ...link.consequences.map((each) => `${bar}   → ${each}`),
    `${bar}   ${link.id}`,
  ];
}

function day(time: string): string {
  return time.slice(0, 10);
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, line];
}
