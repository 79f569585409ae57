/** How alike two decisions are in their words: cheap enough for every write, and sure enough where it is high. */

const word = /[\p{L}\p{N}]+/gu;

export function wordsOf(text: string): string[] {
  return text.normalize('NFKC').toLowerCase().match(word) ?? [];
}

/** The cosine of the counts of words: 1 for the same words in any order, 0 for none in common. */
export function wordSimilarity(a: string, b: string): number {
  const [left, right] = [countsOf(a), countsOf(b)];
  let product = 0;
  for (const [each, count] of left) product += count * (right.get(each) ?? 0);
  const lengths = lengthOf(left) * lengthOf(right);
  return lengths === 0 ? 0 : product / lengths;
}

function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const each of wordsOf(text)) counts.set(each, (counts.get(each) ?? 0) + 1);
  return counts;
}

function lengthOf(counts: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const count of counts.values()) sum += count * count;
  return Math.sqrt(sum);
}

/** What two decisions are compared by. */
export function textOf({ title, rationale, consequences = [] }: Compared): string {
  return [title, rationale, ...consequences].join('\n');
}

interface Compared {
  readonly title: string;
  readonly rationale: string;
  readonly consequences?: readonly string[];
}

const negations = new Set([
  'not',
  'no',
  'never',
  'none',
  'without',
  'dont',
  'cannot',
  'cant',
  'nor',
  'neither',
  'stop',
  'disable',
  'disabled',
]);

/** Whether one says no, or a number, where the other does not: however alike they are, they do not say the same. */
export function differInKind(a: string, b: string): boolean {
  const decisive = (text: string) =>
    wordsOf(text.replaceAll(/['\u2019]/g, ''))
      .filter((each) => negations.has(each) || /\d/.test(each))
      .sort()
      .join(' ');
  return decisive(a) !== decisive(b);
}
