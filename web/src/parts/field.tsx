/** Inputs with their labels. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';

interface Labelled {
  readonly label: string;
  /** For readers of screens only. */
  readonly hidden?: boolean;
  readonly note?: string;
}

export function Field({
  label,
  hidden,
  note,
  children,
}: Labelled & { readonly children: (id: string) => ComponentChildren }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id} class={hidden ? 'unseen' : ''}>
        {label}
      </label>
      {children(id)}
      {note !== undefined && <p class="note">{note}</p>}
    </div>
  );
}

export function TextField({
  value,
  onChange,
  placeholder,
  required = false,
  ...labelled
}: Labelled & {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
  readonly required?: boolean;
}) {
  return (
    <Field {...labelled}>
      {(id) => (
        <input
          id={id}
          type="text"
          value={value}
          required={required}
          placeholder={placeholder ?? ''}
          autoComplete="off"
          spellcheck={false}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export function TextArea({
  value,
  onChange,
  rows = 8,
  ...labelled
}: Labelled & { readonly value: string; readonly onChange: (value: string) => void; readonly rows?: number }) {
  return (
    <Field {...labelled}>
      {(id) => (
        <textarea
          id={id}
          rows={rows}
          value={value}
          spellcheck={false}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export type Option = string | { readonly value: string; readonly label: string };

export function Choice({
  value,
  onChange,
  options,
  ...labelled
}: Labelled & {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly Option[];
}) {
  return (
    <Field {...labelled}>
      {(id) => (
        <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {options.map((option) => {
            const { value: name, label } = typeof option === 'string' ? { value: option, label: option } : option;
            return (
              <option key={name} value={name} selected={name === value}>
                {label}
              </option>
            );
          })}
        </select>
      )}
    </Field>
  );
}

export function Tick({
  label,
  checked,
  onChange,
}: {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}) {
  return (
    <label class="tick">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}

/** A search box: `/` leads to it, what is typed counts after a moment. */
export function SearchField({
  label,
  value,
  onChange,
  placeholder,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder?: string;
}) {
  const [typed, setTyped] = useState(value);
  const told = useRef(value);
  useEffect(() => {
    if (value !== told.current) setTyped(value);
    told.current = value;
  }, [value]);
  useEffect(() => {
    if (typed === told.current) return;
    const timer = setTimeout(() => {
      told.current = typed;
      onChange(typed);
    }, 180);
    return () => clearTimeout(timer);
  }, [typed, onChange]);
  const id = useId();
  return (
    <div class="field search">
      <label for={id} class="unseen">
        {label}
      </label>
      <input
        id={id}
        type="search"
        data-search
        value={typed}
        placeholder={placeholder ?? label}
        autoComplete="off"
        spellcheck={false}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </div>
  );
}
