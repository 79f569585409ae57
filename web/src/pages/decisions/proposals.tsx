import type { Decision, WholeDecision } from '../../data/answers.ts';
import { useSession } from '../../data/session.ts';
import { useCall } from '../../data/use-call.ts';
import { Badge, Empty, Loaded, Time } from '../../parts/basics.tsx';
import { Choice } from '../../parts/field.tsx';
import { PageHead } from '../../parts/heading.tsx';
import { decisionLink, targetLink } from '../../parts/places.ts';
import { type Route, replaceQuery } from '../../router.ts';
import { Markdown } from '../../text/markdown.tsx';
import { ProposalActions } from './decision.tsx';
import { EvidenceList } from './evidence.tsx';
import { namespaceOf } from './namespace.tsx';

interface Proposal extends Decision {
  readonly evidence: readonly number[];
  readonly suggested_supersedes: readonly string[];
}

export function Proposals({ route }: { readonly route: Route }) {
  const proposal_status = route.query.get('status') || 'proposed';
  const asked = { namespace: namespaceOf(route), proposal_status, limit: 50 };
  const answer = useCall<{ proposals: readonly Proposal[]; total: number }>('list_proposals', asked, ['decision']);
  return (
    <>
      <PageHead
        title="Proposals"
        crumbs={[{ label: 'Decisions', href: '#/decisions' }]}
        lead="What keeps coming up in events, put forward to be decided."
      />
      <div class="filters">
        <Choice
          label="Show"
          value={proposal_status}
          options={[{ value: 'proposed', label: 'open' }, 'accepted', 'rejected', 'all']}
          onChange={(status) => replaceQuery(route, { status })}
        />
      </div>
      <Loaded answer={answer} lines={6}>
        {({ proposals }) =>
          proposals.length === 0 ? (
            <Empty title="No proposal waits.">
              They are made by reflect, from events that are alike. Run: cairn reflect.
            </Empty>
          ) : (
            proposals.map((proposal) => <ProposalCard key={proposal.id} proposal={proposal} done={answer.reload} />)
          )
        }
      </Loaded>
    </>
  );
}

function ProposalCard({ proposal, done }: { readonly proposal: Proposal; readonly done: () => void }) {
  const { id, title, target, namespace, status, confidence, created } = proposal;
  const { canWrite } = useSession();
  const whole = useCall<{ decision: WholeDecision }>('decision_get', { decision_id: id }, ['event']);
  return (
    <article class="card">
      <header class="card-head">
        <h2>
          <a href={decisionLink(id)}>{title}</a>
        </h2>
        <Badge word={status} />
        <span class="note">
          about <a href={targetLink(target, namespace)}>{target}</a> · confidence {Math.round(confidence * 100)} % ·{' '}
          <Time at={created} />
        </span>
        {canWrite && status === 'proposed' && (
          <div class="card-aside buttons">
            <ProposalActions id={id} done={done} />
          </div>
        )}
      </header>
      <Loaded answer={whole}>
        {({ decision }) => (
          <>
            <Markdown text={decision.rationale} />
            <h3 class="apart">Evidence</h3>
            <EvidenceList evidence={decision.evidence} />
          </>
        )}
      </Loaded>
    </article>
  );
}
