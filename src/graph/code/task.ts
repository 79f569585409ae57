/** Reading sources to outlines as a task of a worker thread: parsing is work for the processor, and calls must not wait for it. */
import type { Outline } from './outline.ts';
import { outlineOf } from './parse.ts';

export interface OutlineInput {
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

declare module '../../service/tasks.ts' {
  interface Tasks {
    outline: typeof outlineTask;
  }
}

/** In the order of the files; nothing for one whose language is not known. */
export async function outlineTask({ files }: OutlineInput): Promise<(Outline | undefined)[]> {
  const outlines: (Outline | undefined)[] = [];
  for (const { path, text } of files) outlines.push(await outlineOf(path, text));
  return outlines;
}
