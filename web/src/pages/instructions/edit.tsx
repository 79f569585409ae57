import { useState } from 'preact/hooks';
import type { Instruction } from '../../data/answers.ts';
import { type CallError, call } from '../../data/call.ts';
import { useSession } from '../../data/session.ts';
import { asCallError } from '../../data/use-call.ts';
import { announce } from '../../parts/action.tsx';
import { Empty, Failure } from '../../parts/basics.tsx';
import { Choice, TextArea, TextField } from '../../parts/field.tsx';
import { PageHead } from '../../parts/heading.tsx';
import { goTo } from '../../router.ts';
import { Markdown } from '../../text/markdown.tsx';

const requirements = ['mandatory', 'critical', 'recommended', 'optional', 'deprecated'];
const statuses = ['draft', 'review', 'approved', 'deprecated'];

interface Draft {
  readonly id: string;
  readonly title: string;
  readonly body: string;
  readonly owner: string;
  readonly categories: string;
  readonly priority: string;
  readonly requirement: string;
  readonly status: string;
}

const blank: Draft = {
  id: '',
  title: '',
  body: '',
  owner: '',
  categories: '',
  priority: '50',
  requirement: 'recommended',
  status: 'draft',
};

function draftOf(item: Instruction): Draft {
  const { id, title, body, owner, categories, priority, requirement, status } = item;
  return { id, title, body, owner, categories: categories.join(', '), priority: String(priority), requirement, status };
}

function entryOf(draft: Draft) {
  const { owner, categories, priority, ...rest } = draft;
  return {
    ...rest,
    ...(owner.trim() !== '' && { owner: owner.trim() }),
    categories: categories
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
    priority: Number(priority),
  };
}

export function NewInstruction() {
  const { canWrite } = useSession();
  return (
    <>
      <PageHead title="New instruction" crumbs={[{ label: 'Instructions', href: '#/instructions' }]} />
      {canWrite ? (
        <EditForm done={(id) => goTo(['instructions', id])} />
      ) : (
        <Empty title="You are not signed in.">Run cairn signin in a terminal, and open the link it shows.</Empty>
      )}
    </>
  );
}

export function EditForm({ item, done }: { readonly item?: Instruction; readonly done: (id: string) => void }) {
  const [draft, setDraft] = useState(item === undefined ? blank : draftOf(item));
  // The version that is edited: a newer one that arrives meanwhile must not be overwritten.
  const [version] = useState(item?.version);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<CallError>();
  const set = (name: keyof Draft) => (value: string) => setDraft((before) => ({ ...before, [name]: value }));

  async function save(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const known = version === undefined ? {} : { overwrite: true, expectedVersion: version };
      await call('instructions_add', { entry: entryOf(draft), lax: true, ...known });
      announce('Saved');
      done(draft.id);
    } catch (thrown) {
      setError(asCallError(thrown));
    } finally {
      setBusy(false);
    }
  }

  return (
    <form class="card" onSubmit={save}>
      {item === undefined && (
        <TextField
          label="Id"
          value={draft.id}
          onChange={set('id')}
          required
          note="Lower case, with dashes: review-small."
        />
      )}
      <TextField label="Title" value={draft.title} onChange={set('title')} required />
      <TextArea label="Text (Markdown)" value={draft.body} onChange={set('body')} rows={14} />
      <details>
        <summary>Preview</summary>
        <div class="preview">
          <Markdown text={draft.body} />
        </div>
      </details>
      <div class="filters">
        <TextField label="Owner" value={draft.owner} onChange={set('owner')} />
        <TextField label="Categories" value={draft.categories} onChange={set('categories')} />
        <TextField label="Priority (1 is highest)" value={draft.priority} onChange={set('priority')} />
        <Choice label="Requirement" value={draft.requirement} options={requirements} onChange={set('requirement')} />
        <Choice label="Status" value={draft.status} options={statuses} onChange={set('status')} />
      </div>
      {error !== undefined && <Failure error={error} />}
      <div class="buttons">
        <button type="submit" class="main" disabled={busy}>
          Save
        </button>
        <button type="button" onClick={() => done(draft.id)}>
          Cancel
        </button>
      </div>
    </form>
  );
}
