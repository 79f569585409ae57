/** What the audit and the events say of a new decision. */
import type { Audit } from '../../operations/operation.ts';
import { sha256 } from '../../store/hash.ts';
import type { Change } from '../../store/store.ts';
import { serialize } from '../file.ts';
import { type Decision, publicId } from '../record.ts';

export async function noteDecision(
  change: Change,
  audit: Audit,
  decision: Decision,
  replaced: readonly Decision[],
): Promise<void> {
  audit.subject(publicId(decision.id), ...replaced.map(({ id }) => publicId(id)));
  const [before] = replaced;
  audit.hashes(before && sha256(serialize(before)), sha256(serialize(decision)));
  audit.note(decision.title);
  await change.events.add({
    namespace: decision.namespace,
    session: decision.id,
    kind: 'decision',
    source: decision.provenance.agent ?? decision.provenance.origin,
    subject: decision.title,
    // The reason is in the file, and goes with it.
    detail: '',
    targets: [decision.target],
    files: [],
    success: true,
    created: decision.created,
  });
}
