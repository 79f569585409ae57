import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultOf } from '../place.ts';
import { placeOf, readLink, redirected, withoutQuery } from './link.ts';

describe('a URL', () => {
  it.each(['http://example.com', 'https://example.com:8443/a?b=c', 'HTTPS://EXAMPLE.COM/'])('%s is read', (text) => {
    expect(readLink(text).host).toContain('example.com');
  });

  it.each([
    'file:///etc/passwd',
    'ftp://example.com/x',
    'data:text/plain,hello',
    'javascript:alert(1)',
    'gopher://example.com/',
    'ws://example.com/',
    'blob:https://example.com/1',
    'view-source:https://example.com/',
  ])('%s is refused for its scheme', (text) => {
    expect(() => readLink(text)).toThrow('download reads http and https');
  });

  it.each(['', 'example.com/x', '/etc/passwd', 'http://', 'http://a b/', 'http://[::1', 'http://1.2.3.4.5/'])(
    '%j is none',
    (text) => {
      expect(() => readLink(text)).toThrow('is no URL');
    },
  );

  it.each(['https://ada@example.com/', 'https://ada:pass@example.com/', 'https://:pass@example.com/'])(
    '%s is refused for what it tells',
    (text) => {
      expect(() => readLink(text)).toThrow('holds a user name or password');
    },
  );

  it('is recorded without what may be a token', () => {
    expect(withoutQuery(readLink('https://example.com:8443/a/b?token=t#part'))).toBe('https://example.com:8443/a/b');
  });
});

describe('a redirect', () => {
  const from = new URL('https://example.com/a/b?c');

  it.each([
    ['/x', 'https://example.com/x'],
    ['x?y#z', 'https://example.com/a/x?y'],
    ['//other.example/x', 'https://other.example/x'],
    ['https://other.example', 'https://other.example/'],
  ])('to %s leads to %s', (location, to) => {
    expect(redirected(from, location).href).toBe(to);
  });

  it.each([
    [undefined, 'redirects to no URL'],
    ['https://', 'redirects to no URL'],
    ['http://example.com/a/b', 'redirects from https to http'],
    ['file:///etc/passwd', 'download reads http and https'],
    ['https://ada:pass@other.example/', 'holds a user name or password'],
  ])('to %s is not followed', (location, fault) => {
    expect(() => redirected(from, location)).toThrow(fault);
  });

  it('may lead from http to either', () => {
    const plain = new URL('http://example.com/');
    expect(redirected(plain, 'http://other.example/').href).toBe('http://other.example/');
    expect(redirected(plain, 'https://other.example/').href).toBe('https://other.example/');
  });
});

describe('the name of what is downloaded', () => {
  it.each([
    ['https://example.com/data.csv', 'data.csv'],
    ['https://example.com/a/b/report%202024.pdf?x=1#y', 'report 2024.pdf'],
    ['https://example.com/n%C3%A4me.md', 'näme.md'],
    ['https://example.com/%E0%A4%A', '%E0%A4%A'],
    ['https://example.com/', 'example.com/index.html'],
    ['https://example.com/docs/', 'example.com/index.html'],
    ['http://[2001:db8::1]:8080/', '2001-db8--1/index.html'],
    ['https://example.com/..%2F..%2Fetc%2Fpasswd', '..-..-etc-passwd'],
    ['https://example.com/%2e%2e', 'example.com/index.html'],
    ['https://example.com/a%5Cb', 'a-b'],
    ['https://example.com/C%3A%5Cboot.ini', 'C-boot.ini'],
    ['https://example.com/a%00b%0Ac%1B%5B2J.txt', 'a-b-c-[2J.txt'],
    ['https://example.com/evil%E2%80%AEtxt.exe', 'evil-txt.exe'],
    ['https://example.com/.git', 'example.com/index.html'],
    ['https://example.com/%20', 'example.com/index.html'],
    ['http://.git/', 'git/index.html'],
    ['http://../', 'index.html'],
  ])('%s is %s', (url, place) => {
    expect(placeOf(new URL(url))).toBe(place);
  });

  it('is a path that a document can have, whatever the URL', () => {
    const part = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 300 }).map((text) => encodeURIComponent(text)),
      fc.string({ maxLength: 30 }),
      fc.constantFrom('..', '%2e%2e', '.git', '%2Egit', '%00', '%5c', '%2f', '', '%', 'C:', '%ff'),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
        const text = `https://example.com/${parts.join('/')}`;
        if (URL.canParse(text)) expect(faultOf(placeOf(new URL(text)))).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });
});
