/** Scanning as a task of a worker thread: a pattern may take its time, and other calls must not wait for it. */
import { type Scanned, scanner, type Wanted } from './scan.ts';

export interface GrepInput {
  readonly wanted: Wanted;
  readonly texts: readonly { readonly text: string; readonly firstLine: number }[];
}

declare module '../../service/tasks.ts' {
  interface Tasks {
    grep: typeof grepTask;
  }
}

export async function grepTask({ wanted, texts }: GrepInput): Promise<Scanned[]> {
  const scan = scanner(wanted);
  return texts.map(({ text, firstLine }) => scan(text, firstLine));
}
