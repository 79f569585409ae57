/** Decisions as a Mermaid diagram: chains from old to new, and the events that speak for them. Stored text cannot break out. */
import { mermaidLabel } from '../graph/drawing.ts';
import type { EventRecord } from '../store/store.ts';
import type { DecisionHead } from './ledger.ts';

export interface Evidenced {
  readonly head: DecisionHead;
  readonly events: readonly EventRecord[];
}

const LABEL = 60;

export function mermaid(decisions: readonly Evidenced[]): string {
  const names = new Map(decisions.map(({ head }, at) => [head.id, `D${at + 1}`]));
  const events = new Map<number, string>();
  const lines = ['graph LR'];
  for (const { head } of decisions) {
    lines.push(`  ${names.get(head.id)}["${label(head.title)}<br/>${label(head.target)}"]:::${head.status}`);
  }
  for (const { head } of decisions) {
    const successor = head.supersededBy === undefined ? undefined : names.get(head.supersededBy);
    if (successor !== undefined) lines.push(`  ${names.get(head.id)} -->|superseded_by| ${successor}`);
  }
  for (const { head, events: own } of decisions) {
    for (const event of own) {
      if (!events.has(event.id)) {
        events.set(event.id, `E${event.id}`);
        lines.push(`  E${event.id}("${label(`${event.kind}: ${event.subject}`)}")`);
      }
      lines.push(`  E${event.id} -.->|evidence| ${names.get(head.id)}`);
    }
  }
  lines.push(
    '  classDef active fill:#d5f5e3,stroke:#1e8449,color:#000',
    '  classDef superseded fill:#eee,stroke:#999,color:#555,stroke-dasharray:4',
    '  classDef proposed fill:#fef9e7,stroke:#b7950b,color:#000',
  );
  return lines.join('\n');
}

/** One line of plain characters: quotes, brackets and markup are written as Mermaid's entities. */
function label(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const short = line.length <= LABEL ? line : `${line.slice(0, LABEL - 1)}…`;
  return mermaidLabel(short);
}
