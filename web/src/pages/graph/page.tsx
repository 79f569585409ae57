import { useEffect, useState } from 'preact/hooks';
import { CallError } from '../../data/call.ts';
import { Failure, Placeholder, Tabs } from '../../parts/basics.tsx';
import { PageHead } from '../../parts/heading.tsx';
import { linkTo, type Route } from '../../router.ts';
import { DecisionDiagram } from './decision-diagram.tsx';
import { Diagram } from './diagram.tsx';

type Explorer = typeof import('./explore.tsx')['Explore'];

const tabs = [
  { name: 'diagram', label: 'Instructions, drawn', href: linkTo(['graph']) },
  { name: 'decisions', label: 'Decisions, drawn', href: linkTo(['graph'], { view: 'decisions' }) },
  { name: 'explore', label: 'Explore', href: linkTo(['graph'], { view: 'explore' }) },
];

export function GraphPage({ route }: { readonly route: Route }) {
  const view = route.query.get('view') || 'diagram';
  return (
    <>
      <PageHead title="Graph" lead="How instructions, decisions, documents and code hang together." />
      <Tabs tabs={tabs} current={view} label="Ways to look at it" />
      {view === 'explore' ? (
        <LoadedExplorer route={route} />
      ) : view === 'decisions' ? (
        <DecisionDiagram route={route} />
      ) : (
        <Diagram route={route} />
      )}
    </>
  );
}

/** What draws thousands of nodes is large: it comes when it is wanted. */
function LoadedExplorer({ route }: { readonly route: Route }) {
  const [explorer, setExplorer] = useState<{ readonly Explore: Explorer }>();
  const [error, setError] = useState<CallError>();
  useEffect(() => {
    import('./explore.tsx').then(setExplorer, () =>
      setError(new CallError(0, { detail: 'The explorer could not be loaded', suggestion: 'Load the page again.' })),
    );
  }, []);
  if (error !== undefined) return <Failure error={error} />;
  return explorer === undefined ? <Placeholder lines={8} /> : <explorer.Explore route={route} />;
}
