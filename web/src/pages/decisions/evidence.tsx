import type { Evidence } from '../../data/answers.ts';
import { Badge, Empty, Time } from '../../parts/basics.tsx';

export function EvidenceList({ evidence }: { readonly evidence: readonly Evidence[] }) {
  if (evidence.length === 0) return <Empty title="No event is linked to it." />;
  return (
    <ul class="list">
      {evidence.map(({ event_id, kind, subject, success, created }) => (
        <li key={event_id}>
          <Badge word={kind} tone="calm" /> {subject} {!success && <Badge word="failed" tone="bad" />}{' '}
          <span class="note">
            event {event_id}, <Time at={created} />
          </span>
        </li>
      ))}
    </ul>
  );
}
