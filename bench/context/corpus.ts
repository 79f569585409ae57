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

export async function fill(app: App): Promise<void> {
  const lines = readFileSync(resolve(data, 'peps/peps.jsonl'), 'utf8').trim().split('\n');
  for (const line of lines) {
    const { pep, title, abstract } = JSON.parse(line) as Pep;
    const rationale = abstract.trim().slice(0, 20_000);
    const input = {
      title,
      target: `pep-${pep}`,
      rationale: rationale.length < 10 ? `${title} (no abstract)` : rationale,
    };
    const answer = (await call(app, { operation: 'record_decision', input, principal: person })) as { status: string };
    if (answer.status !== 'success') throw new Error(`pep-${pep}: ${JSON.stringify(answer)}`);
  }
  const source = resolve(data, 'instructions-copilot');
  await call(app, { operation: 'instructions_import', input: { source, mode: 'overwrite' }, principal: person });
}
