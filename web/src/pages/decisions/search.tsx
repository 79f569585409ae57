import type { Decision, Stale } from '../../data/answers.ts';
import { useCall } from '../../data/use-call.ts';
import { Badge, Empty, Loaded, Section, Time } from '../../parts/basics.tsx';
import { decisionLink, targetLink } from '../../parts/places.ts';

interface DecisionHit extends Decision {
  readonly preview: string;
  readonly conflict?: boolean;
  readonly stale?: Stale;
  readonly matched?: { readonly id: string; readonly title: string };
}

export function DecisionHits({ query, namespace }: { readonly query: string; readonly namespace: string }) {
  const answer = useCall<{ results: readonly DecisionHit[] }>('search_decisions', { query, namespace, limit: 10 }, [
    'decision',
  ]);
  return (
    <Section title="Found decisions">
      <Loaded answer={answer}>
        {({ results }) =>
          results.length === 0 ? (
            <Empty title="No decision speaks of it." />
          ) : (
            <ul class="list">
              {results.map(({ id, title, target, status, preview, created, conflict, stale, matched }) => (
                <li key={id}>
                  <a href={decisionLink(id)}>{title}</a> <Badge word={status} />{' '}
                  {conflict === true && <Badge word="conflict" />} {stale !== undefined && <Badge word="stale" />}
                  <div class="snippet">{preview}</div>
                  <span class="note">
                    <a href={targetLink(target, namespace)}>{target}</a>, <Time at={created} />
                    {matched !== undefined && `; found through “${matched.title}”, which it replaced`}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
