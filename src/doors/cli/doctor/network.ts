/** What is served over HTTP, who may come in, and what is sent out. */
import { get, type IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { toCairnError } from '../../../errors.ts';
import { type Address, isLoopback, parseAddress, urlOf } from '../../http/address.ts';
import { counted } from '../figures.ts';
import { type Finding, found, ok, type Patient } from './finding.ts';

export async function http(patient: Patient): Promise<Finding[]> {
  const { config, store } = patient.app;
  const keys = await store.read((view) => view.keys.list());
  const valid = keys.filter(({ revoked }) => revoked === undefined);
  const findings: Finding[] = [];
  if (keys.length > 0 && valid.length === 0 && config.apiKey === '')
    findings.push(found('keys-revoked', `${counted(keys.length, 'key')}, none of them in force`));
  if (config.http === '') return [ok('http', 'not configured; --http PORT serves it'), ...findings];
  const address = addressIn(config.http);
  if ('check' in address) return [address, ...findings];
  if (!isLoopback(address.host) && keys.length === 0 && config.apiKey === '')
    findings.push(found('http-open', `${config.sources.http} is ${config.http}, and there is no key`));
  return [...(await port(address)), ...findings];
}

function addressIn(text: string): Address | Finding {
  try {
    return parseAddress(text);
  } catch (thrown) {
    const { message, suggestion } = toCairnError(thrown);
    return found('bad-configuration', message, suggestion);
  }
}

async function port(address: Address): Promise<Finding[]> {
  const { host, port: number } = address;
  const free = `${host}:${number} is free`;
  if (number === 0) return [ok('http', 'any free port')];
  const refusal = await new Promise<string | undefined>((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(number, host, () => server.close(() => resolve(undefined)));
  });
  if (refusal === undefined) return [ok('http', free)];
  if (await isCairn(address)) return [ok('http', `Cairn serves ${urlOf(address)}`)];
  const why = refusal === 'EADDRINUSE' ? 'is taken by another program' : `cannot be bound: ${refusal}`;
  return [found('port-taken', `Port ${number} on ${host} ${why}`)];
}

const ANSWER_MS = 1500;
const MOST_READ = 10_000;

/** What answers there, if it does so in time. */
function isCairn(address: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(`${urlOf(address)}/health`, { agent: false }, async (answer) => {
      // With keys it asks for one, in the words of every refusal.
      resolve(/"status":"ok"|unauthenticated/.test(await startOf(answer)));
      request.destroy();
    });
    const timer = setTimeout(() => request.destroy(), ANSWER_MS);
    request.on('error', () => resolve(false));
    request.on('close', () => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}

async function startOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const part of answer) {
      text += part;
      if (text.length > MOST_READ) break;
    }
  } catch {
    // Broken off: what came says enough, or nothing.
  }
  return text;
}

export async function webhooks({ app }: Patient): Promise<Finding[]> {
  const { list, dead } = await app.store.read(async (view) => ({
    list: await view.webhooks.list(),
    dead: await view.webhooks.deadCount(),
  }));
  const failing = list.filter(({ attempts }) => attempts > 0);
  const told = failing.map(({ address, attempts, lastError = 'no answer' }) =>
    found('webhooks-failing', `${address} failed ${counted(attempts, 'time')} in a row: ${lastError}`),
  );
  if (dead > 0) told.push(found('webhooks-failing', `${counted(dead, 'event')} given up as undeliverable`));
  return told.length > 0 || list.length === 0 ? told : [ok('webhooks', `${counted(list.length, 'receiver')} served`)];
}
