/** What must be in a text, or must not. */

export interface Term {
  /** One word or several in a row. */
  readonly text: string;
  /** The last word may go on. */
  readonly prefix?: boolean;
  /** Only there. */
  readonly field?: string;
}

export interface Terms {
  readonly required: readonly Term[];
  readonly excluded: readonly Term[];
  /** Only these texts, where they were chosen by something else than their words. */
  readonly ids?: readonly string[];
}

export const noTerms: Terms = { required: [], excluded: [] };

export function isNarrow({ required, excluded, ids }: Terms): boolean {
  return required.length + excluded.length > 0 || ids !== undefined;
}
