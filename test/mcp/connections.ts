/** Every way in which the SDK client reaches Cairn: both transports, both protocol eras. */
import { auto, type Connection, legacy, MODERN, pinned, type Workbench } from './workbench.ts';

export interface Way {
  readonly name: string;
  readonly version: string;
  open(bench: Workbench): Promise<Connection>;
}

const LATEST_LEGACY = '2025-11-25';

export const ways: readonly Way[] = [
  { name: 'stdio, legacy', version: LATEST_LEGACY, open: (bench) => bench.stdio(legacy) },
  { name: 'stdio, auto', version: MODERN, open: (bench) => bench.stdio(auto) },
  { name: 'stdio, pinned', version: MODERN, open: (bench) => bench.stdio(pinned) },
  {
    name: 'HTTP, legacy',
    version: LATEST_LEGACY,
    open: async (bench) => bench.http(await bench.serveHttp(), legacy),
  },
  { name: 'HTTP, pinned', version: MODERN, open: async (bench) => bench.http(await bench.serveHttp(), pinned) },
];
