/** A button that calls an operation, and says how it went. */
import { useState } from 'preact/hooks';
import { type CallError, call } from '../data/call.ts';
import { asCallError } from '../data/use-call.ts';
import { Failure } from './basics.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './field.tsx';

export interface Action {
  readonly label: string;
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** What to ask before; without it the button acts at once. */
  readonly question?: string;
  /** A parameter that is asked for along with the question. */
  readonly reason?: { readonly name: string; readonly label: string };
  readonly danger?: boolean;
  readonly main?: boolean;
  readonly done?: () => void;
}

export function ActionButton({ action }: { readonly action: Action }) {
  const [asking, setAsking] = useState(false);
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<CallError>();

  async function act(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      const said = action.reason !== undefined && reason !== '' ? { [action.reason.name]: reason } : {};
      await call(action.operation, { ...action.input, ...said });
      announce(`${action.label}: done`);
      setAsking(false);
      action.done?.();
    } catch (thrown) {
      setError(asCallError(thrown));
    } finally {
      setBusy(false);
    }
  }

  const tone = action.danger ? 'danger' : action.main ? 'main' : '';
  return (
    <>
      <button
        type="button"
        class={tone}
        disabled={busy}
        onClick={action.question === undefined ? act : () => setAsking(true)}
      >
        {action.label}
      </button>
      {error !== undefined && !asking && <Failure error={error} />}
      {asking && (
        <Dialog title={action.label} close={() => setAsking(false)}>
          <p>{action.question}</p>
          {action.reason !== undefined && <TextField label={action.reason.label} value={reason} onChange={setReason} />}
          {error !== undefined && <Failure error={error} />}
          <div class="buttons">
            <button type="button" class={tone} disabled={busy} onClick={act}>
              {action.label}
            </button>
            <button type="button" onClick={() => setAsking(false)}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

/** Told to readers of screens, politely. */
export function announce(text: string): void {
  const place = document.getElementById('announcements');
  if (place !== null) place.textContent = text;
}
