/** When what is to be reviewed, and by whom. */
import { useMemo } from 'preact/hooks';
import type { Instruction, InstructionPage } from '../../data/answers.ts';
import { useCall } from '../../data/use-call.ts';
import { Badge, Empty, Loaded, Section, Time } from '../../parts/basics.tsx';
import { Choice } from '../../parts/field.tsx';
import { PageHead } from '../../parts/heading.tsx';
import { instructionLink } from '../../parts/places.ts';
import { Table } from '../../parts/table.tsx';
import { type Route, replaceQuery } from '../../router.ts';
import { date, plural } from '../../text/format.ts';

const MONTHS = 6;
const DAY = 86_400_000;
const month = new Intl.DateTimeFormat(undefined, { month: 'short', year: '2-digit' });

export function Reviews({ route }: { readonly route: Route }) {
  const now = useMemo(() => Date.now(), []);
  const horizon = new Date(now + MONTHS * 31 * DAY).toISOString();
  const answer = useCall<InstructionPage>('instructions_query', { filters: { dueBefore: horizon }, limit: 1000 }, [
    'instruction',
  ]);
  const owner = route.query.get('owner') ?? '';
  return (
    <>
      <PageHead
        title="Review calendar"
        crumbs={[{ label: 'Instructions', href: '#/instructions' }]}
        lead={`What is to be reviewed within ${MONTHS} months, by owner.`}
      />
      <Loaded answer={answer} lines={8}>
        {({ items, total }) => {
          if (items.length === 0) return <Empty title="Nothing is due within six months." />;
          const owners = [...new Set(items.map((item) => item.owner))].sort();
          const shown = items
            .filter((item) => owner === '' || item.owner === owner)
            .toSorted((a, b) => a.nextReviewDue.localeCompare(b.nextReviewDue));
          return (
            <>
              <Section title="By owner" note={plural(total, 'review')}>
                <Calendar items={items} owners={owners} now={now} />
              </Section>
              <Section
                title="In order"
                aside={
                  <Choice
                    label="Owner"
                    hidden
                    value={owner}
                    options={[{ value: '', label: 'all owners' }, ...owners]}
                    onChange={(name) => replaceQuery(route, { owner: name })}
                  />
                }
              >
                <Table
                  label="Reviews"
                  rows={shown}
                  keyOf={({ id }) => id}
                  columns={[
                    {
                      name: 'Instruction',
                      kind: 'main',
                      cell: ({ id, title }) => <a href={instructionLink(id)}>{title}</a>,
                    },
                    { name: 'Owner', cell: (item) => item.owner },
                    { name: 'Due', kind: 'short', cell: ({ nextReviewDue }) => date(nextReviewDue) },
                    {
                      name: 'When',
                      kind: 'short',
                      cell: ({ nextReviewDue }) => (
                        <>
                          {Date.parse(nextReviewDue) < now && <Badge word="overdue" />} <Time at={nextReviewDue} />
                        </>
                      ),
                    },
                  ]}
                />
              </Section>
            </>
          );
        }}
      </Loaded>
    </>
  );
}

/** Months as columns; what is late stands before them. */
function Calendar({ items, owners, now }: { items: readonly Instruction[]; owners: readonly string[]; now: number }) {
  const start = new Date(now);
  const months = Array.from(
    { length: MONTHS },
    (_, index) => new Date(start.getFullYear(), start.getMonth() + index, 1),
  );
  const columnOf = ({ nextReviewDue }: Instruction) => {
    const due = new Date(nextReviewDue);
    if (due.getTime() < now) return -1;
    return months.findLastIndex((first) => first <= due);
  };
  const columns = [-1, ...months.keys()];
  return (
    <div class="scroll">
      <table class="calendar">
        <thead>
          <tr>
            <th scope="col">Owner</th>
            <th scope="col">overdue</th>
            {months.map((first) => (
              <th key={first.getTime()} scope="col">
                {month.format(first)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {owners.map((name) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {columns.map((column) => {
                const due = items.filter((item) => item.owner === name && columnOf(item) === column).length;
                return (
                  <td key={column} class={due === 0 ? 'faint' : column === -1 ? 'late' : 'due'}>
                    {due === 0 ? '·' : due}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
