/** The examples that AWS publishes for signatures in the Authorization header of S3. */
import { describe, expect, it } from 'vitest';
import { signed } from './signature.ts';

const keys = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
const at = new Date('2013-05-24T00:00:00.000Z');
const on = (path: string) => new URL(`https://examplebucket.s3.amazonaws.com${path}`);

describe('a signature', () => {
  it.each([
    [
      'of a part of an object',
      { method: 'GET', url: on('/test.txt'), headers: { range: 'bytes=0-9' } },
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ],
    [
      'of an object that is put',
      {
        method: 'PUT',
        url: on('/test$file.text'),
        headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
        body: Buffer.from('Welcome to Amazon S3.'),
      },
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    ],
    [
      'of a question about a bucket',
      { method: 'GET', url: on('/?lifecycle') },
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    ],
    [
      'of a list',
      { method: 'GET', url: on('/?max-keys=2&prefix=J') },
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ],
  ])('%s is the published one', (_, request, signature) => {
    expect(signed(request, keys, 'us-east-1', at).authorization).toMatch(new RegExp(`Signature=${signature}$`));
  });

  it('covers the token of keys that are lent', () => {
    const request = { method: 'GET', url: on('/test.txt') };
    const headers = signed(request, { ...keys, sessionToken: 'token' }, 'us-east-1', at);
    expect(headers['x-amz-security-token']).toBe('token');
    expect(headers.authorization).toContain('SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,');
    expect(JSON.stringify(headers)).not.toContain(keys.secretAccessKey);
  });
});
