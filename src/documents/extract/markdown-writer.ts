/** Trees of HTML to Markdown, as a text to search and to read: nothing is escaped, and tables are rows. */
import type TurndownService from 'turndown';

let writer: TurndownService | undefined;

export async function markdownWriter(): Promise<TurndownService> {
  writer ??= configured(new (await import('turndown')).default(options));
  return writer;
}

const options: TurndownService.Options = {
  headingStyle: 'atx',
  codeBlockStyle: 'fenced',
  bulletListMarker: '-',
  emDelimiter: '*',
  hr: '---',
};

function configured(service: TurndownService): TurndownService {
  // A name like `max_text_chars` must be found by its letters.
  service.escape = (text) => text;
  service.remove(['script', 'style', 'title', 'button', 'select', 'input']);
  service.addRule('first heading', {
    filter: (node) => node.hasAttribute('data-h1'),
    replacement: (content) => `\n\n# ${content.trim()}\n\n`,
  });
  service.addRule('link', {
    filter: 'a',
    replacement: (content, node) => {
      const href = node.getAttribute('href') ?? '';
      const text = content.trim();
      // A link to a place in the same page leads nowhere from here.
      return text === '' || href === '' || href.startsWith('#') || text.includes('\n\n')
        ? content
        : `[${text}](${href})`;
    },
  });
  service.addRule('cell', {
    filter: ['td', 'th'],
    replacement: (content) => ` ${content.replace(/\s+/g, ' ').trim()} |`,
  });
  service.addRule('row', {
    filter: 'tr',
    replacement: (content, node) => {
      const isFirst = node.closest('table')?.querySelector('tr') === node;
      return `\n|${content}${isFirst ? `\n|${' --- |'.repeat(Math.max(1, node.children.length))}` : ''}`;
    },
  });
  service.addRule('rows', { filter: ['thead', 'tbody', 'tfoot'], replacement: (content) => content });
  service.addRule('table', { filter: 'table', replacement: (content) => `\n\n${content.trim()}\n\n` });
  return service;
}
