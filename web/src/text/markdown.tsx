/** Markdown as elements. Stored text only ever becomes text nodes and the addresses that safe-link.ts lets through. */
import type { ComponentChildren } from 'preact';
import { Code } from './code.tsx';
import { type Block, blocksOf, type Item } from './markdown-blocks.ts';
import { type Span, spansOf } from './markdown-spans.ts';

export function Markdown({ text }: { readonly text: string }) {
  return <div class="prose">{blocksOf(text).map(blockElement)}</div>;
}

function blockElement(block: Block, key: number): ComponentChildren {
  switch (block.kind) {
    case 'heading': {
      // The page has its own first and second level.
      const Heading = `h${Math.min(6, block.level + 2)}` as 'h3';
      return <Heading key={key}>{inline(block.text)}</Heading>;
    }
    case 'paragraph':
      return <p key={key}>{inline(block.text)}</p>;
    case 'code':
      return <Code key={key} text={block.text} language={block.language} />;
    case 'quote':
      return <blockquote key={key}>{block.blocks.map(blockElement)}</blockquote>;
    case 'list':
      return block.ordered ? (
        <ol key={key} start={block.start}>
          {block.items.map(itemElement)}
        </ol>
      ) : (
        <ul key={key}>{block.items.map(itemElement)}</ul>
      );
    case 'table':
      return (
        <div class="scroll" key={key}>
          <table>
            <thead>
              <tr>
                {block.head.map((cell, index) => (
                  <th key={index}>{inline(cell)}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, index) => (
                <tr key={index}>
                  {row.map((cell, column) => (
                    <td key={column}>{inline(cell)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    case 'rule':
      return <hr key={key} />;
  }
}

function itemElement({ done, blocks }: Item, key: number) {
  const [first] = blocks;
  const tight = blocks.length === 1 && first?.kind === 'paragraph';
  return (
    <li key={key}>
      {done !== undefined && <input type="checkbox" checked={done} disabled />}{' '}
      {tight ? inline(first.text) : blocks.map(blockElement)}
    </li>
  );
}

function inline(text: string): ComponentChildren {
  return spansOf(text).map(spanElement);
}

function spanElement(span: Span, key: number): ComponentChildren {
  switch (span.kind) {
    case 'text':
      return span.text;
    case 'code':
      return <code key={key}>{span.text}</code>;
    case 'break':
      return <br key={key} />;
    case 'strong':
      return <strong key={key}>{span.spans.map(spanElement)}</strong>;
    case 'emphasis':
      return <em key={key}>{span.spans.map(spanElement)}</em>;
    case 'struck':
      return <s key={key}>{span.spans.map(spanElement)}</s>;
    case 'link':
      return (
        <a key={key} href={span.href} target="_blank" rel="noopener noreferrer nofollow">
          {span.spans.map(spanElement)}
        </a>
      );
  }
}
