/**
 * Whether what many clients saw of one record could have happened one step after the other, each at some instant between its
 * call and its answer. The search of Wing and Gong: take any step that could be the next, and go back where none fits. Pure.
 */

/** What was asked and what was answered. `done` and `found` are absent where no answer came. */
export type Step =
  | { readonly do: 'write'; readonly value: string; readonly version?: number }
  /** Only where there is nothing yet. */
  | { readonly do: 'create'; readonly value: string; readonly done?: boolean }
  /** Only where the record has this version. */
  | { readonly do: 'swap'; readonly from: number; readonly value: string; readonly done?: boolean }
  | { readonly do: 'remove'; readonly found?: boolean }
  | { readonly do: 'read'; readonly value: string | undefined; readonly version?: number }
  | { readonly do: 'look'; readonly found: boolean };

export interface Act {
  readonly client: string;
  readonly step: Step;
  readonly called: number;
  /** Infinity where no answer came: it happened at some time after the call, or never. */
  readonly returned: number;
}

/** Versions count from one; nothing is version zero. */
interface State {
  readonly value: string | undefined;
  readonly version: number;
}

const never = Number.POSITIVE_INFINITY;
const nothing: State = { value: undefined, version: 0 };

export type Verdict =
  | { readonly linearizable: true; readonly order: readonly Act[] }
  /** How far the search came, and which acts could not follow. */
  | { readonly linearizable: false; readonly order: readonly Act[]; readonly stuck: readonly Act[] };

export function linearize(history: readonly Act[]): Verdict {
  const acts = [...history].sort((a, b) => a.called - b.called);
  const seen = new Set<string>();
  let furthest: { order: Act[]; stuck: Act[] } = { order: [], stuck: [] };

  function search(done: bigint, state: State, order: Act[]): Act[] | undefined {
    const next = nextOf(acts, done);
    if (next === undefined) return order;
    const key = `${done} ${state.version} ${state.value}`;
    if (seen.has(key)) return undefined;
    seen.add(key);
    if (order.length >= furthest.order.length) furthest = { order, stuck: next.map((at) => acts[at] as Act) };
    const ways = next.flatMap((at) => {
      const after = taken(state, (acts[at] as Act).step);
      return after === undefined ? [] : [{ at, after }];
    });
    // What fits and changes nothing can be taken now: later it would fit at best as well.
    const idle = ways.find(({ at, after }) => after === state && (acts[at] as Act).returned < never);
    for (const { at, after } of idle === undefined ? ways : [idle]) {
      const found = search(done | (1n << BigInt(at)), after, [...order, acts[at] as Act]);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  const order = search(0n, nothing, []);
  return order === undefined ? { linearizable: false, ...furthest } : { linearizable: true, order };
}

/** Those that no other one, still to come, was answered before; `undefined` where every answered one has been taken. */
function nextOf(acts: readonly Act[], done: bigint): number[] | undefined {
  let earliest = never;
  const open: number[] = [];
  for (const [at, { called, returned }] of acts.entries()) {
    if (called > earliest) break;
    if ((done >> BigInt(at)) & 1n) continue;
    open.push(at);
    earliest = Math.min(earliest, returned);
  }
  if (earliest === never) return undefined;
  return open.filter((at) => (acts[at] as Act).called <= earliest);
}

/** What is there after the step; `undefined` where its answer is not what this state would have given. */
function taken(state: State, step: Step): State | undefined {
  switch (step.do) {
    case 'write':
      return step.version === undefined || step.version === state.version + 1 ? next(state, step.value) : undefined;
    case 'create':
      return decided(state.version === 0, step.done, state, step.value);
    case 'swap':
      return decided(state.version === step.from, step.done, state, step.value);
    case 'remove':
      if (step.found !== undefined && step.found !== state.version > 0) return undefined;
      return state.version === 0 ? state : nothing;
    case 'read':
      return step.value === state.value && (step.version ?? state.version) === state.version ? state : undefined;
    case 'look':
      return step.found === state.version > 0 ? state : undefined;
  }
}

function decided(holds: boolean, done: boolean | undefined, state: State, value: string): State | undefined {
  if (done !== undefined && done !== holds) return undefined;
  return holds ? next(state, value) : state;
}

function next({ version }: State, value: string): State {
  return { value, version: version + 1 };
}

/** For the message of a test that fails. */
export function told({ client, step, called, returned }: Act): string {
  const { do: what, ...rest } = step;
  return `${called.toFixed(1)}–${returned.toFixed(1)} ${client} ${what} ${JSON.stringify(rest)}`;
}
