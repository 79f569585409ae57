/** What a look at one part of the house answers. */
import type { App } from '../../../service/app.ts';
import type { Principal } from '../../../service/principal.ts';
import { type FaultName, faults } from './faults.ts';

export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  readonly detail: string;
  readonly remedy?: string;
  /** Its name in the table of faults. */
  readonly fault?: FaultName;
}

/** What is looked at, and by whom. */
export interface Patient {
  readonly app: App;
  readonly principal: Principal;
  /** What is wrong with the settings, so that `app` goes by the defaults. */
  readonly complaints: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly workingFolder: string;
  readonly userFolder: string;
  /** An operation, as whoever runs the doctor. */
  call<T>(operation: string, input?: Record<string, unknown>): Promise<T>;
}

export type Look = (patient: Patient) => Finding[] | Promise<Finding[]>;

export function ok(check: string, detail: string): Finding {
  return { check, state: 'ok', detail };
}

/** `remedy` where more can be said than the table does. */
export function found(fault: FaultName, detail: string, remedy?: string): Finding {
  const { check, state, mend } = faults[fault];
  return { check, state, detail, remedy: remedy ?? mend, fault };
}
