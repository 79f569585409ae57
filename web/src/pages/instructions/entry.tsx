import type { Instruction } from '../../data/answers.ts';
import { useSession } from '../../data/session.ts';
import { useCall } from '../../data/use-call.ts';
import { ActionButton } from '../../parts/action.tsx';
import { Badge, Empty, Facts, Loaded, Section, Tabs, Time } from '../../parts/basics.tsx';
import { PageHead } from '../../parts/heading.tsx';
import { instructionLink } from '../../parts/places.ts';
import { goTo, linkTo, type Route } from '../../router.ts';
import { count, date } from '../../text/format.ts';
import { Markdown } from '../../text/markdown.tsx';
import { EditForm } from './edit.tsx';
import { InstructionHistory } from './history.tsx';
import { StaleNote } from './stale.tsx';

export function InstructionPage({ id, route }: { readonly id: string; readonly route: Route }) {
  const answer = useCall<{ item?: Instruction }>('instructions_get', { id }, ['instruction', 'document']);
  const tab = route.query.get('tab') ?? 'text';
  return (
    <Loaded answer={answer} lines={10}>
      {({ item }) =>
        item === undefined ? <Missing id={id} /> : <Entry item={item} tab={tab} reload={answer.reload} />
      }
    </Loaded>
  );
}

const crumbs = [{ label: 'Instructions', href: '#/instructions' }];

function Missing({ id }: { readonly id: string }) {
  return (
    <>
      <PageHead title={id} crumbs={crumbs} />
      <Empty title="There is no instruction with this id.">
        It may have been removed; <a href={linkTo(['activity'])}>the audit trail</a> says by whom.
      </Empty>
    </>
  );
}

function Entry({
  item,
  tab,
  reload,
}: {
  readonly item: Instruction;
  readonly tab: string;
  readonly reload: () => void;
}) {
  const { canWrite } = useSession();
  const { id } = item;
  const tabs = [
    { name: 'text', label: 'Text', href: instructionLink(id) },
    { name: 'history', label: 'History', href: linkTo(['instructions', id], { tab: 'history' }) },
    ...(canWrite ? [{ name: 'edit', label: 'Edit', href: linkTo(['instructions', id], { tab: 'edit' }) }] : []),
  ];
  return (
    <>
      <PageHead
        title={item.title}
        crumbs={crumbs}
        lead={
          <>
            <code>{id}</code> · <Badge word={item.status} /> · version {item.version}
          </>
        }
      >
        {canWrite && <Actions item={item} done={reload} />}
      </PageHead>
      {item.stale !== undefined && <StaleNote id={id} kind="instruction" stale={item.stale} done={reload} />}
      <Tabs tabs={tabs} current={tab} label="Parts of the instruction" />
      <div class="split">
        <div>
          {tab === 'history' ? (
            <InstructionHistory id={id} />
          ) : tab === 'edit' && canWrite ? (
            <EditForm item={item} done={() => goTo(['instructions', id])} />
          ) : (
            <Text item={item} />
          )}
        </div>
        <Governance item={item} />
      </div>
    </>
  );
}

function Actions({ item: { id, status }, done }: { readonly item: Instruction; readonly done: () => void }) {
  const update = (patch: object) => ({ id, patch, bump: 'patch' });
  const reviewed = { lastReviewedAt: new Date().toISOString() };
  return (
    <>
      {status !== 'approved' && (
        <ActionButton
          action={{
            label: 'Approve',
            operation: 'instructions_governance_update',
            input: update({ status: 'approved', ...reviewed }),
            main: true,
            done,
          }}
        />
      )}
      {status !== 'deprecated' && (
        <ActionButton
          action={{
            label: 'Deprecate',
            operation: 'instructions_governance_update',
            input: update({ status: 'deprecated' }),
            question: 'Agents that ask for instructions see that it no longer holds. Its text and history stay.',
            done,
          }}
        />
      )}
      <ActionButton
        action={{
          label: 'Remove',
          operation: 'instructions_remove',
          input: { ids: [id] },
          question: `Remove ${id}? Its history stays, and it can be brought back with cairn instruction restore.`,
          danger: true,
          done: () => goTo(['instructions']),
        }}
      />
    </>
  );
}

function Text({ item }: { readonly item: Instruction }) {
  return (
    <div class="card">
      <Markdown text={item.body} />
      {item.rationale !== undefined && item.rationale !== '' && (
        <>
          <h2 class="apart">Why</h2>
          <Markdown text={item.rationale} />
        </>
      )}
      {item.examples !== undefined && item.examples.length > 0 && (
        <>
          <h2 class="apart">Examples</h2>
          {item.examples.map((example) => (
            <Markdown key={example} text={example} />
          ))}
        </>
      )}
    </div>
  );
}

const badges = (words: readonly string[] | undefined) =>
  words === undefined || words.length === 0 ? undefined : (
    <span class="badges">
      {words.map((word) => (
        <Badge key={word} word={word} tone="calm" />
      ))}
    </span>
  );

const links = (ids: readonly string[] | undefined) =>
  ids === undefined || ids.length === 0
    ? undefined
    : ids.map((id) => (
        <span key={id}>
          <a href={instructionLink(id)}>{id}</a>{' '}
        </span>
      ));

function Governance({ item }: { readonly item: Instruction }) {
  const overdue = Date.parse(item.nextReviewDue) < Date.now();
  return (
    <aside>
      <Section title="Governance">
        <Facts
          facts={[
            ['Owner', item.owner],
            ['Priority', `${item.priority} (${item.priorityTier})`],
            ['Requirement', item.requirement],
            ['Audience', item.audience],
            ['Classification', item.classification],
            ['Categories', badges(item.categories)],
            ['Tags', badges(item.tags)],
            ['Last reviewed', date(item.lastReviewedAt)],
            [
              'Next review',
              <>
                {date(item.nextReviewDue)} {overdue && <Badge word="overdue" />}
              </>,
            ],
            ['Every', `${item.reviewIntervalDays} days`],
            ['Applies to', item.appliesTo?.join(', ')],
            ['Cites', item.anchors?.join(', ')],
            ['Depends on', links(item.dependencies)],
            ['Replaces', links(item.supersedes ? [item.supersedes] : [])],
            ['Replaced by', links(item.deprecatedBy ? [item.deprecatedBy] : [])],
            ['Source', item.source],
          ]}
        />
      </Section>
      <Section title="Use">
        <Facts
          facts={[
            ['Counted', count(item.usageCount ?? 0)],
            ['Last used', item.lastUsedAt === undefined ? 'never' : <Time at={item.lastUsedAt} />],
          ]}
        />
      </Section>
      {item.changeLog.length > 0 && (
        <Section title="Change log">
          <ul class="list">
            {item.changeLog
              .toReversed()
              .slice(0, 8)
              .map(({ version, changedAt, summary }) => (
                <li key={`${version} ${changedAt}`}>
                  <strong>{version}</strong> <span class="note">{date(changedAt)}</span>
                  <div>{summary}</div>
                </li>
              ))}
          </ul>
        </Section>
      )}
    </aside>
  );
}
