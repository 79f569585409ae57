import { CairnError } from '../../errors.ts';

/** Faults of the disk or of SQLite become an error a caller can act on; a bug in the work stays what it is. */
export function describeFailure(thrown: unknown): unknown {
  if (thrown instanceof CairnError) return thrown;
  const message = messageOf(thrown);
  if (!isFileFault(thrown) && !codeOf(thrown).startsWith('ERR_SQLITE')) return thrown;
  const full = codeOf(thrown) === 'ENOSPC' || /disk is full|SQLITE_FULL/i.test(message);
  return new CairnError(
    'store_unavailable',
    full ? 'The disk is full; nothing was written' : `The store could not be used: ${message}`,
    {},
    { cause: thrown },
  );
}

export function isFileFault(thrown: unknown): boolean {
  return /^E[A-Z0-9]+$/.test(codeOf(thrown));
}

function codeOf(thrown: unknown): string {
  return String((thrown as NodeJS.ErrnoException | undefined)?.code ?? '');
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
