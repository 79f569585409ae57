/** Why one file of many could not be had or written: what the system says is told, for there is nothing else to act on. */
import { toCairnError } from '../errors.ts';

export function reasonOf(thrown: unknown): string {
  const { kind, message, detail } = toCairnError(thrown);
  return kind === 'internal_error' && typeof detail.message === 'string' ? detail.message : message;
}
