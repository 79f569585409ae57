import { describe, expect, it } from 'vitest';
import { frontMatterOf } from './front-matter.ts';

const block = (yaml: string) => `---\n${yaml}\n---\n# Body\n`;

describe('the front matter of a file', () => {
  it('is read, and cut from the body', () => {
    expect(frontMatterOf(block("applyTo: '**/*.ts'\ntags: [a, b]"))).toEqual({
      fields: { applyTo: '**/*.ts', tags: ['a', 'b'] },
      body: '# Body\n',
    });
  });

  it('may be absent or empty', () => {
    expect(frontMatterOf('# Body')).toEqual({ fields: {}, body: '# Body' });
    expect(frontMatterOf(block('# nothing yet'))).toEqual({ fields: {}, body: '# Body\n' });
  });

  it('takes globs that were written without quotes', () => {
    const { fields, problem } = frontMatterOf(block('globs: **/*.ts, *.tsx\nlist:\n  - *.md\nany: *'));
    expect(problem).toBeUndefined();
    expect(fields).toEqual({ globs: '**/*.ts, *.tsx', list: ['*.md'], any: '*' });
  });

  it('keeps aliases working, but not a bomb of them', () => {
    expect(frontMatterOf(block('a: &x [1]\nb: *x')).fields).toEqual({ a: [1], b: [1] });
    const bomb = ['a: &a [1,1,1,1,1,1,1,1,1]', ...['b', 'c', 'd', 'e', 'f', 'g'].map(eightOf)].join('\n');
    expect(frontMatterOf(block(bomb))).toEqual({
      fields: {},
      body: '# Body\n',
      problem: expect.stringMatching('alias'),
    });
  });

  it.each([
    ['unbalanced quotes', 'title: "x'],
    ['a tag of another language', 'run: !!js/function "x"'],
    ['a tag of its own', 'run: !shell x'],
    ['a tag of old YAML', 'run: !!binary aGk='],
    ['a list instead of names', '- a\n- b'],
    ['the same name twice', 'a: 1\na: 2'],
    ['an alias to nothing', 'a: *nowhere'],
    ['a nesting without end', `a: ${'['.repeat(20_000)}`],
    ['more than anybody writes by hand', `a: ${'x'.repeat(70_000)}`],
  ])('tells %s, and leaves the body as it is', (_, yaml) => {
    const { fields, body, problem } = frontMatterOf(block(yaml));
    expect(problem).toMatch(/^its front matter /);
    expect({ fields, body }).toEqual({ fields: {}, body: '# Body\n' });
  });

  it('that never ends is told, and nothing of the text is lost', () => {
    const text = '---\ntitle: x\n# Body';
    expect(frontMatterOf(text)).toEqual({ fields: {}, body: text, problem: expect.stringMatching('never ends') });
  });

  it('cannot reach the prototype of anything', () => {
    const { fields } = frontMatterOf(block('__proto__: {title: x}'));
    expect(fields.title).toBeUndefined();
    expect(Object.keys(fields)).toEqual(['__proto__']);
  });
});

function eightOf(name: string): string {
  const previous = `*${String.fromCharCode(name.charCodeAt(0) - 1)}`;
  return `${name}: &${name} [${Array(8).fill(previous).join(', ')}]`;
}
