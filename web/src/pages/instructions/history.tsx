import { useState } from 'preact/hooks';
import type { Instruction, Version } from '../../data/answers.ts';
import { useSession } from '../../data/session.ts';
import { useCall } from '../../data/use-call.ts';
import { ActionButton } from '../../parts/action.tsx';
import { Badge, Loaded, Section, Time } from '../../parts/basics.tsx';
import { Diff } from '../../text/diff-view.tsx';

export function InstructionHistory({ id }: { readonly id: string }) {
  const [chosen, setChosen] = useState(0);
  const { canWrite } = useSession();
  const answer = useCall<{ versions?: readonly Version[] }>('instruction_history', { id, limit: 100 }, ['instruction']);
  return (
    <Loaded answer={answer}>
      {({ versions = [] }) => {
        const version = versions[chosen];
        return (
          <>
            <Section title="Versions">
              <ol class="list choices">
                {versions.map(({ commit, time, author, message, removed }, index) => (
                  <li key={commit}>
                    <button
                      type="button"
                      class="plain"
                      aria-pressed={index === chosen}
                      onClick={() => setChosen(index)}
                    >
                      {message.split('\n')[0] || commit.slice(0, 8)} {removed && <Badge word="removed" tone="bad" />}
                      <span class="note">
                        {' '}
                        {author}, <Time at={time} />
                      </span>
                    </button>
                  </li>
                ))}
              </ol>
            </Section>
            {version !== undefined && (
              <Section
                title="What changed"
                note={versions[chosen + 1] === undefined ? 'the first version' : 'against the version before'}
                {...(canWrite &&
                  chosen > 0 &&
                  !version.removed && {
                    aside: (
                      <ActionButton
                        action={{
                          label: 'Restore this version',
                          operation: 'instruction_restore',
                          input: { id, commit: version.commit },
                          question: 'It becomes the present version, as a new one; nothing of the history is lost.',
                          done: () => setChosen(0),
                        }}
                      />
                    ),
                  })}
              >
                <Changes id={id} version={version} before={versions[chosen + 1]} key={version.commit} />
              </Section>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

type Texts = { readonly entry?: Instruction };

function Changes({ id, version, before }: { id: string; version: Version; before: Version | undefined }) {
  const present = (one: Version | undefined) =>
    one === undefined || one.removed ? undefined : { id, commit: one.commit };
  const now = useCall<Texts>('instruction_history', present(version));
  const then = useCall<Texts>('instruction_history', present(before));
  if (now.loading || then.loading) return <p class="note">Comparing…</p>;
  return <Diff before={textOf(then.data?.entry)} after={textOf(now.data?.entry)} />;
}

/** What people change, as lines: facts first, then the text. */
function textOf(entry: Instruction | undefined): string {
  if (entry === undefined) return '';
  const facts = (
    ['title', 'status', 'owner', 'priority', 'requirement', 'classification', 'version', 'nextReviewDue'] as const
  ).map((name) => `${name}: ${entry[name]}`);
  return [...facts, `categories: ${entry.categories.join(', ')}`, '', entry.body].join('\n');
}
