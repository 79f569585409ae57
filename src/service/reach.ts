/** Names as addresses that were judged before they are used: a name may answer otherwise a moment later. */
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';

/** As other programs of this machine resolve it. */
export async function resolveName(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** Answers what was judged, whatever the name answers by now. */
export function pinned(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { all: every }, callback) => {
    if (every) callback(null, all);
    else callback(null, all[0]?.address ?? '', all[0]?.family);
  };
}
