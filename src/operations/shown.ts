/**
 * Fields that become names: of documents, collections, snapshots, keys. Threat: a key that is pasted into one of them stands in
 * every list from then on, and in the trail. So it is refused before anything is stored under it.
 */
import { CairnError } from '../errors.ts';
import { mask } from '../service/secret.ts';
import { scanForSecrets } from '../service/secret-scan.ts';

/** Asks closely only about what has the form of a secret at all: most names have not, and that is known at once. */
export async function refuseSecretNames(fields: readonly string[], input: unknown): Promise<void> {
  for (const field of fields) {
    for (const text of textsIn((input as Readonly<Record<string, unknown>>)[field])) {
      const [secret] = mask(text) === text ? [] : await scanForSecrets(text);
      if (secret === undefined) continue;
      throw new CairnError('validation_failed', `${field} holds a secret (${secret.rule}): ${secret.masked}`, {
        rule: secret.rule,
        suggestion: 'Leave it out: names, labels, tags and metadata are shown to everybody who reads.',
      });
    }
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const pairs = Object.entries(value);
  // `password: swordfish1` is told by both of its parts.
  const written = Array.isArray(value)
    ? []
    : pairs.filter(([, text]) => typeof text === 'string').map(([name, text]) => `${name}=${text}`);
  return [...written, ...Object.values(value).flatMap(textsIn)];
}
