/** Decisions are read by everybody and kept in the history: what must not be known is refused, with the rule that knew it. */
import { CairnError } from '../../errors.ts';
import { scanForSecrets } from '../../service/secret-scan.ts';

export async function refuseSecrets(...texts: readonly string[]): Promise<void> {
  const [secret] = await scanForSecrets(texts.join('\n'));
  if (secret === undefined) return;
  throw new CairnError('validation_failed', `The text holds a secret (${secret.rule}): ${secret.masked}`, {
    rule: secret.rule,
    suggestion: 'Leave it out: decisions are read by everybody and kept in the history.',
  });
}
