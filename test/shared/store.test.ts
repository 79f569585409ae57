/** The contract of every store, on a real PostgreSQL server: one catalog for each folder. */
import { afterAll, beforeAll } from 'vitest';
import { storeAddress } from '../../src/store/shared/address.ts';
import { openShared } from '../../src/store/shared/engine.ts';
import { storeContract } from '../store/contract.ts';
import { catalogOf } from '../support/engine.ts';
import { type TestServer, testServer } from '../support/postgres.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server?.stop());

storeContract('shared', (folder) =>
  openShared({
    home: folder,
    address: storeAddress(server.url, catalogOf(folder)),
    connections: 4,
    statementMs: 30_000,
    lockWaitMs: 30_000,
    history: true,
  }),
);
