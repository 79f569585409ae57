/** What may not be: the refusals of decision memory, in the words that its clients know. */
import { CairnError } from '../errors.ts';
import type { Principal } from '../service/principal.ts';
import { type Decision, publicId } from './record.ts';

/** An agent cannot replace what a person wrote. Who wrote it is what the server noted, never what the text says. */
export function guardIsolation(decision: Decision, principal: Pick<Principal, 'role' | 'human'>): void {
  if (decision.provenance.origin !== 'human' || principal.human || principal.role === 'admin') return;
  throw new CairnError(
    'permission_denied',
    `Isolation Violation: Decision ${publicId(decision.id)} was created by a human`,
    {
      decision_id: publicId(decision.id),
      suggestion: 'Only an admin, or a person at a terminal, may replace it. Propose the change to them.',
    },
  );
}

export function contested(
  target: string,
  active: readonly Decision[],
  near: readonly string[],
  why: string | undefined,
): CairnError {
  const ids = active.map(({ id }) => publicId(id));
  const meant = near.length === 0 ? '' : ` Did you mean: ${near.join(', ')}?`;
  return new CairnError(
    'conflict',
    `CONFLICT: Target '${target}' already has active decisions: [${ids.join(', ')}].${meant}`,
    {
      active: ids,
      ...(near.length > 0 && { did_you_mean: near }),
      ...(why !== undefined && { reason: why }),
      suggestion: 'Replace it with supersede_decision and these ids as old_decision_ids, or choose another target.',
    },
  );
}

export function missing(given: string): CairnError {
  return new CairnError('not_found', `No decision has the id ${given}`, {
    suggestion: 'Find it with search_decisions and mode "audit".',
  });
}
