/** Which partition of the decisions is looked at. */
import { useState } from 'preact/hooks';
import { TextField } from '../../parts/field.tsx';
import { type Route, replaceQuery } from '../../router.ts';

export function namespaceOf({ query }: Route): string {
  return query.get('namespace') || 'default';
}

export function Namespace({ route }: { readonly route: Route }) {
  const [typed, setTyped] = useState(namespaceOf(route));
  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault();
        replaceQuery(route, { namespace: typed === 'default' ? '' : typed });
      }}
    >
      <TextField label="Namespace" value={typed} onChange={setTyped} />
    </form>
  );
}
