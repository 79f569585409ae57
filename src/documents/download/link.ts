/** Which URLs are followed, where a redirect leads, and what a content is called that comes from one. */
import { CairnError } from '../../errors.ts';
import { faultOf } from '../place.ts';

export function readLink(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) {
    throw new CairnError('validation_failed', `${quoted(text)} is no URL`, {
      suggestion: 'Give the whole address, such as https://example.com/data.csv.',
    });
  }
  return checked(url);
}

/** Each step of a redirect is judged like the URL that began it. */
export function redirected(from: URL, location: string | undefined): URL {
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw new CairnError('validation_failed', `${from.host} redirects to no URL`, {
      suggestion: 'Find out where the content lies now, and give that URL.',
    });
  }
  const to = checked(new URL(location, from));
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw new CairnError('validation_failed', `${from.host} redirects from https to http, where anyone may listen`, {
      suggestion: 'Give the http URL itself if that is good enough, with a checksum.',
    });
  }
  return to;
}

function checked(url: URL): URL {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new CairnError('validation_failed', `download reads http and https, not ${url.protocol}`, {
      suggestion: 'For a file of this machine use add with its path.',
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new CairnError('validation_failed', `The URL for ${url.host} holds a user name or password`, {
      suggestion: 'Leave them out: URLs are written to logs. Fetch what needs a login yourself, and use add.',
    });
  }
  url.hash = '';
  return url;
}

/** A query may hold a signature or a token, and what is recorded is shown to everyone who reads the document. */
export function withoutQuery(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

const LONGEST_NAME = 200;

/** The last part of the path, made into a path that a document can have. */
export function placeOf(url: URL): string {
  const last = decoded(url.pathname.slice(url.pathname.lastIndexOf('/') + 1));
  const name = last
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}/\\:]+/gu, '-')
    .trim();
  const place = [...name].slice(0, LONGEST_NAME).join('');
  return faultOf(place) === undefined ? place : pageOf(url);
}

/** Of a host whose name could be `..` or `.git`, or an address in brackets. */
function pageOf({ hostname }: URL): string {
  const host = hostname.replace(/[[\]]/g, '').replaceAll(':', '-').replace(/^\.+/, '');
  return host === '' ? 'index.html' : `${host}/index.html`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
