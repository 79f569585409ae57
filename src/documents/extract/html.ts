/**
 * Pages to Markdown: the part that is meant to be read, without menus and footers, where it can be told; everything that
 * shows where it cannot, since a text that is lost is worse than a menu too many.
 */
import { type CleanPage, cleanPage } from './html-clean.ts';
import { plainText } from './html-plain.ts';
import type { Found } from './index.ts';
import { markdownWriter } from './markdown-writer.ts';

/** A tree of more takes seconds. Few pages have more than five thousand elements, at some fifteen levels. */
const MAX_ELEMENTS = 20_000;
const MAX_DEPTHS = 400_000;
const MAX_HTML_CHARS = 4_000_000;
/** An article with less of the page's letters than this is probably the wrong part. */
const LEAST_SHARE = 0.25;

export async function htmlText(source: string): Promise<Found> {
  const page = cleanPage(source);
  if (isTooLarge(page)) return { text: plainText(source), ...titled(page.title) };
  const article = await articleOf(page);
  const text = article.text ?? (await wholeMarkdown(page));
  return { text: text === '' ? plainText(source) : text, ...titled(article.title ?? page.title) };
}

/** All of a page that we had made: there is no menu in it. */
export async function htmlToMarkdown(source: string): Promise<string> {
  const page = cleanPage(source);
  return isTooLarge(page) ? plainText(source) : wholeMarkdown(page);
}

function isTooLarge({ elements, depths, html }: CleanPage): boolean {
  return elements > MAX_ELEMENTS || depths > MAX_DEPTHS || html.length > MAX_HTML_CHARS;
}

async function articleOf(page: CleanPage): Promise<Pick<Found, 'text' | 'title'>> {
  const [{ parseHTML }, { Readability }] = await Promise.all([import('linkedom'), import('@mozilla/readability')]);
  const { document } = parseHTML(page.html);
  try {
    const article = new Readability(document, {
      charThreshold: 200,
      keepClasses: true,
      serializer: (node) => node,
    }).parse();
    if (!article?.content) return {};
    const letters = (article.textContent ?? '').replace(/\s+/g, '').length;
    const title = titled(article.title ?? undefined);
    if (letters < page.letters * LEAST_SHARE) return title;
    return { text: (await markdownWriter()).turndown(article.content), ...title };
  } catch {
    // It is made for whole pages, and trips over some that are none.
    return {};
  }
}

async function wholeMarkdown(page: CleanPage): Promise<string> {
  const { parseHTML } = await import('linkedom');
  const { document } = parseHTML(page.html);
  return (await markdownWriter()).turndown(document.body);
}

function titled(title: string | undefined): Pick<Found, 'title'> {
  return title === undefined || title.trim() === '' ? {} : { title };
}
