/** Runs of three letters as words of a full-text index, which a tokeniser of ASCII leaves whole. */
import { threesOf } from '../letters.ts';

export function threeWordsOf(text: string): string[] {
  return threesOf(text).map((three) => three.toString(36));
}
