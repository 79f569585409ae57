/** What a file of JavaScript or TypeScript takes from others and gives on. */
import type { Node } from '../grammar.ts';
import type { ImportedName } from '../outline.ts';
import type { Sketch } from '../sketch.ts';
import { firstString, importAt, patternNames, stringText } from './typescript-values.ts';

export function readImport(node: Node, sketch: Sketch): void {
  const source = node.childForFieldName('source') ?? requiredBy(node);
  if (source === null) return;
  const names = node.namedChildren.flatMap((child) => {
    if (child?.type === 'import_clause') return clauseNames(child, sketch);
    if (child?.type === 'import_require_clause') return [all(sketch.textOf(child.firstNamedChild ?? child))];
    return [];
  });
  sketch.import(stringText(source, sketch), node, names);
}

/** `import name = require('…')` */
function requiredBy(node: Node): Node | null {
  return childOfType(node, 'import_require_clause')?.childForFieldName('source') ?? null;
}

function clauseNames(clause: Node, sketch: Sketch): ImportedName[] {
  return clause.namedChildren.flatMap((child) => {
    if (child?.type === 'identifier') return [{ name: 'default', local: sketch.textOf(child) }];
    if (child?.type === 'namespace_import') return [all(sketch.textOf(child.lastNamedChild ?? child))];
    if (child?.type === 'named_imports') return specifierNames(child, sketch);
    return [];
  });
}

function specifierNames(list: Node, sketch: Sketch): ImportedName[] {
  return list.namedChildren.flatMap((child) => {
    if (child?.type !== 'import_specifier' && child?.type !== 'export_specifier') return [];
    const name = unquoted(sketch.textOfField(child, 'name') ?? '');
    return [{ name, local: unquoted(sketch.textOfField(child, 'alias') ?? name) }];
  });
}

/** `export … from`, `export { … }` and `export default …`. What is declared in it is read with the declaration. */
export function readExport(node: Node, sketch: Sketch): void {
  const source = node.childForFieldName('source');
  const clause = childOfType(node, 'export_clause');
  if (source !== null) {
    const names = clause === undefined ? [wholeExport(node, sketch)] : specifierNames(clause, sketch);
    sketch.import(stringText(source, sketch), node, names, true);
    return;
  }
  for (const { name, local } of clause === undefined ? [] : specifierNames(clause, sketch)) sketch.export(local, name);
  const value = node.childForFieldName('value');
  if (value?.type === 'identifier') sketch.export('default', sketch.textOf(value));
  const declared = node.childForFieldName('declaration');
  const name = declared === null ? undefined : sketch.textOfField(declared, 'name');
  if (name !== undefined && isDefault(node)) sketch.export('default', name);
}

export function isDefault(exported: Node): boolean {
  return exported.children.some((child) => child?.type === 'default');
}

function wholeExport(node: Node, sketch: Sketch): ImportedName {
  const name = childOfType(node, 'namespace_export')?.firstNamedChild;
  return all(name == null ? '*' : unquoted(sketch.textOf(name)));
}

/** `const … = require('…')`: true when the declarator was one. */
export function readRequire(declarator: Node, sketch: Sketch): boolean {
  const value = declarator.childForFieldName('value');
  if (value?.type !== 'call_expression' || sketch.textOfField(value, 'function') !== 'require') return false;
  const specifier = firstString(value, sketch);
  if (specifier === undefined) return false;
  const pattern = declarator.childForFieldName('name');
  const names =
    pattern?.type === 'identifier'
      ? [all(sketch.textOf(pattern))]
      : patternNames(pattern, undefined, sketch).flatMap(({ name, key }) =>
          key === undefined ? [] : [{ name: key, local: name }],
        );
  importAt(value, specifier, sketch, names);
  return true;
}

function all(local: string): ImportedName {
  return { name: '*', local };
}

function unquoted(name: string): string {
  return name.replace(/^['"](.*)['"]$/, '$1');
}

function childOfType(node: Node, type: string): Node | undefined {
  return node.namedChildren.find((child) => child?.type === type) ?? undefined;
}
