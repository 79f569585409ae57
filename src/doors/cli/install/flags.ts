/** Apart from the commands, because every start of the program reads them. */
import type { FlagKind } from '../arguments.ts';

export const installFlags: ReadonlyMap<string, FlagKind> = new Map<string, FlagKind>([
  ['path', 'value'],
  ['scope', 'value'],
  ['command', 'value'],
  ['hooks', 'bare'],
  ['shadow', 'bare'],
  ['force', 'bare'],
  ['dry-run', 'bare'],
]);

export const uninstallFlags: ReadonlyMap<string, FlagKind> = new Map(
  [...installFlags].filter(([flag]) => ['path', 'scope', 'force', 'dry-run'].includes(flag)),
);
