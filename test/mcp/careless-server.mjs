/** A server with one tool whose schema is known to break a client: the control for inspector.test.ts. */
import { createInterface } from 'node:readline';

const inputSchema = { type: 'object', properties: { anything: true } };
const serverInfo = { name: 'careless', version: '1.0.0' };

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result =
    method === 'tools/list'
      ? { tools: [{ name: 'careless', inputSchema }] }
      : { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
}
