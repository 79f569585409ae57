import type { Target } from '../../data/answers.ts';
import { useCall } from '../../data/use-call.ts';
import { Empty, Loaded } from '../../parts/basics.tsx';
import { Choice } from '../../parts/field.tsx';
import { type Route, replaceQuery } from '../../router.ts';
import { plural } from '../../text/format.ts';
import { Drawing } from './drawing.tsx';

export function DecisionDiagram({ route }: { readonly route: Route }) {
  const target = route.query.get('target') ?? '';
  const targets = useCall<{ targets: readonly Target[] }>('target_list', { limit: 500 }, ['decision']);
  const answer = useCall<{ mermaid: string; decisions: number; truncated?: boolean }>(
    'visualize_graph',
    target === '' ? {} : { target },
    ['decision', 'event'],
  );
  const names = (targets.data?.targets ?? []).map((each) => each.target);
  return (
    <>
      <div class="filters">
        <Choice
          label="Target"
          value={target}
          options={[{ value: '', label: 'all' }, ...names]}
          onChange={(value) => replaceQuery(route, { target: value })}
        />
      </div>
      <Loaded answer={answer} lines={8}>
        {({ mermaid, decisions, truncated }) =>
          decisions === 0 ? (
            <Empty title="There are no decisions to draw." />
          ) : (
            <Drawing
              source={mermaid}
              nodes={decisions}
              note={`${plural(decisions, 'decision')}${truncated ? ', cut' : ''}`}
            />
          )
        }
      </Loaded>
    </>
  );
}
