/** What the network reports, in words of a caller. The other side's own words are not repeated: nobody vouches for them. */
import { CairnError } from '../../errors.ts';

const reasons: readonly (readonly [codes: RegExp, reason: string, suggestion: string])[] = [
  [/^(?:ENOTFOUND|EAI_)/, 'cannot be resolved', 'Check the spelling of the host, and the network of this machine.'],
  [/^ECONNREFUSED$/, 'refuses the connection', 'Check the port, or try again later.'],
  [/^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, 'cannot be reached', 'Check the network of this machine.'],
  [/^(?:ECONNRESET|EPIPE)$/, 'broke off before the whole content had come', 'Try again.'],
  [/^(?:Z_|ERR__|ERR_BROTLI)/, 'sends packed content that is damaged', 'Fetch it yourself, and use add.'],
  [/^HPE_/, 'does not answer as an HTTP server does', 'Check the URL and its port.'],
  [
    /CERT|SIGNED|SELF_SIGNED|ISSUER|^ERR_TLS/,
    'has no certificate that this machine trusts',
    'Name the authority with NODE_EXTRA_CA_CERTS if you trust it.',
  ],
];

export function told(thrown: unknown, { host }: URL): unknown {
  if (thrown instanceof CairnError || !(thrown instanceof Error)) return thrown;
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
  // Without a code it is no trouble of the network but a mistake of ours, and must be seen as one.
  if (code === '') return thrown;
  const [, reason, suggestion] = reasons.find(([codes]) => codes.test(code)) ?? [];
  const kind = code === 'ENOTFOUND' ? 'not_found' : 'validation_failed';
  return new CairnError(
    kind,
    `${host} ${reason ?? `could not be read (${code})`}. Nothing was stored`,
    { suggestion: suggestion ?? 'Check the URL, or try again later.' },
    { cause: thrown },
  );
}
