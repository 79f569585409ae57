/** `algo:hex`, as the caller expects a content to be. One that cannot be verified is an error before anything is asked for. */
import { createHash } from 'node:crypto';
import { CairnError } from '../../errors.ts';

const lengths = { sha256: 64, sha512: 128, sha1: 40, md5: 32 } as const;
type Algorithm = keyof typeof lengths;
const algorithms = Object.keys(lengths) as Algorithm[];

export interface Checksum {
  readonly algorithm: Algorithm;
  readonly hex: string;
}

export function readChecksum(text: string): Checksum {
  const colon = text.indexOf(':');
  const hex = text.slice(colon + 1).toLowerCase();
  if (colon < 0) throw unverifiable(text, 'names no algorithm', proposal(hex));
  const name = text.slice(0, colon).toLowerCase();
  const algorithm = algorithms.find((known) => known === name);
  if (algorithm === undefined) {
    throw unverifiable(text, 'names an unknown algorithm', `Use one of ${algorithms.join(', ')}.`);
  }
  const digits = lengths[algorithm];
  if (hex.length !== digits || !/^[0-9a-f]+$/.test(hex)) {
    throw unverifiable(text, `is no ${algorithm}`, `${algorithm} has ${digits} hexadecimal digits.`);
  }
  return { algorithm, hex };
}

/** Looks at the bytes as they come by; without a checksum it looks at nothing. */
export class Verifier {
  readonly #wanted: Checksum | undefined;
  readonly #digest: ReturnType<typeof createHash> | undefined;

  constructor(wanted: Checksum | undefined) {
    this.#wanted = wanted;
    this.#digest = wanted && createHash(wanted.algorithm);
  }

  see(bytes: Uint8Array): void {
    this.#digest?.update(bytes);
  }

  /** Whether there was something to verify. Bytes that are not the expected ones are an error. */
  verify(): boolean {
    if (this.#wanted === undefined) return false;
    const { algorithm, hex } = this.#wanted;
    const found = this.#digest?.digest('hex');
    if (found === hex) return true;
    throw new CairnError(
      'validation_failed',
      `The content has the checksum ${algorithm}:${found}, not ${algorithm}:${hex}. Nothing was stored`,
      { suggestion: 'Compare the checksum with the one its publisher names; the content may have been replaced.' },
    );
  }
}

function unverifiable(text: string, fault: string, suggestion: string): CairnError {
  return new CairnError('validation_failed', `The checksum ${JSON.stringify(text.slice(0, 160))} ${fault}`, {
    suggestion,
  });
}

function proposal(hex: string): string {
  const likely = algorithms.find((algorithm) => lengths[algorithm] === hex.length) ?? 'sha256';
  return `Write it as ${likely}:HEX.`;
}
