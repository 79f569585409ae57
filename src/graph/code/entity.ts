/** What an expression turns out to be, somewhere in the tree. */
export type Entity =
  /** A symbol itself. */
  | { readonly kind: 'symbol'; readonly path: string; readonly symbol: number }
  /** A value whose type is the symbol; in so many lists. */
  | { readonly kind: 'value'; readonly path: string; readonly symbol: number; readonly lists: number }
  /** A function of which only the type of what it gives is known, in the words of a file. */
  | { readonly kind: 'function'; readonly path: string; readonly gives: string }
  /** One file as a whole, or the files of a package. */
  | { readonly kind: 'module'; readonly paths: readonly string[] };

export interface Target {
  readonly path: string;
  /** Its place in the outline of that document. */
  readonly symbol: number;
}
