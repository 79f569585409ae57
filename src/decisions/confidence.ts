/**
 * How far a decision can be relied on today: a pure function of when it was made, how sure its maker was and what speaks
 * for it since. Nothing is stored, nothing is deleted by it, and asking twice gives the same answer.
 */

const DAY_MS = 86_400_000;
/** Without any evidence, half of the confidence is left after this many days; each event that bears it out doubles the time. */
const HALF_LIFE_DAYS = 180;
const MOST_DOUBLINGS = 4;
const LEAST = 0.1;

export interface Evidence {
  readonly success: boolean;
  readonly created: string;
}

export function confidenceNow(base: number, created: string, evidence: readonly Evidence[], now: string): number {
  const upheld = evidence.filter(({ success }) => success);
  const last = upheld.reduce((latest, event) => (event.created > latest ? event.created : latest), created);
  const idleDays = Math.max(0, Date.parse(now) - Date.parse(last)) / DAY_MS;
  const halfLife = HALF_LIFE_DAYS * 2 ** Math.min(upheld.length, MOST_DOUBLINGS);
  const failed = evidence.length - upheld.length;
  const doubt = evidence.length === 0 ? 1 : 1 - failed / (evidence.length + 1);
  const value = base * doubt * 0.5 ** (idleDays / halfLife);
  const rounded = Math.round(Math.max(LEAST, value) * 1000) / 1000;
  return Math.min(base, rounded);
}
