/** The text format of Prometheus (version 0.0.4). Pure: measures in, text out. */

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
  /** `_bucket`, `_sum` and `_count` of a histogram. */
  readonly suffix?: string;
}

export interface Measure {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly Sample[];
}

export const contentType = 'text/plain; version=0.0.4; charset=utf-8';

export function exposition(measures: readonly Measure[]): string {
  return measures
    .filter(({ samples }) => samples.length > 0)
    .map(familyOf)
    .join('');
}

function familyOf({ name, help, type, samples }: Measure): string {
  const lines = samples.map(
    ({ labels = {}, value, suffix = '' }) => `${name}${suffix}${labelled(labels)} ${number(value)}`,
  );
  return [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

function labelled(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function number(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return String(value);
}

export function gauge(name: string, help: string, value: number | undefined): Measure {
  return { name, help, type: 'gauge', samples: value === undefined ? [] : [{ value }] };
}

/** One gauge a value of a label. */
export function gauges(name: string, help: string, label: string, values: Readonly<Record<string, number>>): Measure {
  const samples = Object.entries(values).map(([of, value]) => ({ labels: { [label]: of }, value }));
  return { name, help, type: 'gauge', samples };
}

export function counter(name: string, help: string, samples: readonly Sample[]): Measure {
  return { name, help, type: 'counter', samples };
}
