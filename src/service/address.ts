/**
 * Which addresses are public. Threat: whoever names a URL, for a download or a webhook, lets this machine ask for it, and this machine reaches
 * more than they do: its own services, the local network, the metadata service of a cloud that hands out credentials. So an
 * address is judged by its bytes, however it is spelled, and what is not known to be public is not.
 */
import { isIPv4, isIPv6 } from 'node:net';

export interface AddressRange {
  /** In words, for the error. */
  readonly what: string;
  /** Whether the setting for private networks opens it. */
  readonly openable: boolean;
}

type Bytes = readonly number[];

const open = (what: string): AddressRange => ({ what, openable: true });
const never = (what: string): AddressRange => ({ what, openable: false });

/** The first that fits counts. From IANA's registries of special-purpose addresses, and metadata services that stand elsewhere. */
const ranges = [
  ['168.63.129.16/32', never('cloud metadata')],
  ['100.100.100.200/32', never('cloud metadata')],
  ['fd00:ec2::254/128', never('cloud metadata')],
  ['fd20:ce::254/128', never('cloud metadata')],
  ['127.0.0.0/8', open('loopback')],
  ['10.0.0.0/8', open('private')],
  ['172.16.0.0/12', open('private')],
  ['192.168.0.0/16', open('private')],
  ['100.64.0.0/10', open('shared')],
  ['198.18.0.0/15', open('benchmarking')],
  ['0.0.0.0/8', never('unspecified')],
  ['169.254.0.0/16', never('link-local')],
  ['192.0.0.0/24', never('reserved')],
  ['192.0.2.0/24', never('documentation')],
  ['192.88.99.0/24', never('reserved')],
  ['198.51.100.0/24', never('documentation')],
  ['203.0.113.0/24', never('documentation')],
  ['224.0.0.0/4', never('multicast')],
  ['240.0.0.0/4', never('reserved')],
  ['::ffff:0:0/96', undefined],
  ['::1/128', open('loopback')],
  ['fc00::/7', open('private')],
  ['fe80::/10', never('link-local')],
  ['ff00::/8', never('multicast')],
  ['2001::/23', never('reserved')],
  ['2001:db8::/32', never('documentation')],
  ['2002::/16', never('tunnelled')],
  ['3fff::/20', never('documentation')],
  // All of IPv6 that is given out; what lies outside of it was named above or belongs to nobody.
  ['2000::/3', undefined],
] as const satisfies readonly (readonly [string, AddressRange | undefined])[];

const judged = ranges.map(([block, range]) => ({ ...blockOf(block), range }));

/** A network with a translator reaches IPv4 under this prefix: such an address is as public as the one it holds. */
const translated = blockOf('64:ff9b::/96');

/** The special range that an address lies in; `undefined` for a public one. */
export function rangeOf(address: string): AddressRange | undefined {
  const bytes = bytesOf(address);
  if (bytes === undefined) return never('unreadable');
  const meant = isWithin(bytes, translated) ? mapped(bytes.slice(12)) : bytes;
  const found = judged.find((block) => isWithin(meant, block));
  return found === undefined ? never('reserved') : found.range;
}

/** Sixteen bytes; an IPv4 address as the IPv6 address that stands for it. Without a zone: that names an interface of ours. */
export function bytesOf(address: string): Bytes | undefined {
  if (isIPv4(address)) return mapped(quadOf(address));
  if (!isIPv6(address) || address.includes('%')) return undefined;
  const [front = '', back] = address.split('::');
  const head = groupsOf(front);
  const tail = groupsOf(back ?? '');
  return [...head, ...Array<number>(16 - head.length - tail.length).fill(0), ...tail];
}

function mapped(quad: Bytes): Bytes {
  return [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, ...quad];
}

function quadOf(text: string): Bytes {
  return text.split('.').map(Number);
}

function groupsOf(text: string): Bytes {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (group.includes('.')) return quadOf(group);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
}

interface Block {
  readonly base: Bytes;
  readonly bits: number;
}

function blockOf(text: string): Block {
  const [address = '', length = ''] = text.split('/');
  const bits = Number(length) + (isIPv4(address) ? 96 : 0);
  return { base: bytesOf(address) ?? [], bits };
}

function isWithin(bytes: Bytes, { base, bits }: Block): boolean {
  return base.every((byte, at) => {
    const counted = Math.min(8, Math.max(0, bits - at * 8));
    const mask = (0xff << (8 - counted)) & 0xff;
    return ((bytes[at] ?? 0) & mask) === (byte & mask);
  });
}
