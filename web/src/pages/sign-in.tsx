import { signOut, useSession } from '../data/session.ts';
import { Section } from '../parts/basics.tsx';
import { PageHead } from '../parts/heading.tsx';
import { Code } from '../text/code.tsx';

export function SignIn() {
  const { signedIn, name, role, readOnly } = useSession();
  return (
    <>
      <PageHead title="Sign in" />
      <Section title={signedIn ? `You are signed in as ${name}, with the role ${role}` : 'You look on as a visitor'}>
        {readOnly && <p>This server is read-only: nobody changes anything here.</p>}
        {signedIn ? (
          <button type="button" onClick={() => void signOut()}>
            Sign out
          </button>
        ) : (
          <>
            <p>
              To approve, edit or decide, open the link that the terminal of the server shows, or make another one
              there:
            </p>
            <Code text="cairn signin" language="sh" />
            <p class="note">A link works once. A session ends after twelve hours, or when the server stops.</p>
          </>
        )}
      </Section>
    </>
  );
}
