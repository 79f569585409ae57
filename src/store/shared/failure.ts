/** What goes wrong between us and a PostgreSQL server, in words that say what to do. */
import { CairnError } from '../../errors.ts';

interface Failure {
  readonly code?: string;
  readonly message?: string;
  readonly severity?: string;
}

/** The transaction met another and may be tried again: serialisation failure, deadlock. */
const met = new Set(['40001', '40P01']);

/** The connection or the server went away; 57P01…57P03 are a server that stops or starts. */
const away = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  '57P01',
  '57P02',
  '57P03',
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  '53300',
]);

export function codeOf(thrown: unknown): string {
  return String((thrown as Failure | undefined)?.code ?? '');
}

export function isMet(thrown: unknown): boolean {
  return met.has(codeOf(thrown));
}

/** What the driver says without a code. */
const cutOff =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

export function isAway(thrown: unknown): boolean {
  return away.has(codeOf(thrown)) || cutOff.test((thrown as Failure | undefined)?.message ?? '');
}

const suggestions: Readonly<Record<string, string>> = {
  '28P01': 'The password is wrong: look at CAIRN_STORE.',
  '28000': 'This user may not connect: look at CAIRN_STORE and the pg_hba.conf of the server.',
  '3D000': 'Create the database first: createdb NAME.',
  '42501': 'The user of CAIRN_STORE must own the schemas cairn and cairn_data, or be allowed to create them.',
  '25006': 'The server takes no writes: it is a replica, or it was set to read only. Name the primary in CAIRN_STORE.',
  '53100': 'The disk of the database is full; nothing was written.',
  '57014': 'It took longer than CAIRN_STORE_TIMEOUT_MS allows; nothing was written.',
  '55P03': 'Another process holds the catalog; try again. Nothing was written.',
};

/** Faults of the server become an error a caller can act on; a bug in the work stays what it is. */
export function describeFailure(thrown: unknown): unknown {
  if (thrown instanceof CairnError) return thrown;
  const { message = '', severity } = (thrown ?? {}) as Failure;
  if (isAway(thrown)) {
    return new CairnError(
      'store_unavailable',
      `The database cannot be reached: ${message || codeOf(thrown)}`,
      { suggestion: 'Nothing was written. Cairn connects again by itself as soon as the database is back.' },
      { cause: thrown },
    );
  }
  if (severity === undefined) return thrown;
  const suggestion = suggestions[codeOf(thrown)];
  return new CairnError(
    'store_unavailable',
    `The database refused: ${message} (${codeOf(thrown)})`,
    suggestion === undefined ? {} : { suggestion },
    { cause: thrown },
  );
}
