/** The protocol library on a stdio connection; loaded when a client goes beyond the opening. */
import type { Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { App } from '../../service/app.ts';
import type { Principal } from '../../service/principal.ts';
import { createMcpServer } from '../mcp/server.ts';

export function serveProtocol(app: App, caller: Principal, transport: Transport): void {
  serveStdio(() => createMcpServer(app, () => caller), {
    transport,
    onerror: (error) => {
      if (app.config.logProtocol) app.log.warn('protocol', { error: error.message });
    },
  });
}
