/**
 * What a decision is about. People write the same target in many ways; it is compared by its key. A name is matched exactly,
 * then whatever its case and separators, then as an alias, then as the unique end of a path (`api` for `core/api`).
 */
import { CairnError } from '../errors.ts';
import type { DecisionIndex, FileShelf, TargetCount } from '../store/store.ts';

/** One spelling for all that differ in case and separators only. `/` stays: it makes paths. */
export function targetKey(target: string): string {
  const folded = target
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Cc}]+/gu, '')
    .trim()
    .toLowerCase()
    .replaceAll('\\', '/');
  const parts = folded.split('/').map((part) => part.replace(/[\s_.:-]+/g, '_').replace(/^_|_$/g, ''));
  return parts.filter((part) => part !== '').join('/') || folded || target.trim().toLowerCase() || target;
}

/** Names for targets besides their own, by namespace: `<home>/targets.json`, which people may edit. */
export type Aliases = Readonly<Record<string, Readonly<Record<string, string>>>>;

export const ALIAS_FILE = 'targets.json';

export async function readAliases(files: Pick<FileShelf, 'read'>): Promise<Aliases> {
  const text = await files.read('home', ALIAS_FILE);
  if (text === undefined) return {};
  try {
    return checked(JSON.parse(text));
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new CairnError('integrity_error', `${ALIAS_FILE} cannot be read: ${reason}`, {
      suggestion: `Mend it: {"aliases": {"default": {"db": "database"}}}. Cairn never overwrites what it cannot read.`,
    });
  }
}

function checked(document: unknown): Aliases {
  const aliases = isRecord(document) ? document.aliases : undefined;
  if (!isRecord(aliases)) throw new Error('it has no "aliases"');
  for (const names of Object.values(aliases)) {
    if (!isRecord(names) || Object.values(names).some((target) => typeof target !== 'string')) {
      throw new Error('"aliases" holds, for each namespace, names and the targets they stand for');
    }
  }
  return aliases as Aliases;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function serializeAliases(aliases: Aliases): string {
  return `${JSON.stringify({ aliases }, null, 2)}\n`;
}

/** What an alias stands for, at most one step: an alias of an alias is refused when it is made. */
export function aliased(aliases: Aliases, namespace: string, key: string): string | undefined {
  const names = Object.hasOwn(aliases, namespace) ? (aliases[namespace] ?? {}) : {};
  return Object.entries(names).find(([name]) => targetKey(name) === key)?.[1];
}

export interface ResolvedTarget {
  /** As it is written in the decisions that exist; as it was given where none does. */
  readonly target: string;
  readonly key: string;
  readonly how: 'exact' | 'spelling' | 'alias' | 'suffix' | 'new';
}

export async function resolveTarget(
  index: DecisionIndex,
  aliases: Aliases,
  namespace: string,
  given: string,
): Promise<ResolvedTarget> {
  const wanted = given.trim();
  const key = targetKey(wanted);
  const known = await targetOf(index, namespace, key);
  if (known !== undefined) return { target: known, key, how: known === wanted ? 'exact' : 'spelling' };
  const stands = aliased(aliases, namespace, key);
  if (stands !== undefined) {
    const aliasKey = targetKey(stands);
    return { target: (await targetOf(index, namespace, aliasKey)) ?? stands, key: aliasKey, how: 'alias' };
  }
  const [only, ...others] = await index.targetsEnding(namespace, key, 2);
  if (only !== undefined && others.length === 0) return { target: only.target, key: only.targetKey, how: 'suffix' };
  return { target: wanted, key, how: 'new' };
}

async function targetOf(index: DecisionIndex, namespace: string, key: string): Promise<string | undefined> {
  const [newest] = await index.list({ namespace, targetKey: key }, 1, 0);
  return newest?.target;
}

const SUGGESTIONS = 3;

/** Names that the caller may have meant: never the one that was asked for. */
export function nearTargets(known: readonly TargetCount[], key: string): string[] {
  const own = trigrams(key);
  return known
    .filter((target) => target.targetKey !== key)
    .map(({ target, targetKey: other }) => ({
      target,
      score: other.includes(key) || key.includes(other) ? 1 : overlap(own, trigrams(other)),
    }))
    .filter(({ score }) => score >= 0.35)
    .sort((a, b) => b.score - a.score || a.target.length - b.target.length || (a.target < b.target ? -1 : 1))
    .slice(0, SUGGESTIONS)
    .map(({ target }) => target);
}

function trigrams(text: string): Set<string> {
  const padded = `  ${text} `;
  return new Set(Array.from({ length: padded.length - 2 }, (_, at) => padded.slice(at, at + 3)));
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const each of a) if (b.has(each)) common++;
  return (2 * common) / (a.size + b.size);
}
