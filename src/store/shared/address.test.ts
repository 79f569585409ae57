import { describe, expect, it } from 'vitest';
import { resolveConfig } from '../../service/config.ts';
import { isStoreAddress, storeAddress } from './address.ts';

describe('the address of a store', () => {
  it('names the server for the driver, and the catalog for us', () => {
    expect(storeAddress('postgres://ann:pw@db.example/cairn?sslmode=require&catalog=payments')).toEqual({
      url: 'postgres://ann:pw@db.example/cairn?sslmode=require',
      catalog: 'payments',
      shown: 'postgres://ann:***@db.example/cairn?catalog=payments',
    });
    expect(storeAddress('postgres://db.example/cairn').catalog).toBe('default');
    expect(storeAddress('postgres://db.example/cairn?catalog=a', 'b').catalog).toBe('b');
  });

  it('refuses what could not be a catalog', () => {
    for (const name of ['A', 'a b', "a'", '-a', 'a'.repeat(64), '../a'])
      expect(() => storeAddress('postgres://h/d', name), name).toThrow(/cannot be the name of a catalog/);
  });

  it('is a URL of PostgreSQL and nothing else', () => {
    for (const text of ['postgres://h/d', 'postgresql://u:p@h:5432/d']) expect(isStoreAddress(text)).toBe(true);
    for (const text of ['', '.cairn', 'mysql://h/d', 'file:///etc/passwd']) expect(isStoreAddress(text)).toBe(false);
  });

  it('is not taken from the file of a project that somebody has just cloned', () => {
    const file = JSON.stringify({ store: 'postgres://elsewhere.example/d' });
    const resolve = () => resolveConfig({ home: { path: '/h', source: 'test' }, flags: {}, env: {}, file });
    expect(resolve).toThrow(/store/);
  });
});
