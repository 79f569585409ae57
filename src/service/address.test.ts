import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesOf, rangeOf } from './address.ts';

const inside: readonly (readonly [address: string, what: string])[] = [
  ['127.0.0.1', 'loopback'],
  ['127.255.255.255', 'loopback'],
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback'],
  ['10.0.0.0', 'private'],
  ['10.255.255.255', 'private'],
  ['172.16.0.0', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.0.1', 'private'],
  ['fc00::1', 'private'],
  ['fdff:ffff::1', 'private'],
  ['100.64.0.0', 'shared'],
  ['100.127.255.255', 'shared'],
  ['198.18.0.0', 'benchmarking'],
  ['198.19.255.255', 'benchmarking'],
];

const neverReached: readonly (readonly [address: string, what: string])[] = [
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'unspecified'],
  ['169.254.0.1', 'link-local'],
  ['169.254.169.254', 'link-local'],
  ['168.63.129.16', 'cloud metadata'],
  ['100.100.100.200', 'cloud metadata'],
  ['fd00:ec2::254', 'cloud metadata'],
  ['fd20:ce::254', 'cloud metadata'],
  ['192.0.0.1', 'reserved'],
  ['192.0.2.1', 'documentation'],
  ['192.88.99.1', 'reserved'],
  ['198.51.100.1', 'documentation'],
  ['203.0.113.255', 'documentation'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['240.0.0.0', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['::', 'reserved'],
  ['::2', 'reserved'],
  ['::127.0.0.1', 'reserved'],
  ['::8.8.8.8', 'reserved'],
  ['::ffff:0:127.0.0.1', 'reserved'],
  ['64:ff9b:1::1', 'reserved'],
  ['100::1', 'reserved'],
  ['1fff:ffff::', 'reserved'],
  ['2001::1', 'reserved'],
  ['2001:0:53aa:64c:0:fbff:80ff:fffe', 'reserved'],
  ['2001:2::1', 'reserved'],
  ['2001:20::1', 'reserved'],
  ['2001:1ff:ffff::', 'reserved'],
  ['2001:db8::1', 'documentation'],
  ['2002:7f00:1::', 'tunnelled'],
  ['2002:808:808::1', 'tunnelled'],
  ['3fff:fff::1', 'documentation'],
  ['4000::1', 'reserved'],
  ['5f00::1', 'reserved'],
  ['fe80::1', 'link-local'],
  ['febf::1', 'link-local'],
  ['fec0::1', 'reserved'],
  ['fe80::1%eth0', 'unreadable'],
  ['::1%lo', 'unreadable'],
  ['ff02::1', 'multicast'],
];

const notAddresses = [
  '',
  'localhost',
  '127.1',
  '0177.0.0.1',
  '0x7f.0.0.1',
  '2130706433',
  '127.0.0.1.',
  '1.2.3.256',
  '[::1]',
  ':::',
];

const reached = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '93.184.216.34',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.0',
  '192.0.3.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2001:db7:ffff::1',
  '2001:db9::1',
  '2606:4700::1111',
  '2a00::1',
  '3fff:1000::1',
  '::ffff:8.8.8.8',
  '::ffff:808:808',
  '64:ff9b::8.8.8.8',
  '64:FF9B::808:808',
];

describe('an address', () => {
  it.each(inside)('%s is %s, and opened by the setting for private networks', (address, what) => {
    expect(rangeOf(address)).toEqual({ what, openable: true });
  });

  it.each(neverReached)('%s is %s, and never opened', (address, what) => {
    expect(rangeOf(address)).toEqual({ what, openable: false });
  });

  it.each(notAddresses)('%j is none, and so not public', (address) => {
    expect(rangeOf(address)).toEqual({ what: 'unreadable', openable: false });
  });

  it.each(reached)('%s is public', (address) => {
    expect(rangeOf(address)).toBeUndefined();
  });
});

const quad = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
const word = fc.oneof(fc.constant(0), fc.nat(0xffff));
const words = fc.array(word, { minLength: 8, maxLength: 8 });
const hex = (value: number) => value.toString(16);

/** Every way in which a host of a URL may spell an IPv4 address. */
function spelled([a, b, c, d]: readonly number[]): string[] {
  const all = [a, b, c, d].map((part) => part ?? 0);
  const [first = 0, second = 0, third = 0, fourth = 0] = all;
  const number = ((first * 256 + second) * 256 + third) * 256 + fourth;
  return [
    all.join('.'),
    `${all.join('.')}.`,
    String(number),
    `0x${hex(number)}`,
    `0${number.toString(8)}`,
    all.map((part) => `0x${hex(part)}`).join('.'),
    all.map((part) => `0${part.toString(8)}`).join('.'),
    `${first}.${(second * 256 + third) * 256 + fourth}`,
    `${first}.${second}.${third * 256 + fourth}`,
    all
      .join('.')
      .replaceAll('.', '。')
      .replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  ];
}

describe('whatever the spelling', () => {
  it('an IPv4 address in a URL is judged as itself', () => {
    fc.assert(
      fc.property(quad, (bytes) => {
        const expected = rangeOf(bytes.join('.'));
        for (const host of spelled(bytes)) expect(rangeOf(new URL(`http://${host}/`).hostname)).toEqual(expected);
      }),
    );
  });

  it('an IPv4 address within an IPv6 address is judged as itself where it is reached so, and refused elsewhere', () => {
    fc.assert(
      fc.property(quad, (bytes) => {
        const [a, b, c, d] = bytes;
        const dotted = bytes.join('.');
        const expected = rangeOf(dotted);
        const groups = `${hex(a * 256 + b)}:${hex(c * 256 + d)}`;
        for (const prefix of ['::ffff:', '::FFFF:', '0:0:0:0:0:ffff:', '64:ff9b::', '64:ff9b:0:0:0:0:']) {
          expect(rangeOf(prefix + dotted)).toEqual(expected);
          expect(rangeOf(prefix + groups)).toEqual(expected);
          const inUrl = new URL(`http://[${prefix}${dotted}]/`).hostname.slice(1, -1);
          expect(rangeOf(inUrl)).toEqual(expected);
        }
        for (const prefix of ['::', '::ffff:0:', '64:ff9b:1::']) {
          expect(rangeOf(prefix + dotted)).toBeDefined();
        }
        expect(rangeOf(`2002:${groups}::1`)).toBeDefined();
        expect(rangeOf(`2001:0:${groups}::1`)).toBeDefined();
      }),
    );
  });

  it('an IPv6 address has the same bytes', () => {
    fc.assert(
      fc.property(words, fc.boolean(), (groups, upper) => {
        const plain = groups.map(hex).join(':');
        const padded = groups.map((group) => hex(group).padStart(4, '0')).join(':');
        const short = new URL(`http://[${plain}]/`).hostname.slice(1, -1);
        const expected = groups.flatMap((group) => [group >> 8, group & 255]);
        for (const text of [plain, padded, short]) {
          expect(bytesOf(upper ? text.toUpperCase() : text)).toEqual(expected);
        }
      }),
    );
  });
});

describe('the ranges', () => {
  const special = new BlockList();
  for (const block of [
    ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
    ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
    ...['224.0.0.0/4', '240.0.0.0/4', '168.63.129.16/32'],
  ]) {
    const [base = '', bits] = block.split('/');
    special.addSubnet(base, Number(bits), 'ipv4');
  }

  it('hold every IPv4 address that an independent list of them holds, and no other', () => {
    // Most random addresses are public: half of them are drawn from near the edges of the ranges.
    const edges = [0, 9, 10, 11, 100, 126, 127, 128, 169, 172, 192, 198, 203, 223, 224, 240, 255];
    const near = fc.tuple(fc.constantFrom(...edges), fc.nat(255), fc.constantFrom(0, 2, 99, 100, 113), fc.nat(255));
    fc.assert(
      fc.property(fc.oneof(quad, near), (bytes) => {
        const address = bytes.join('.');
        expect(rangeOf(address) !== undefined).toBe(special.check(address, 'ipv4'));
      }),
      { numRuns: 3000 },
    );
  });

  it('leave nothing of IPv6 public but what is given out, and what stands for IPv4', () => {
    fc.assert(
      fc.property(words, (groups) => {
        const address = groups.map(hex).join(':');
        const [first = 0] = groups;
        const global = first >= 0x2000 && first <= 0x3fff;
        const mapped = groups.slice(0, 6).join() === '0,0,0,0,0,65535';
        const translated = groups.slice(0, 6).join() === '100,65435,0,0,0,0';
        if (!global && !mapped && !translated) expect(rangeOf(address)).toBeDefined();
      }),
      { numRuns: 2000 },
    );
  });
});
