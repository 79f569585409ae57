/** Extraction as a task of a worker thread, where it can be ended: a document may take as long as its maker likes. */
import { type Extracted, extract } from './index.ts';

export interface ExtractInput {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly maxTextChars: number;
}

declare module '../../service/tasks.ts' {
  interface Tasks {
    extract: typeof extractTask;
  }
}

export function extractTask({ name, bytes, maxTextChars }: ExtractInput): Promise<Extracted> {
  return extract(name, bytes, { maxTextChars });
}
