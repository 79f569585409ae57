/** The frame around every page: what is served, where one is, who one is. */
import { useEffect, useErrorBoundary, useRef, useState } from 'preact/hooks';
import { useConnected } from './data/live.ts';
import { type Session, SessionContext, signOut, useSession } from './data/session.ts';
import { pageOf, pages } from './pages/index.tsx';
import { goTo, type Route, useRoute } from './router.ts';
import { chooseTheme, useTheme } from './theme.ts';

export function App({ session, failure }: { readonly session: Session; readonly failure?: string }) {
  const route = useRoute();
  const [menu, setMenu] = useState(false);
  const place = route.path.join('/');
  useEffect(() => setMenu(false), [place]);
  useFocusOnArrival(place);
  useSlashKey();
  return (
    <SessionContext.Provider value={session}>
      <div class="frame">
        <button type="button" class="skip" onClick={() => document.getElementById('content')?.focus()}>
          Skip to content
        </button>
        <header class="top">
          <button type="button" class="menu" aria-expanded={menu} aria-controls="places" onClick={() => setMenu(!menu)}>
            <span aria-hidden="true">☰</span>
            <span class="unseen">Menu</span>
          </button>
          <a class="brand" href="#/">
            <img src="/icon.svg" alt="" width="22" height="22" />
            <span>Cairn</span>
          </a>
          <QuickSearch route={route} />
          <State />
        </header>
        <nav class={menu ? 'side open' : 'side'} id="places" aria-label="Pages">
          <ul>
            {pages.map(({ name, label }) => (
              <li key={name}>
                <a href={`#/${name}`} {...(pageOf(route).section === name && { 'aria-current': 'page' as const })}>
                  {label}
                </a>
              </li>
            ))}
            {!session.signedIn && (
              <li class="narrow-only">
                <a href="#/sign-in">Sign in</a>
              </li>
            )}
          </ul>
        </nav>
        <main id="content" tabIndex={-1}>
          {failure !== undefined && (
            <div class="failure" role="alert">
              <p>You are not signed in: {failure}</p>
              <p class="note">Run cairn signin in a terminal for a new link.</p>
            </div>
          )}
          <Page route={route} key={place} />
        </main>
        <div id="announcements" class="unseen" aria-live="polite" />
      </div>
    </SessionContext.Provider>
  );
}

function Page({ route }: { readonly route: Route }) {
  const { title, element } = pageOf(route);
  const [fault] = useErrorBoundary();
  useEffect(() => {
    document.title = title === '' ? 'Cairn' : `${title} · Cairn`;
  }, [title]);
  if (fault === undefined) return element;
  return (
    <div class="failure" role="alert">
      <p>This page cannot be shown: {String(fault)}</p>
      <p class="note">Load it again; if that does not help, the server and the page may be of different versions.</p>
    </div>
  );
}

/** The heading of a new page is where reading goes on. The first page is left as it is. */
function useFocusOnArrival(place: string): void {
  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    window.scrollTo(0, 0);
    const searching = document.activeElement?.matches('[data-search]') === true;
    if (!searching) document.querySelector<HTMLElement>('main h1')?.focus();
  }, [place]);
}

/** `/` leads to the first search box, as in many tools. */
function useSlashKey(): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const typing = event.target instanceof Element && event.target.matches('input, textarea, select');
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const box =
        document.querySelector<HTMLElement>('main [data-search]') ??
        document.querySelector<HTMLElement>('[data-search]');
      box?.focus();
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, []);
}

function QuickSearch({ route }: { readonly route: Route }) {
  const [text, setText] = useState('');
  if (route.path[0] === 'search') return <div class="field search" />;
  return (
    <form
      class="field search"
      onSubmit={(event) => {
        event.preventDefault();
        goTo(['search'], { q: text });
        setText('');
      }}
    >
      <input
        type="search"
        data-search
        aria-label="Search everything"
        placeholder="Search everything"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </form>
  );
}

function State() {
  const session = useSession();
  const connected = useConnected();
  return (
    <div class="top-state">
      <span title={connected ? 'Changes appear by themselves' : 'Not connected: changes do not appear by themselves'}>
        <span class={connected ? 'dot on' : 'dot'} />
        <span class="live-word">{connected ? 'live' : 'not live'}</span>
      </span>
      <ThemeButton />
      {session.signedIn ? (
        <>
          <span class="who">
            {session.name} <span class="faint">({session.role})</span>
          </span>
          <button type="button" onClick={() => void signOut()}>
            Sign out
          </button>
        </>
      ) : (
        <a class="who" href="#/sign-in">
          Sign in
        </a>
      )}
    </div>
  );
}

function ThemeButton() {
  const theme = useTheme();
  const other = theme === 'dark' ? 'light' : 'dark';
  const label = `Use the ${other} theme`;
  return (
    <button type="button" class="plain" aria-label={label} title={label} onClick={() => chooseTheme(other)}>
      <span aria-hidden="true">{theme === 'dark' ? '☀' : '☾'}</span>
    </button>
  );
}
