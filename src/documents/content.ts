/** The bytes that a document names. Where they are not there, the store is damaged: the name is right. */
import { CairnError, toCairnError } from '../errors.ts';
import type { ByteRange, ObjectStore } from '../store/objects.ts';

export async function* contentOf(objects: ObjectStore, hash: string, range?: ByteRange): AsyncGenerator<Buffer> {
  try {
    yield* objects.read(hash, range);
  } catch (thrown) {
    throw toCairnError(thrown).kind === 'not_found' ? lost(hash) : thrown;
  }
}

export async function wholeContent(objects: ObjectStore, hash: string, limit: number): Promise<Buffer> {
  if ((await objects.size(hash)) === undefined) throw lost(hash);
  return objects.readAll(hash, limit);
}

function lost(hash: string): CairnError {
  return new CairnError('integrity_error', `The content ${hash} is missing from the store`, {
    hash,
    suggestion: 'Add the same file again: that puts it back.',
  });
}
