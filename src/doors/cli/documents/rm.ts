/** `cairn rm`: shows what would go, asks, and removes it. */
import { createInterface } from 'node:readline/promises';
import { CairnError } from '../../../errors.ts';
import { badUsage } from '../arguments.ts';
import { counted } from '../figures.ts';
import { type Line, toned } from '../terminal.ts';
import type { Order } from './verb.ts';

interface Removal {
  readonly deleted: number;
  readonly dry_run?: boolean;
  /** The first hundred. */
  readonly paths: readonly string[];
  readonly not_found: readonly string[];
}

/** S1: to remove more than ten needs a word. */
const UNASKED = 10;
const SHOWN = 20;

export async function removeDocuments(order: Order): Promise<number> {
  const { words, flags, input, call, show, warn } = order;
  const asked = { ...input, ...(words.length > 0 && { names: [...words, ...((input.names ?? []) as string[])] }) };
  if (words.length === 0 && input.name === undefined && input.names === undefined && input.hash === undefined)
    throw badUsage("rm needs a document, as in cairn rm notes/old.md or cairn rm '*.tmp'");
  const planned = await call<Removal>('delete', { ...asked, dry_run: true });
  if (planned.deleted === 0) throw nothingThere(words);
  if (input.dry_run === true) {
    show(planned, () => plannedLines(planned));
    return planned.not_found.length > 0 ? 1 : 0;
  }
  if (flags.yes !== true && !(await agreed(order, planned))) {
    warn(['Nothing was removed.']);
    return 1;
  }
  const removed = await call<Removal>('delete', asked);
  show(removed, () => [
    [toned('strong', `${counted(removed.deleted, 'document')} removed`), '; snapshots keep what they hold'],
    ...missingLines(removed),
  ]);
  return removed.not_found.length > 0 ? 1 : 0;
}

async function agreed({ flags, human, say }: Order, planned: Removal): Promise<boolean> {
  const atTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true;
  if (!atTerminal || !human || flags.json === true) {
    if (planned.deleted <= UNASKED) return true;
    throw badUsage(
      `This would remove ${counted(planned.deleted, 'document')}, more than ${UNASKED}`,
      'See which ones with --dry-run; then add --yes.',
    );
  }
  say(plannedLines(planned));
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
    return /^y(?:es)?$/i.test((await Promise.race([lines.question('Remove? [y/N] '), closed])).trim());
  } finally {
    lines.close();
  }
}

function plannedLines(planned: Removal): Line[] {
  const more = planned.deleted - Math.min(SHOWN, planned.paths.length);
  return [
    [`${counted(planned.deleted, 'document')} would be removed:`],
    ...planned.paths.slice(0, SHOWN).map((path): Line => ['  ', toned('bad', path)]),
    ...(more > 0 ? [[`  and ${counted(more, 'other')}`]] : []),
    ...missingLines(planned),
  ];
}

function missingLines({ not_found }: Removal): Line[] {
  return not_found.map((name): Line => [toned('change', `There is no document ${name}`)]);
}

function nothingThere(words: readonly string[]): CairnError {
  return new CairnError('not_found', `No document is ${words.map((word) => JSON.stringify(word)).join(' or ')}`, {
    suggestion: "cairn ls shows what there is; a folder is meant by a pattern, as in 'docs/**'.",
  });
}
