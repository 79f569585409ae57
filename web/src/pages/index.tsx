/** All pages, and which one an address means. */
import type { ComponentChildren } from 'preact';
import { Empty } from '../parts/basics.tsx';
import { PageHead } from '../parts/heading.tsx';
import type { Route } from '../router.ts';
import { Events } from './activity/events.tsx';
import { Feedback } from './activity/feedback.tsx';
import { MetricsPage } from './activity/metrics.tsx';
import { Sessions } from './activity/sessions.tsx';
import { Trail } from './activity/trail.tsx';
import { ChainPage } from './decisions/chain.tsx';
import { DecisionPage } from './decisions/decision.tsx';
import { Proposals } from './decisions/proposals.tsx';
import { Targets } from './decisions/targets.tsx';
import { Collections } from './documents/collections.tsx';
import { Compare } from './documents/compare.tsx';
import { FilePage } from './documents/file.tsx';
import { DocumentSearch } from './documents/grep.tsx';
import { DocumentList } from './documents/list.tsx';
import { GraphPage } from './graph/page.tsx';
import { NewInstruction } from './instructions/edit.tsx';
import { InstructionPage } from './instructions/entry.tsx';
import { InstructionList } from './instructions/list.tsx';
import { Reviews } from './instructions/reviews.tsx';
import { Overview } from './overview/page.tsx';
import { SearchPage } from './search.tsx';
import { SignIn } from './sign-in.tsx';
import { Tools } from './tools/list.tsx';
import { ToolPage } from './tools/tool.tsx';

export const pages = [
  { name: '', label: 'Overview' },
  { name: 'instructions', label: 'Instructions' },
  { name: 'decisions', label: 'Decisions' },
  { name: 'documents', label: 'Documents' },
  { name: 'graph', label: 'Graph' },
  { name: 'search', label: 'Search' },
  { name: 'activity', label: 'Activity' },
  { name: 'tools', label: 'Tools' },
] as const;

export interface FoundPage {
  readonly title: string;
  /** The entry of the menu that it belongs to. */
  readonly section: string;
  readonly element: ComponentChildren;
}

type Maker = (route: Route) => FoundPage;
const page = (title: string, section: string, element: ComponentChildren): FoundPage => ({ title, section, element });

const makers: Readonly<Record<string, Maker>> = {
  '': () => page('Overview', '', <Overview />),
  instructions: (route) => {
    const [, id] = route.path;
    return id === undefined
      ? page('Instructions', 'instructions', <InstructionList route={route} />)
      : page(id, 'instructions', <InstructionPage id={id} route={route} />);
  },
  'new-instruction': () => page('New instruction', 'instructions', <NewInstruction />),
  reviews: (route) => page('Review calendar', 'instructions', <Reviews route={route} />),
  decisions: (route) => {
    const [, target] = route.path;
    return target === undefined
      ? page('Decisions', 'decisions', <Targets route={route} />)
      : page(target, 'decisions', <ChainPage target={target} route={route} />);
  },
  decision: ({ path: [, id = ''] }) => page(id, 'decisions', <DecisionPage id={id} />),
  proposals: (route) => page('Proposals', 'decisions', <Proposals route={route} />),
  documents: documentPage,
  graph: (route) => page('Graph', 'graph', <GraphPage route={route} />),
  search: (route) => page('Search', 'search', <SearchPage route={route} />),
  activity: (route) => page('Audit trail', 'activity', <Trail route={route} />),
  events: (route) => page('Events', 'activity', <Events route={route} />),
  sessions: () => page('Sessions', 'activity', <Sessions />),
  feedback: (route) => page('Feedback', 'activity', <Feedback route={route} />),
  metrics: () => page('Metrics', 'activity', <MetricsPage />),
  'sign-in': () => page('Sign in', 'sign-in', <SignIn />),
  tools: (route) => {
    const [, name] = route.path;
    return name === undefined
      ? page('Tools', 'tools', <Tools route={route} />)
      : page(name, 'tools', <ToolPage name={name} />);
  },
};

function documentPage(route: Route): FoundPage {
  const [, kind = '', first = '', second = ''] = route.path;
  const found = (title: string, element: ComponentChildren) => page(title, 'documents', element);
  if (kind === 'in') return found(first, <DocumentList collection={first} route={route} />);
  if (kind === 'file') return found(second, <FilePage collection={first} path={second} route={route} />);
  if (kind === 'compare') return found('Snapshot', <Compare from={first} route={route} />);
  if (kind === 'grep') return found('Search in documents', <DocumentSearch route={route} />);
  return found('Documents', <Collections />);
}

export function pageOf(route: Route): FoundPage {
  const name = route.path[0] ?? '';
  const maker = Object.hasOwn(makers, name) ? makers[name] : undefined;
  return maker?.(route) ?? page('Not found', '-', <NotFound />);
}

function NotFound() {
  return (
    <>
      <PageHead title="There is no such page" />
      <Empty title="The address leads nowhere.">
        <a href="#/">Go to the overview</a>
      </Empty>
    </>
  );
}
