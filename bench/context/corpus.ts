/** The judged questions and the corpus that they are asked of: PEPs as decisions, real instruction files as instructions. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { call } from '../../src/operations/call.ts';
import type { App } from '../../src/service/app.ts';
import type { Principal } from '../../src/service/principal.ts';

export const data = resolve('../shared/data');

export interface Question {
  readonly question: string;
  readonly kind?: string;
  readonly expect?: readonly string[];
  readonly why?: string;
  /** `check` and `fresh` had no say in the constants; `fresh` was written with later ones of `tune`. */
  readonly split: 'tune' | 'check' | 'fresh';
}

export interface Questions {
  readonly answerable: readonly Question[];
  readonly unanswerable: readonly Question[];
}

export function questions(): Questions {
  return JSON.parse(readFileSync('bench/context/questions.json', 'utf8')) as Questions;
}

interface Pep {
  readonly pep: number;
  readonly title: string;
  readonly abstract: string;
  readonly superseded_by: readonly number[];
  readonly replaces: readonly number[];
}

export const person: Principal = { name: 'bench', role: 'admin', door: 'mcp', human: true };

export interface FillingCall {
  readonly operation: 'record_decision' | 'instructions_import';
  readonly input: Readonly<Record<string, unknown>>;
}

/** What fills an empty home with the corpus, in this order. */
export function fillingCalls(): FillingCall[] {
  const lines = readFileSync(resolve(data, 'peps/peps.jsonl'), 'utf8').trim().split('\n');
  const records = lines.map((line): FillingCall => {
    const { pep, title, abstract } = JSON.parse(line) as Pep;
    const rationale = abstract.trim().slice(0, 20_000);
    const input = {
      title,
      target: `pep-${pep}`,
      rationale: rationale.length < 10 ? `${title} (no abstract)` : rationale,
    };
    return { operation: 'record_decision', input };
  });
  const source = resolve(data, 'instructions-copilot');
  return [...records, { operation: 'instructions_import', input: { source, mode: 'overwrite' } }];
}

export async function fill(app: App): Promise<void> {
  for (const { operation, input } of fillingCalls()) {
    const answer = (await call(app, { operation, input, principal: person })) as { status?: string };
    if (operation === 'record_decision' && answer.status !== 'success')
      throw new Error(`${input.target}: ${JSON.stringify(answer)}`);
  }
}
