/** Instructions, decisions and what steers them: files that people edit, and can break. */
import { toCairnError } from '../../../errors.ts';
import { counted } from '../figures.ts';
import type { FaultName } from './faults.ts';
import { type Finding, found, ok, type Patient } from './finding.ts';

interface Verification {
  readonly count: number;
  readonly issues: readonly { readonly id: string }[];
  readonly unreadable: readonly { readonly file: string; readonly problem: string }[];
}

export async function instructions({ call }: Patient): Promise<Finding[]> {
  const { count, issues, unreadable } = await call<Verification>('integrity_verify');
  return [
    ok('instructions', counted(count, 'entry', 'entries')),
    // The folder itself is told of with the home.
    ...unreadable
      .filter(({ file }) => file !== 'instructions')
      .map(({ file, problem }) =>
        found(file === 'owners.json' ? 'owners-malformed' : 'instruction-unreadable', `${file} ${problem}`),
      ),
    ...issues.map(({ id }) => found('instruction-edited', `${id} has a body that its hash does not fit`)),
  ];
}

interface Gates {
  readonly results: readonly { readonly id: string; readonly error?: string }[];
}

export async function gates({ call }: Patient): Promise<Finding[]> {
  return refusalAs('gates-malformed', async () => {
    const { results } = await call<Gates>('gates_evaluate');
    return results.flatMap(({ id, error }) =>
      error === undefined ? [] : [found('gates-malformed', `The gate ${id}: ${error}`)],
    );
  });
}

export async function criteria({ call }: Patient): Promise<Finding[]> {
  return refusalAs('criteria-malformed', async () => {
    await call('prompt_review', { prompt: 'Is anything wrong with the criteria?' });
    return [];
  });
}

/** What an operation refuses because of a file is what is wrong with the file. */
async function refusalAs(fault: FaultName, work: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await work();
  } catch (thrown) {
    const error = toCairnError(thrown);
    if (error.kind === 'internal_error' || error.kind === 'store_unavailable') throw thrown;
    return [found(fault, error.message)];
  }
}

interface Health {
  readonly health?: { readonly warnings: readonly string[]; readonly errors: readonly string[] };
}

/** How get_environment_health says what does not fit together in the files of the decisions. */
const sentences: readonly (readonly [RegExp, FaultName])[] = [
  [/^Target '.*' has \d+ active decisions/s, 'decisions-contested'],
  [/ is linked to decisions\//, 'decisions-unlinked'],
  [/^targets\.json /, 'targets-malformed'],
  [/^decisions\//, 'decision-unreadable'],
];

export async function decisions({ app, call }: Patient): Promise<Finding[]> {
  const { health } = await call<Health>('get_environment_health');
  const findings = (health?.warnings ?? []).flatMap((detail) => {
    const fault = sentences.find(([form]) => form.test(detail))?.[1];
    return fault === undefined ? [] : [found(fault, detail)];
  });
  const count = await app.store.decisions.count({ kind: 'decision', statuses: ['active'] });
  return [ok('decisions', `${count} active`), ...findings];
}

export async function reviews({ call }: Patient): Promise<Finding[]> {
  const input = { filters: { dueBefore: new Date().toISOString() }, limit: 1 };
  const { total } = await call<{ total: number }>('instructions_query', input);
  return total === 0 ? [] : [found('reviews-overdue', `${counted(total, 'instruction')} overdue for review`)];
}

export async function citations({ call }: Patient): Promise<Finding[]> {
  const { items, searched } = await call<{ items: number; searched: { references: number } }>('stale_list', {
    limit: 1,
  });
  if (items === 0) return [ok('stale', `${counted(searched.references, 'citation')} up to date`)];
  const what = counted(items, 'instruction or decision cites', 'instructions and decisions cite');
  return [found('citations-stale', `${what} files that have changed since`)];
}

const DAY = 86_400_000;
const SETTLED_DAYS = 14;
const OLD_DAYS = 30;

/** A home that was begun the other day needs none yet. */
export async function backups({ app }: Patient): Promise<Finding[]> {
  const { files } = app.store;
  const stamps = [...(await files.list('instructions')), ...(await files.list('decisions'))];
  const oldest = Math.min(...stamps.map(({ modifiedMs }) => modifiedMs));
  const newest = Math.max(0, ...(await files.list('backups')).map(({ modifiedMs }) => modifiedMs));
  const now = Date.now();
  if (newest > now - OLD_DAYS * DAY) return [ok('backup', `the newest is of ${dayOf(newest)}`)];
  if (stamps.length === 0 || oldest > now - SETTLED_DAYS * DAY) return [];
  return [found('backup-old', newest === 0 ? 'There is no backup' : `The newest backup is of ${dayOf(newest)}`)];
}

function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}

interface Chain {
  readonly intact: boolean;
  readonly entries: number;
  readonly brokenAt?: number;
  readonly reason?: string;
}

export async function audit({ call }: Patient): Promise<Finding[]> {
  const { intact, entries, brokenAt, reason } = await call<Chain>('audit_verify');
  if (intact) return [ok('audit', `${counted(entries, 'entry', 'entries')}, the chain is whole`)];
  return [found('audit-broken', `The audit trail is broken at entry ${brokenAt}: ${reason}`)];
}
