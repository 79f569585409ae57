/** A home as a team might have it, filled over REST by an agent. */
import type { HttpServer } from '../support/cairn.ts';
import { serveHttp } from '../support/cairn.ts';
import { freshHome } from '../support/home.ts';

export async function rest<T = Record<string, unknown>>(
  url: string,
  operation: string,
  input: object = {},
): Promise<T> {
  const response = await fetch(`${url}/api/v1/${operation}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${operation}: ${JSON.stringify(answer)}`);
  return answer as T;
}

/** A server whose agents may write, as those of a test do; what the page may do is another matter. */
export async function servePage(env: Readonly<Record<string, string>> = {}): Promise<HttpServer> {
  return serveHttp(['--home', await freshHome()], {
    MCP_ENABLE_MUTATION: '1',
    CAIRN_EMBEDDINGS: 'none',
    CAIRN_WRITE_COOLDOWN_MS: '0',
    ...env,
  });
}

export const instructions = [
  {
    id: 'review-small',
    title: 'Keep changes small',
    body: '# Why\n\nA reviewer reads *every* line. Keep a change small enough for **one sitting**:\n\n- split refactoring from behaviour\n- one reason a change\n  - and one only\n\n```ts\nconst limit = 400; // lines\nexport function fits(lines: number): boolean {\n  return lines < limit;\n}\n```\n\n| size | minutes |\n|---|---|\n| 100 | 10 |\n| 400 | 45 |\n\n> Reviews over 400 lines find fewer faults.\n\nSee [the study](https://example.com/study) and `docs/review.md`.',
    priority: 20,
    requirement: 'mandatory',
    categories: ['review', 'quality'],
    owner: 'team-quality',
    status: 'draft',
    lastReviewedAt: '2025-01-10T00:00:00Z',
    nextReviewDue: '2025-04-10T00:00:00Z',
  },
  {
    id: 'commit-why',
    title: 'Say why in the commit',
    body: 'The diff says what. The message says why, for whoever comes in two years.',
    priority: 45,
    requirement: 'recommended',
    categories: ['review', 'git'],
    owner: 'team-quality',
    status: 'review',
  },
  {
    id: 'error-messages',
    title: 'Errors say what to do',
    body: 'An error names the value, the rule and the next step. Never only a code.',
    priority: 30,
    requirement: 'critical',
    categories: ['quality', 'ux'],
    owner: 'team-platform',
    status: 'draft',
  },
  {
    id: 'log-json',
    title: 'Logs are JSON lines',
    body: 'One object a line on stderr. No secrets. `time`, `level`, `message` first.',
    priority: 60,
    requirement: 'recommended',
    categories: ['operations'],
    owner: 'team-platform',
    status: 'draft',
  },
  {
    id: 'old-svn',
    title: 'Branch in Subversion',
    body: 'Copy trunk to branches/NAME.',
    priority: 90,
    requirement: 'deprecated',
    categories: ['git'],
    owner: 'unowned',
    status: 'deprecated',
  },
] as const;

export async function fill({ url }: HttpServer): Promise<void> {
  for (const entry of instructions) await rest(url, 'instructions_add', { entry, lax: true });
  await rest(url, 'instructions_add', {
    entry: {
      id: 'log-json',
      body: 'One object a line on stderr. No secrets.\n`time`, `level` and `message` come first.',
    },
    overwrite: true,
    lax: true,
  });
  for (let use = 0; use < 3; use++) await rest(url, 'usage_track', { id: 'review-small' });
  await rest(url, 'usage_track', { id: 'error-messages' });
  await fillDecisions(url);
  await fillDocuments(url);
  await rest(url, 'feedback_submit', {
    type: 'bug-report',
    severity: 'medium',
    title: 'List is slow',
    description: 'Listing takes two seconds on a laptop.',
  });
  await rest(url, 'session_start', { label: 'feature review' });
}

async function fillDecisions(url: string): Promise<void> {
  const { decision_id } = await rest<{ decision_id: string }>(url, 'record_decision', {
    title: 'Use Redis for session caching',
    target: 'session_storage',
    rationale: 'Redis gives sub-millisecond latency and expires keys by itself.',
    consequences: ['Operations run a Redis cluster.'],
  });
  await rest(url, 'supersede_decision', {
    title: 'Move session storage to Valkey',
    target: 'session_storage',
    rationale: 'Valkey is the open fork with a permissive licence, which legal asked for.',
    consequences: ['Clients stay as they are.', 'The cluster moves in spring.'],
    old_decision_ids: [decision_id],
  });
  await rest(url, 'record_decision', {
    title: 'One database per service',
    target: 'databases/ownership',
    rationale: 'Services that share tables cannot be released apart from each other.',
  });
  for (const [prompt, response] of [
    [
      'The queue lost messages again, why?',
      'The consumer of the payment queue acknowledges before it has stored them.',
    ],
    [
      'Payment queue dropped messages under load',
      'Acknowledge after storing: the payment queue consumer does it before.',
    ],
    ['Lost messages in the payment queue', 'The payment queue consumer must acknowledge after it stored a message.'],
  ] as const) {
    for (const session of ['a', 'b']) {
      await rest(url, 'record_interaction', { prompt, response, success: false, target: 'payment_queue', session });
    }
  }
  await rest(url, 'reflect', {});
}

async function fillDocuments(url: string): Promise<void> {
  const store = 'export class Store {\n  open(path: string): void {\n    // Opens the file at path.\n  }\n}\n';
  await rest(url, 'add', { name: 'src/store.ts', content: store });
  await rest(url, 'add', {
    name: 'notes/design.md',
    content: '# Design\n\nOne store for everything.\n',
    tags: ['design'],
  });
  await rest(url, 'snapshot', { label: 'before the clean-up' });
  await rest(url, 'add', { name: 'src/store.ts', content: `${store}\nexport const version = 2;\n` });
  await rest(url, 'add', {
    name: 'src/main.ts',
    content: "import { Store } from './store.ts';\n\nnew Store().open('x');\n",
  });
  await rest(url, 'snapshot', { label: 'after the clean-up' });
}
