/** An endpoint for embeddings on loopback, which answers as it is told and remembers what it was asked. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: { model: string; input: string[]; dimensions?: number; truncate?: boolean };
}

export interface EndpointServer {
  readonly url: string;
  readonly host: string;
  readonly asked: Asked[];
  /** What is done with the next requests, until it is set anew. */
  answer: (asked: Asked, response: ServerResponse) => void;
}

/** Letters counted: texts of the same letters have the same vector. */
export function counted(text: string, dimensions = 8): number[] {
  const counts = Array<number>(dimensions).fill(0.1);
  for (const character of text) {
    const place = (character.codePointAt(0) ?? 0) % dimensions;
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return counts;
}

export function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** In the wrong order, as the interface allows. */
export function openai({ body }: Asked, response: ServerResponse): void {
  const data = body.input.map((text, index) => ({ index, embedding: counted(text, body.dimensions) }));
  send(response, 200, { object: 'list', data: data.reverse() });
}

export function ollama({ body }: Asked, response: ServerResponse): void {
  send(response, 200, { model: body.model, embeddings: body.input.map((text) => counted(text)) });
}

export async function endpointServer(answer = openai): Promise<EndpointServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const one = { path: request.url ?? '', headers: request.headers, body: JSON.parse(text || '{}') };
      asked.push(one);
      made.answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const made: EndpointServer = { url: `http://${host}`, host, asked, answer };
  return made;
}
