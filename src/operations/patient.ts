/** Who waits for a model that is being loaded: a command, which has no later; and whoever asked for meanings alone. */
import type { SearchType } from '../search/rank.ts';
import type { Context } from './operation.ts';

export function isPatient({ principal }: Pick<Context, 'principal'>, type: SearchType): boolean {
  return principal.door === 'cli' || type === 'semantic';
}
