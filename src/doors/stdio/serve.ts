/** `cairn serve`: MCP of both eras and raw JSON-RPC on stdin and stdout, until stdin ends. */
import { randomUUID } from 'node:crypto';
import type { App } from '../../service/app.ts';
import type { Door, Principal } from '../../service/principal.ts';
import { StdioConnection } from './connection.ts';
import { Opening } from './opening.ts';
import { rawDoor } from './raw.ts';

export function serveOnStdio(app: App): Promise<void> {
  // Both doors of one stream are one connection.
  const id = randomUUID();
  app.connections.open(id);
  const raw = rawDoor(app, principalFrom(app, 'rpc', id), () => void connection.close());
  const connection = new StdioConnection(process.stdin, process.stdout, raw, app.config.maxFrame);
  const opening = new Opening(
    app,
    (message) => connection.send(message),
    async (transport) => (await import('./protocol.ts')).serveProtocol(app, principalFrom(app, 'mcp', id), transport),
  );
  connection.onmessage = (message) => opening.receive(message);
  connection.onclose = () => {
    app.connections.end(id);
    opening.close();
  };
  connection.start();
  return connection.ended;
}

function principalFrom({ config }: App, door: Door, connection: string): Principal {
  return { name: config.agentId || config.role, role: config.role, door, human: false, connection };
}
