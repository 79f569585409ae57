/** The answer of an operation as part of a page: asked again when the question or what it is about changes. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { CallError, call } from './call.ts';
import { type ChangeKind, useChangeCount, useConnected } from './live.ts';

export interface Answer<T> {
  /** Stays while the next answer is on its way, so that nothing jumps. */
  readonly data: T | undefined;
  readonly error: CallError | undefined;
  readonly loading: boolean;
  reload(): void;
}

interface State<T> {
  readonly data?: T;
  readonly error?: CallError;
  readonly loading: boolean;
}

/** `input` undefined asks nothing. */
export function useCall<T>(
  operation: string,
  input: object | undefined = {},
  kinds: readonly ChangeKind[] = [],
): Answer<T> {
  const [state, setState] = useState<State<T>>({ loading: input !== undefined });
  const [asked, setAsked] = useState(0);
  const changes = useChangeCount(kinds);
  const connected = useConnected();
  const question = input === undefined ? undefined : JSON.stringify(input);
  useEffect(() => {
    if (question === undefined) {
      setState({ loading: false });
      return;
    }
    const controller = new AbortController();
    setState((before) => ({ ...before, loading: true }));
    call<T>(operation, JSON.parse(question) as object, controller.signal).then(
      (data) => !controller.signal.aborted && setState({ data, loading: false }),
      (error: unknown) => {
        if (controller.signal.aborted) return;
        setState((before) => ({ ...before, error: asCallError(error), loading: false }));
      },
    );
    return () => controller.abort();
  }, [operation, question, changes, asked, connected && state.error?.status === 0]);

  const reload = useCallback(() => setAsked((before) => before + 1), []);
  return { data: state.data, error: state.error, loading: state.loading, reload };
}

export function asCallError(error: unknown): CallError {
  return error instanceof CallError ? error : new CallError(0, { detail: String(error) });
}
