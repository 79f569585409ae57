/** What a document is connected with, in both directions. */
import { useCall } from '../../data/use-call.ts';
import { Badge, Section } from '../../parts/basics.tsx';
import type { GraphAnswer } from '../graph/answers.ts';
import { nodeLink } from '../graph/node-link.ts';

export function Related({ collection, path }: { readonly collection: string; readonly path: string }) {
  const node_key = `document:${collection}/${path}`;
  const out = useCall<GraphAnswer>('graph', { node_key, limit: 40, resolved_only: true }, ['document']);
  const back = useCall<GraphAnswer>('graph', { node_key, limit: 40, reverse: true }, ['document']);
  return (
    <>
      <Connections title="Leads to" answer={out.data} origin={node_key} />
      <Connections title="Is reached from" answer={back.data} origin={node_key} />
    </>
  );
}

function Connections(props: { title: string; answer: GraphAnswer | undefined; origin: string }) {
  const { title, answer, origin } = props;
  const nodes = (answer?.nodes ?? []).filter(({ key }) => key !== origin);
  if (nodes.length === 0) return null;
  const relation = new Map(
    (answer?.edges ?? []).flatMap((edge) => [
      [edge.source, edge.relation] as const,
      [edge.target, edge.relation] as const,
    ]),
  );
  return (
    <Section title={title}>
      <ul class="list">
        {nodes.map((node) => {
          const href = nodeLink(node);
          return (
            <li key={node.key}>
              <Badge word={relation.get(node.key) ?? node.type} tone="calm" />{' '}
              {href === undefined ? node.label : <a href={href}>{node.label}</a>}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
