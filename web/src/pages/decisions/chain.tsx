import type { Chain, ChainLink } from '../../data/answers.ts';
import { useCall } from '../../data/use-call.ts';
import { Badge, Empty, Loaded } from '../../parts/basics.tsx';
import { PageHead } from '../../parts/heading.tsx';
import { decisionLink } from '../../parts/places.ts';
import type { Route } from '../../router.ts';
import { date, plural } from '../../text/format.ts';
import { Markdown } from '../../text/markdown.tsx';
import { namespaceOf } from './namespace.tsx';

export function ChainPage({ target, route }: { readonly target: string; readonly route: Route }) {
  const namespace = namespaceOf(route);
  const answer = useCall<Chain>('decision_chain', { target, namespace, limit: 100 }, ['decision', 'event']);
  return (
    <>
      <PageHead
        title={answer.data?.target ?? target}
        crumbs={[{ label: 'Decisions', href: '#/decisions' }]}
        lead="Everything that was decided about it, newest first."
      />
      <Loaded answer={answer} lines={8}>
        {({ chain, conflict = [], truncated }) => {
          if (chain.length === 0) return <Empty title="Nothing was decided about it." />;
          return (
            <>
              {conflict.length > 0 && (
                <div class="card notice">
                  <Badge word="conflict" /> {plural(conflict.length, 'decision')} hold at once. Supersede those that no
                  longer do: supersede_decision with their ids.
                </div>
              )}
              <ol class="timeline card-like">
                {chain.toReversed().map((link) => (
                  <Link key={link.id} link={link} inConflict={conflict.includes(link.id)} />
                ))}
              </ol>
              {truncated === true && <p class="note">Earlier ones are left out.</p>}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function Link({ link, inConflict }: { readonly link: ChainLink; readonly inConflict: boolean }) {
  const { id, title, status, created, until, rationale, consequences, evidence, origin, confidence } = link;
  return (
    <li class={status === 'active' ? 'holds' : ''}>
      <h3>
        <a href={decisionLink(id)}>{title}</a>
      </h3>{' '}
      <Badge word={status} /> {inConflict && <Badge word="conflict" />}
      <div class="note">
        {date(created)}
        {until !== undefined && ` to ${date(until)}`} · by {origin} · confidence {Math.round(confidence * 100)} % ·{' '}
        {plural(evidence, 'piece')} of evidence
      </div>
      <Markdown text={rationale} />
      {consequences.length > 0 && (
        <ul>
          {consequences.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </li>
  );
}
