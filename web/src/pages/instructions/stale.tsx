/** That something cites what has changed since, and what to do about it. */
import type { Stale } from '../../data/answers.ts';
import { useSession } from '../../data/session.ts';
import { ActionButton } from '../../parts/action.tsx';
import { Badge } from '../../parts/basics.tsx';

export function StaleNote({
  id,
  kind,
  stale,
  done,
}: {
  readonly id: string;
  readonly kind: 'instruction' | 'decision';
  readonly stale: Stale;
  readonly done: () => void;
}) {
  const { canWrite } = useSession();
  const others = stale.others ?? 0;
  return (
    <div class="card notice">
      <Badge word="stale" /> It cites <code>{stale.ref}</code>, which{' '}
      {stale.reason === 'moved'
        ? `has moved to ${stale.moved_to ?? 'another place'}`
        : stale.reason === 'missing'
          ? 'is gone'
          : 'has changed since'}
      {others > 0 && ` (and ${others} more)`}.{' '}
      {canWrite && (
        <ActionButton
          action={{
            label: 'It still holds',
            operation: 'stale_confirm',
            input: { id, kind },
            question: 'Its citations are renewed to what is there now. Look at the difference first.',
            done,
          }}
        />
      )}
    </div>
  );
}
