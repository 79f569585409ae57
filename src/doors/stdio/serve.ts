/** `cairn serve`: MCP of both eras and raw JSON-RPC on stdin and stdout, until stdin ends. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { App } from '../../service/app.ts';
import type { Door, Principal } from '../../service/principal.ts';
import { createMcpServer } from '../mcp/server.ts';
import { StdioConnection } from './connection.ts';
import { rawDoor } from './raw.ts';

export function serveOnStdio(app: App): Promise<void> {
  const raw = rawDoor(app, principalFrom(app, 'rpc'), () => void connection.close());
  const connection = new StdioConnection(process.stdin, process.stdout, raw, app.config.maxFrame);
  const caller = principalFrom(app, 'mcp');
  serveStdio(() => createMcpServer(app, () => caller), {
    transport: connection,
    onerror: (error) => {
      if (app.config.logProtocol) app.log.warn('protocol', { error: error.message });
    },
  });
  return connection.ended;
}

function principalFrom({ config }: App, door: Door): Principal {
  return { name: config.agentId || config.role, role: config.role, door, human: false };
}
