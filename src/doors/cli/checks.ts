/** `cairn review FILE…`, `cairn gates` and `cairn due`: the catalog's checks as commands, fit for CI. */
import { readFile } from 'node:fs/promises';
import { toCairnError } from '../../errors.ts';
import { call } from '../../operations/call.ts';
import type { App } from '../../service/app.ts';
import type { Principal } from '../../service/principal.ts';
import { badUsage } from './arguments.ts';
import type { CheckFinding, CheckReport } from './report.ts';

interface Issue {
  readonly ruleId: string;
  readonly severity: string;
  readonly description: string;
  readonly remediation?: string;
  readonly start?: number;
}

export async function reviewFiles(app: App, principal: Principal, files: readonly string[]): Promise<CheckReport> {
  if (files.length === 0) throw badUsage('review needs at least one file', 'For example: cairn review prompts/*.md');
  const findings: CheckFinding[] = [];
  for (const file of files) {
    for (const { part, line } of partsOf(await contentOf(file))) {
      const result = await call(app, { operation: 'prompt_review', input: { prompt: part }, principal });
      for (const issue of (result as { issues: readonly Issue[] }).issues) {
        const { ruleId, severity, description, remediation, start = 0 } = issue;
        findings.push({
          file,
          line: line + part.slice(0, start).split('\n').length - 1,
          severity,
          rule: ruleId,
          message: description,
          ...(remediation !== undefined && { remedy: remediation }),
        });
      }
    }
  }
  return { check: 'review', subjects: files, findings };
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    throw badUsage(`${file} cannot be read: ${toCairnError(thrown).detail.message}`, 'Check the path.');
  }
}

/** Bytes; a review takes 10 KB. */
const PART = 10_000;

/** A file part by part, cut between lines where it can be, so that positions stay those of the file. */
function* partsOf(text: string): Generator<{ part: string; line: number }> {
  let part = '';
  let first = 1;
  for (const [index, whole] of text.split('\n').entries()) {
    for (const piece of piecesOf(whole)) {
      if (part !== '' && Buffer.byteLength(part) + Buffer.byteLength(piece) >= PART) {
        yield { part, line: first };
        part = '';
        first = index + 1;
      }
      part += piece;
    }
    part += '\n';
  }
  yield { part, line: first };
}

/** A character takes at most three bytes of UTF-8 for each unit of its length. */
function piecesOf(line: string): string[] {
  return line.match(/.{1,3000}/gs) ?? [''];
}

interface Gate {
  readonly id: string;
  readonly passed: boolean;
  readonly count: number;
  readonly op: string;
  readonly value: number;
  readonly severity: string;
  readonly error?: string;
}

export async function evaluateGates(app: App, principal: Principal): Promise<CheckReport> {
  const result = (await call(app, { operation: 'gates_evaluate', input: {}, principal })) as {
    results: readonly Gate[];
  };
  const findings = result.results
    .filter(({ passed }) => !passed)
    .map(({ id, count, op, value, severity, error }) => ({
      file: id,
      line: 1,
      severity,
      rule: id,
      message: error ?? `${count} entries fit, and the gate wants ${op} ${value}`,
    }));
  return { check: 'gates', subjects: result.results.map(({ id }) => id), findings };
}

interface Due {
  readonly id: string;
  readonly title: string;
  readonly owner: string;
  readonly nextReviewDue: string;
  /** It cites what has changed since: a reason to review it, whatever its date. */
  readonly stale?: { readonly reason: string; readonly ref: string; readonly diff?: string };
}

/** What is to be reviewed by now, by owner. */
export async function dueByOwner(app: App, principal: Principal): Promise<Record<string, Due[]>> {
  const byOwner: Record<string, Due[]> = {};
  const filters = { dueBefore: new Date().toISOString() };
  for (let cursor: string | undefined, more = true; more; ) {
    const input = { filters, limit: 1000, ...(cursor !== undefined && { cursor }) };
    const page = (await call(app, { operation: 'instructions_query', input, principal })) as {
      items: Due[];
      nextCursor?: string;
    };
    for (const item of page.items) add(byOwner, item);
    cursor = page.nextCursor;
    more = cursor !== undefined;
  }
  const due = new Set(
    Object.values(byOwner)
      .flat()
      .map(({ id }) => id),
  );
  for (const id of await staleInstructions(app, principal)) {
    if (due.has(id)) continue;
    const answer = (await call(app, { operation: 'instructions_get', input: { id }, principal })) as { item?: Due };
    if (answer.item !== undefined) add(byOwner, answer.item);
  }
  return byOwner;
}

function add(byOwner: Record<string, Due[]>, { id, title, owner, nextReviewDue, stale }: Due): void {
  byOwner[owner] = [...(byOwner[owner] ?? []), { id, title, owner, nextReviewDue, ...(stale && { stale }) }];
}

const PAGE = 1000;

async function staleInstructions(app: App, principal: Principal): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let offset = 0, more = true; more; offset += PAGE) {
    const input = { kind: 'instruction', limit: PAGE, offset };
    const { stale } = (await call(app, { operation: 'stale_list', input, principal })) as { stale: { id: string }[] };
    for (const { id } of stale) ids.add(id);
    more = stale.length === PAGE;
  }
  return ids;
}

export function dueText(byOwner: Readonly<Record<string, readonly Due[]>>): string {
  const owners = Object.entries(byOwner).sort(([a], [b]) => (a < b ? -1 : 1));
  if (owners.length === 0) return 'Nothing is due for review.';
  return owners
    .map(([owner, entries]) => {
      const lines = entries
        .toSorted((a, b) => (a.nextReviewDue < b.nextReviewDue ? -1 : 1))
        .map(({ id, title, nextReviewDue, stale }) => {
          const why = stale === undefined ? '' : `  (stale: ${stale.ref} ${stale.reason})`;
          return `  ${nextReviewDue.slice(0, 10)}  ${id}  ${title}${why}`;
        });
      return `${owner} (${entries.length})\n${lines.join('\n')}`;
    })
    .join('\n');
}
