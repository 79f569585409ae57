import { useState } from 'preact/hooks';
import type { Version, WholeDecision } from '../../data/answers.ts';
import { useSession } from '../../data/session.ts';
import { useCall } from '../../data/use-call.ts';
import { ActionButton } from '../../parts/action.tsx';
import { Badge, Empty, Facts, Loaded, Section, Time } from '../../parts/basics.tsx';
import { PageHead } from '../../parts/heading.tsx';
import { bareId, decisionLink, targetLink } from '../../parts/places.ts';
import { Diff } from '../../text/diff-view.tsx';
import { date } from '../../text/format.ts';
import { Markdown } from '../../text/markdown.tsx';
import { StaleNote } from '../instructions/stale.tsx';
import { EvidenceList } from './evidence.tsx';

export function DecisionPage({ id }: { readonly id: string }) {
  const answer = useCall<{ decision: WholeDecision }>('decision_get', { decision_id: id }, [
    'decision',
    'event',
    'document',
  ]);
  return (
    <Loaded answer={answer} lines={10}>
      {({ decision }) => <Whole decision={decision} reload={answer.reload} />}
    </Loaded>
  );
}

function Whole({ decision, reload }: { readonly decision: WholeDecision; readonly reload: () => void }) {
  const { id, title, target, namespace, status, kind, rationale, consequences, stale, evidence } = decision;
  const { canWrite } = useSession();
  const open = kind === 'proposal' && status === 'proposed';
  return (
    <>
      <PageHead
        title={title}
        crumbs={[
          { label: 'Decisions', href: '#/decisions' },
          { label: target, href: targetLink(target, namespace) },
        ]}
        lead={
          <>
            <code>{bareId(id)}</code> · <Badge word={status} />
          </>
        }
      >
        {open && canWrite && <ProposalActions id={id} done={reload} />}
      </PageHead>
      {stale !== undefined && <StaleNote id={id} kind="decision" stale={stale} done={reload} />}
      <div class="split">
        <div>
          <Section title="Why">
            <Markdown text={rationale} />
          </Section>
          {consequences.length > 0 && (
            <Section title="What follows">
              <ul>
                {consequences.map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            </Section>
          )}
          <Section title="Evidence">
            <EvidenceList evidence={evidence} />
          </Section>
          <History id={id} />
        </div>
        <aside>
          <Section title="Facts">
            <Facts facts={factsOf(decision)} />
          </Section>
        </aside>
      </div>
    </>
  );
}

const links = (ids: readonly string[] = []) =>
  ids.length === 0
    ? undefined
    : ids.map((id) => (
        <div key={id}>
          <a href={decisionLink(id)}>{bareId(id)}</a>
        </div>
      ));

function factsOf(decision: WholeDecision) {
  const { target, namespace, origin, confidence, created, updated, anchors, provenance } = decision;
  return [
    ['Target', <a href={targetLink(target, namespace)}>{target}</a>],
    ['Namespace', namespace],
    ['Kind', decision.kind],
    ['Made by', origin],
    ['Confidence', `${Math.round(confidence * 100)} %`],
    ['Recorded', date(created)],
    ['Changed', <Time at={updated} />],
    ['Replaces', links(decision.supersedes)],
    ['Replaced by', links(decision.superseded_by ? [decision.superseded_by] : [])],
    ['Would replace', links(decision.suggested_supersedes)],
    ['Became', links(decision.converted_to ? [decision.converted_to] : [])],
    ['Came from', links(decision.converted_from ? [decision.converted_from] : [])],
    ['Cites', anchors?.join(', ')],
    ...Object.entries(provenance).map(([name, value]) => [name, value] as const),
  ] as const;
}

export function ProposalActions({ id, done }: { readonly id: string; readonly done: () => void }) {
  return (
    <>
      <ActionButton
        action={{
          label: 'Accept',
          operation: 'accept_proposal',
          input: { proposal_id: id },
          question: 'It becomes the decision in force; what it suggests to replace is replaced in the same step.',
          main: true,
          done,
        }}
      />
      <ActionButton
        action={{
          label: 'Reject',
          operation: 'reject_proposal',
          input: { proposal_id: id },
          question: 'It stays on record, and is not made again from the same evidence.',
          reason: { name: 'reason', label: 'Why, for whoever finds it later' },
          done,
        }}
      />
    </>
  );
}

function History({ id }: { readonly id: string }) {
  const [chosen, setChosen] = useState<number>();
  const answer = useCall<{ versions?: readonly Version[] }>('decision_history', { decision_id: id }, ['decision']);
  return (
    <Section title="Versions of its file">
      <Loaded answer={answer}>
        {({ versions = [] }) =>
          versions.length === 0 ? (
            <Empty title="No earlier version is kept." />
          ) : (
            <ol class="list choices">
              {versions.map(({ commit, message, author, time }, index) => (
                <li key={commit}>
                  <button
                    type="button"
                    class="plain"
                    aria-expanded={chosen === index}
                    onClick={() => setChosen(chosen === index ? undefined : index)}
                  >
                    {message.split('\n')[0] || commit.slice(0, 8)}{' '}
                    <span class="note">
                      {author}, <Time at={time} />
                    </span>
                  </button>
                  {chosen === index && <Change id={id} now={versions[index]} then={versions[index + 1]} />}
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </Section>
  );
}

function Change({
  id,
  now,
  then,
}: {
  readonly id: string;
  readonly now: Version | undefined;
  readonly then: Version | undefined;
}) {
  const asked = (one: Version | undefined) =>
    one === undefined || one.removed ? undefined : { decision_id: id, commit: one.commit };
  const after = useCall<{ text?: string }>('decision_history', asked(now));
  const before = useCall<{ text?: string }>('decision_history', asked(then));
  if (after.loading || before.loading) return <p class="note">Comparing…</p>;
  return <Diff before={before.data?.text ?? ''} after={after.data?.text ?? ''} />;
}
