import { useSession } from '../../data/session.ts';
import { useCall } from '../../data/use-call.ts';
import { ActionButton } from '../../parts/action.tsx';
import { Badge, Empty, Loaded, Time } from '../../parts/basics.tsx';
import { Choice } from '../../parts/field.tsx';
import { PageHead } from '../../parts/heading.tsx';
import { type Route, replaceQuery } from '../../router.ts';
import { plural } from '../../text/format.ts';
import { Markdown } from '../../text/markdown.tsx';
import { ActivityTabs } from './tabs.tsx';

interface Entry {
  readonly id: string;
  readonly type: string;
  readonly severity: string;
  readonly status: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly submittedBy: string;
  readonly createdAt: string;
}

const statuses = ['new', 'acknowledged', 'in-progress', 'resolved', 'closed'];
const severities = ['low', 'medium', 'high', 'critical'];
const next: Readonly<Record<string, string>> = {
  new: 'acknowledged',
  acknowledged: 'in-progress',
  'in-progress': 'resolved',
  resolved: 'closed',
};
const all = (label: string, options: readonly string[]) => [{ value: '', label }, ...options];

export function Feedback({ route }: { readonly route: Route }) {
  const get = (name: string) => route.query.get(name) ?? '';
  const asked = {
    limit: 100,
    ...(get('status') && { status: get('status') }),
    ...(get('severity') && { severity: get('severity') }),
  };
  const answer = useCall<{ entries: readonly Entry[]; total: number }>('feedback_list', asked, ['feedback']);
  return (
    <>
      <PageHead title="Activity" lead="What agents and people report about the instructions and the server." />
      <ActivityTabs current="feedback" />
      <div class="filters">
        <Choice
          label="Status"
          value={get('status')}
          options={all('all', statuses)}
          onChange={(v) => replaceQuery(route, { status: v })}
        />
        <Choice
          label="Severity"
          value={get('severity')}
          options={all('all', severities)}
          onChange={(v) => replaceQuery(route, { severity: v })}
        />
      </div>
      <Loaded answer={answer}>
        {({ entries, total }) =>
          entries.length === 0 ? (
            <Empty title="No feedback fits.">Agents send it with feedback_submit.</Empty>
          ) : (
            <>
              <p class="note">{plural(total, 'entry', 'entries')}</p>
              {entries.map((entry) => (
                <Card key={entry.id} entry={entry} done={answer.reload} />
              ))}
            </>
          )
        }
      </Loaded>
    </>
  );
}

function Card({ entry, done }: { readonly entry: Entry; readonly done: () => void }) {
  const { canWrite } = useSession();
  const { id, title, type, severity, status, description, submittedBy, createdAt, tags } = entry;
  const following = next[status];
  return (
    <article class="card">
      <header class="card-head">
        <h2>{title}</h2>
        <Badge word={type} tone="calm" /> <Badge word={severity} /> <Badge word={status} />
        {tags.map((tag) => (
          <Badge key={tag} word={tag} tone="calm" />
        ))}
        <span class="note">
          {submittedBy}, <Time at={createdAt} />
        </span>
        {canWrite && following !== undefined && (
          <div class="card-aside">
            <ActionButton
              action={{
                label: `Mark ${following}`,
                operation: 'feedback_update',
                input: { id, status: following },
                done,
              }}
            />
          </div>
        )}
      </header>
      <Markdown text={description} />
    </article>
  );
}
