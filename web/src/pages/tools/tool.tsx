import { useState } from 'preact/hooks';
import { type CallError, call } from '../../data/call.ts';
import { useSession } from '../../data/session.ts';
import { asCallError, useCall } from '../../data/use-call.ts';
import { Badge, Facts, Failure, Loaded, Section } from '../../parts/basics.tsx';
import { Choice, TextArea, TextField } from '../../parts/field.tsx';
import { PageHead } from '../../parts/heading.tsx';
import { Code } from '../../text/code.tsx';
import { milliseconds } from '../../text/format.ts';
import { argumentsOf, fieldKind, type Property, type ToolSchema, type Typed, typedOf } from './schema.ts';

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly family: string;
  readonly capability: string;
  readonly spellings: readonly string[];
  readonly writes?: boolean;
  readonly needsMutationSwitch?: boolean;
  readonly disabled?: boolean;
  readonly example: Readonly<Record<string, unknown>>;
  readonly inputSchema: ToolSchema;
  readonly outputSchema: object;
}

const json = (value: unknown) => JSON.stringify(value, null, 2);

export function ToolPage({ name }: { readonly name: string }) {
  const answer = useCall<Tool>('describe', { target: name });
  return (
    <>
      <PageHead
        title={answer.data?.name ?? name}
        crumbs={[{ label: 'Tools', href: '#/tools' }]}
        lead={answer.data?.description}
      />
      <Loaded answer={answer} lines={10}>
        {(tool) => (
          <div class="split">
            <div>
              <TryIt tool={tool} key={tool.name} />
              <Section title="Arguments">
                <Code text={json(tool.inputSchema)} language="json" />
              </Section>
              <Section title="Answer">
                <Code text={json(tool.outputSchema)} language="json" />
              </Section>
            </div>
            <aside>
              <Section title="Facts">
                <Facts
                  facts={[
                    ['Family', tool.family],
                    ['Capability', tool.capability],
                    ['Effect', <Badge word={tool.writes ? 'writes' : 'reads'} tone={tool.writes ? 'warn' : 'good'} />],
                    ['Switch', tool.needsMutationSwitch ? 'MCP_ENABLE_MUTATION=1, or a person' : undefined],
                    ['Spellings', tool.spellings.join(', ')],
                    ['REST', <code>POST /api/v1/{tool.name}</code>],
                  ]}
                />
              </Section>
              <Section title="Example">
                <Code text={json(tool.example)} language="json" />
              </Section>
            </aside>
          </div>
        )}
      </Loaded>
    </>
  );
}

interface Outcome {
  readonly result?: unknown;
  readonly error?: CallError;
  readonly took?: number;
}

const MOST_SHOWN = 60_000;

function TryIt({ tool }: { readonly tool: Tool }) {
  const { canWrite } = useSession();
  const [typed, setTyped] = useState<Typed>({});
  const [outcome, setOutcome] = useState<Outcome>({});
  const [busy, setBusy] = useState(false);
  const properties = Object.entries(tool.inputSchema.properties ?? {});
  const forbidden = tool.writes === true && !canWrite;

  async function send(event: Event): Promise<void> {
    event.preventDefault();
    setBusy(true);
    const started = performance.now();
    try {
      const result = await call(tool.name, argumentsOf(tool.inputSchema, typed));
      setOutcome({ result, took: performance.now() - started });
    } catch (thrown) {
      setOutcome({ error: asCallError(thrown) });
    } finally {
      setBusy(false);
    }
  }

  return (
    <Section
      title="Try it"
      {...(forbidden && { note: 'it writes: sign in first' })}
      aside={
        <button type="button" onClick={() => setTyped(typedOf(tool.example))}>
          Fill in the example
        </button>
      }
    >
      <form onSubmit={send}>
        {properties.length === 0 && <p class="note">It takes no arguments.</p>}
        {properties.map(([name, property]) => (
          <Argument
            key={name}
            name={name}
            property={property}
            required={tool.inputSchema.required?.includes(name) === true}
            value={typed[name] ?? ''}
            onChange={(value) => setTyped((before) => ({ ...before, [name]: value }))}
          />
        ))}
        <button type="submit" class="main" disabled={busy || forbidden}>
          Call {tool.name}
        </button>
      </form>
      <div aria-live="polite" class="outcome">
        {outcome.error !== undefined && <Failure error={outcome.error} />}
        {outcome.result !== undefined && (
          <>
            <p class="note">answered in {milliseconds(outcome.took ?? 0)}</p>
            <Code text={json(outcome.result).slice(0, MOST_SHOWN)} language="json" />
          </>
        )}
      </div>
    </Section>
  );
}

function Argument(props: {
  name: string;
  property: Property;
  required: boolean;
  value: string;
  onChange: (v: string) => void;
}) {
  const { name, property, required, value, onChange } = props;
  const standard = property.default === undefined ? '' : `Default ${JSON.stringify(property.default)}.`;
  const note = [property.description ?? '', standard].filter(Boolean).join(' ');
  const common = { label: required ? `${name} (needed)` : name, value, onChange, ...(note !== '' && { note }) };
  const options = (words: readonly string[]) => [{ value: '', label: '–' }, ...words];
  switch (fieldKind(property)) {
    case 'choice':
      return <Choice {...common} options={options(property.enum ?? [])} />;
    case 'tick':
      return <Choice {...common} options={options(['true', 'false'])} />;
    case 'line':
      return <TextField {...common} required={required} />;
    case 'json':
      return <TextArea {...common} label={`${common.label}, as JSON`} rows={3} />;
  }
}
