/** An object store as CAIRN_OBJECTS names it, taken apart: `s3://BUCKET/PREFIX?endpoint=URL&region=NAME`. */
import { CairnError } from '../../errors.ts';

export interface BucketAddress {
  readonly endpoint: URL;
  readonly region: string;
  readonly bucket: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  readonly shown: string;
}

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** With keys that are lent for a while. */
  readonly sessionToken?: string | undefined;
}

export interface BucketOptions {
  readonly address: BucketAddress;
  readonly credentials: Credentials;
  /** For one request, all of it. */
  readonly timeoutMs?: number | undefined;
}

const bucketName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const regionName = /^[a-z0-9-]{1,32}$/;
const prefixName = /^[A-Za-z0-9._/-]{0,512}$/;

export function isBucketAddress(text: string): boolean {
  try {
    return bucketAddress(text) !== undefined;
  } catch {
    return false;
  }
}

export function bucketAddress(text: string): BucketAddress {
  const url = URL.canParse(text) ? new URL(text) : refuse('is not an address');
  // Threat: settings are shown and logged; a secret in one of them would be too.
  if (url.username !== '' || url.password !== '') refuse('must not hold credentials');
  const known = [...url.searchParams.keys()].every((name) => name === 'endpoint' || name === 'region');
  if (url.protocol !== 's3:' || !bucketName.test(url.host) || !known) refuse('names no bucket of an object store');
  const path = url.pathname.replace(/^\/+|\/+$/g, '');
  const region = url.searchParams.get('region') ?? 'us-east-1';
  if (!prefixName.test(path) || path.split('/').some((part) => part === '..' || part === '.'))
    refuse('has a prefix with other signs than letters, digits, dots, dashes, underscores and slashes');
  if (!regionName.test(region)) refuse('has a region that cannot be one');
  const endpoint = endpointOf(url.searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`);
  const prefix = path === '' ? '' : `${path}/`;
  return { endpoint, region, bucket: url.host, prefix, shown: `${endpoint.origin}/${url.host}/${prefix}` };
}

function endpointOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : refuse('has an endpoint that is no address');
  const plain = url.username === '' && url.password === '' && url.search === '' && url.pathname === '/';
  if (!plain || !/^https?:$/.test(url.protocol)) refuse('has an endpoint that is more than http(s)://HOST:PORT');
  return url;
}

/** `given` are the variables of the environment, by their names. */
export function bucketCredentials(given: Readonly<Record<string, string | undefined>>): Credentials {
  const { AWS_ACCESS_KEY_ID: id = '', AWS_SECRET_ACCESS_KEY: secret = '', AWS_SESSION_TOKEN: token = '' } = given;
  if (id === '' || secret === '') {
    throw new CairnError('validation_failed', 'CAIRN_OBJECTS names an object store, and there are no keys for it', {
      suggestion: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN where the keys are lent.',
    });
  }
  return { accessKeyId: id, secretAccessKey: secret, ...(token !== '' && { sessionToken: token }) };
}

/** Without the value: what is wrong with it may be a secret in it. */
function refuse(problem: string): never {
  throw new CairnError('validation_failed', `CAIRN_OBJECTS ${problem}`, {
    suggestion: 'Write s3://BUCKET/PREFIX?endpoint=https://HOST&region=NAME.',
  });
}
