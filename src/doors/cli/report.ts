/** Findings of a check in the forms that people and CI systems read: text, JSON, SARIF 2.1.0 and JUnit XML. */
import { version } from '../../version.ts';

export interface CheckFinding {
  readonly file: string;
  readonly line: number;
  readonly severity: string;
  readonly rule: string;
  readonly message: string;
  readonly remedy?: string;
}

export interface CheckReport {
  readonly check: string;
  /** Everything that was looked at, also what nothing was found in. */
  readonly subjects: readonly string[];
  readonly findings: readonly CheckFinding[];
}

export const formats = ['text', 'json', 'sarif', 'junit'] as const;
export type Format = (typeof formats)[number];

const grave = new Set(['critical', 'high', 'error']);

export function isGrave({ findings }: CheckReport): boolean {
  return findings.some(({ severity }) => grave.has(severity));
}

export function formatted(report: CheckReport, format: Format): string {
  if (format === 'json') return JSON.stringify({ ...report, ok: !isGrave(report) });
  if (format === 'sarif') return JSON.stringify(sarif(report));
  return format === 'junit' ? junit(report) : text(report);
}

function text({ check, subjects, findings }: CheckReport): string {
  if (findings.length === 0) return `${check}: ${subjects.length} looked at, nothing found.`;
  return findings
    .map(({ file, line, severity, rule, message, remedy }) => {
      return `${file}:${line}: ${severity} ${rule}: ${message}${remedy === undefined ? '' : ` → ${remedy}`}`;
    })
    .join('\n');
}

function sarif({ findings }: CheckReport) {
  const level = (severity: string) =>
    grave.has(severity) ? 'error' : severity === 'medium' || severity === 'warning' ? 'warning' : 'note';
  const rules = [...new Map(findings.map((finding) => [finding.rule, finding])).values()];
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'cairn',
            version,
            rules: rules.map(({ rule, message }) => ({ id: rule, shortDescription: { text: message } })),
          },
        },
        results: findings.map(({ file, line, severity, rule, message }) => ({
          ruleId: rule,
          level: level(severity),
          message: { text: message },
          locations: [
            {
              physicalLocation: { artifactLocation: { uri: file.replaceAll('\\', '/') }, region: { startLine: line } },
            },
          ],
        })),
      },
    ],
  };
}

/** One test case a subject; it fails when something grave was found in it. */
function junit({ check, subjects, findings }: CheckReport): string {
  const cases = subjects.map((subject) => {
    const own = findings.filter(({ file, severity }) => file === subject && grave.has(severity));
    const failures = own.map(
      ({ line, rule, message }) => `<failure type="${xml(rule)}" message="${xml(message)}">line ${line}</failure>`,
    );
    return `    <testcase classname="cairn.${xml(check)}" name="${xml(subject)}">${failures.join('')}</testcase>`;
  });
  const failed = subjects.filter((subject) =>
    findings.some(({ file, severity }) => file === subject && grave.has(severity)),
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite name="cairn ${xml(check)}" tests="${subjects.length}" failures="${failed.length}">`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
  ].join('\n');
}

function xml(value: string): string {
  const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no way to write them
  return value.replace(/[&<>"']/g, (sign) => named[sign] ?? '').replace(/[\x00-\x08\x0b\x0c\x0e-\x1f]/g, '');
}
