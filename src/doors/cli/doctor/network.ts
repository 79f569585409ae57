/** What is served over HTTP, who may come in, and what is sent out. */
import { createServer } from 'node:net';
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
  const address = parseAddress(config.http);
  if (!isLoopback(address.host) && keys.length === 0 && config.apiKey === '')
    findings.push(found('http-open', `${config.sources.http} is ${config.http}, and there is no key`));
  return [...(await port(address)), ...findings];
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

async function isCairn(address: Address): Promise<boolean> {
  try {
    const answer = await fetch(`${urlOf(address)}/health`, {
      signal: AbortSignal.timeout(ANSWER_MS),
      redirect: 'error',
    });
    const text = (await answer.text()).slice(0, 10_000);
    // With keys it asks for one, in the words of every refusal.
    return /"status":"ok"|"unauthenticated"|urn:cairn/.test(text);
  } catch {
    return false;
  }
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
