/**
 * Finds the weights of src/search/relevance.ts: a logistic regression on the questions marked "tune" (see cases.ts), each
 * by the text that the weights themselves find best. Run by `npm run bench:context -- --fit`; the same corpus gives the same
 * weights.
 */
import { createHash } from 'node:crypto';
import { featuresOf, namesOf, type Signs } from '../../src/search/relevance.ts';
import type { App } from '../../src/service/app.ts';
import { type Case, type Group, groupsOf } from './cases.ts';
import { type Line, regression } from './regression.ts';

interface Learned extends Line {
  readonly floor: number;
}

type Names = ReturnType<typeof namesOf>;

const FOLDS = 8;
const PENALTY = 1;
const ROUNDS = 4;
/** What a group with a share of 1 weighs. */
const WEIGHT = 300;

export async function fitWeights(app: App): Promise<void> {
  const groups = await groupsOf(app);
  const names = namesOf(featuresOf(nothing));
  console.log('Weights that were made from other questions give:');
  crossValidate(groups, names);
  const { weights, floor } = learn(groups, names);
  console.log('weights', Object.fromEntries(names.map((name, at) => [name, rounded(weights[at] ?? 0)])));
  console.log('floor', rounded(floor));
  const best = (groups[0]?.cases ?? []).map((each) => ({
    answerable: isAnswerable(each),
    score: scoreOf(each, weights, names),
  }));
  for (const above of [-1, -0.5, 0, 0.5, 1]) {
    console.log(`  floor ${rounded(floor + above)}: ${rates(best, floor + above)}`);
  }
}

const nothing: Signs = { kind: '', id: '', told: 0, covered: 0, words: 0, length: 0, asked: 0, texts: 0 };

function crossValidate(groups: readonly Group[], names: Names): void {
  const results = groups.map(() => [] as { answerable: boolean; score: number }[]);
  for (let fold = 0; fold < FOLDS; fold++) {
    const others = groups.map((group) => ({ ...group, cases: group.cases.filter((each) => foldOf(each) !== fold) }));
    const { weights, floor } = learn(others, names);
    for (const [at, { cases }] of groups.entries()) {
      for (const each of cases.filter((one) => foldOf(one) === fold)) {
        results[at]?.push({ answerable: isAnswerable(each), score: scoreOf(each, weights, names) - floor });
      }
    }
  }
  for (const [at, { name }] of groups.entries()) console.log(`  ${name.padEnd(10)} ${rates(results[at] ?? [], 0)}`);
}

/** A question stays in one fold, however it is asked. */
function foldOf({ question: { expect, why, question } }: Case): number {
  const stem = question.replace(/^Hi, .*?: | Please keep .*$/g, '');
  return createHash('sha256').update(`${expect} ${why} ${stem}`).digest().readUInt32BE() % FOLDS;
}

function learn(groups: readonly Group[], names: Names): Learned {
  let line: Line = { weights: names.map((name) => ({ similarity: 1, held: 0.3 })[name as string] ?? 0), constant: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const examples = groups.flatMap(({ share, cases }) =>
      [true, false].flatMap((positive) => {
        const own = cases.filter((each) => isAnswerable(each) === positive && each.candidates.length > 0);
        const weight = (share * WEIGHT) / 2 / Math.max(1, own.length);
        return own.map((each) => ({ features: bestOf(each, line.weights, names), positive, weight }));
      }),
    );
    line = regression(examples, PENALTY);
  }
  return { ...line, floor: floorOf(groups[0]?.cases ?? [], line.weights, names) };
}

/** Where the smaller of the two rates is largest. */
function floorOf(cases: readonly Case[], weights: readonly number[], names: Names): number {
  const scored = cases.map((each) => ({ answerable: isAnswerable(each), score: scoreOf(each, weights, names) }));
  const least = (floor: number) => Math.min(share(scored, true, floor), share(scored, false, floor));
  const floors = scored.map(({ score }) => score).filter((score) => Number.isFinite(score));
  return floors.reduce((best, floor) => (least(floor) > least(best) ? floor : best), floors[0] ?? 0);
}

function bestOf({ candidates }: Case, weights: readonly number[], names: Names): number[] {
  const vectors = candidates.map((signs) => valuesOf(signs, names));
  return vectors.reduce((best, each) => (product(each, weights) > product(best, weights) ? each : best));
}

function scoreOf(each: Case, weights: readonly number[], names: Names): number {
  return each.candidates.length === 0 ? Number.NEGATIVE_INFINITY : product(bestOf(each, weights, names), weights);
}

function valuesOf(signs: Signs, names: Names): number[] {
  const features = featuresOf(signs);
  return names.map((name) => features[name]);
}

function product(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

function isAnswerable({ question }: Case): boolean {
  return question.expect !== undefined;
}

function share(scored: readonly { answerable: boolean; score: number }[], answerable: boolean, floor: number): number {
  const own = scored.filter((each) => each.answerable === answerable);
  return own.filter(({ score }) => score >= floor === answerable).length / Math.max(1, own.length);
}

function rates(scored: readonly { answerable: boolean; score: number }[], floor: number): string {
  return `answered ${share(scored, true, floor).toFixed(3)}, silent ${share(scored, false, floor).toFixed(3)}`;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
