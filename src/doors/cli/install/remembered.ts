/**
 * Between the hook that sees a prompt and the one that sees its answer a process ends. What was said is kept in a small
 * file in the user's state folder until then, readable for nobody else, and for three days at most.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../../store/hash.ts';

export interface Remembered {
  readonly prompt?: string;
  readonly response?: string;
}

const LONGEST_KEPT_MS = 3 * 24 * 60 * 60 * 1000;
const LOOKED_AT = 200;

export class Turns {
  readonly #folder: string;
  readonly #path: string | undefined;

  /** A client that does not name its session has nothing kept for it: two sessions would mix. */
  constructor(stateFolder: string, client: string, session: string | undefined) {
    this.#folder = join(stateFolder, 'turns');
    this.#path =
      session === undefined ? undefined : join(this.#folder, `${sha256(`${client}\n${session}`).slice(0, 32)}.json`);
  }

  recall(): Remembered {
    if (this.#path === undefined) return {};
    try {
      const { prompt, response } = JSON.parse(readFileSync(this.#path, 'utf8')) as Record<string, unknown>;
      return { ...(typeof prompt === 'string' && { prompt }), ...(typeof response === 'string' && { response }) };
    } catch {
      return {};
    }
  }

  remember(turn: Remembered): void {
    if (this.#path === undefined) return;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      this.#forgetOld();
      writeFileSync(this.#path, JSON.stringify(turn), { mode: 0o600 });
    } catch {
      // What cannot be remembered is not recorded later; the prompt must not suffer for it.
    }
  }

  forget(): void {
    if (this.#path !== undefined) removeQuietly(this.#path);
  }

  #forgetOld(): void {
    const oldest = Date.now() - LONGEST_KEPT_MS;
    for (const name of readdirSync(this.#folder).slice(0, LOOKED_AT)) {
      const path = join(this.#folder, name);
      const found = statSync(path, { throwIfNoEntry: false });
      if (found !== undefined && found.mtimeMs < oldest) removeQuietly(path);
    }
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Another hook of the same session was faster.
  }
}
