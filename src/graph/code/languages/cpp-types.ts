/** Declarators, types and values of C and C++. */
import type { Node } from '../grammar.ts';
import type { Sketch } from '../sketch.ts';

const pointers = /^(unique_ptr|shared_ptr|weak_ptr|optional|reference_wrapper)$/;
const lists = /^(vector|list|set|deque|array|span|unordered_set|initializer_list)$/;
const maps = /^(map|unordered_map)$/;

export interface Declarator {
  readonly name: string;
  /** The type before `::`. */
  readonly owner?: string;
  /** The node with the parameters, of a function. */
  readonly parameters?: Node;
}

/** The name inside of pointers, references, arrays and parameters. */
export function declaratorOf(node: Node | null, sketch: Sketch, parameters?: Node): Declarator | undefined {
  switch (node?.type) {
    case 'identifier':
    case 'field_identifier':
    case 'type_identifier':
    case 'destructor_name':
    case 'operator_name':
      return { name: sketch.textOf(node).replaceAll(/\s/g, ''), ...(parameters === undefined ? {} : { parameters }) };
    case 'qualified_identifier': {
      const inner = declaratorOf(node.childForFieldName('name'), sketch, parameters);
      const scope = sketch.textOfField(node, 'scope')?.replace(/<.*$/, '');
      return inner === undefined || scope === undefined ? inner : { owner: scope, ...inner };
    }
    case 'function_declarator': {
      const inner = node.childForFieldName('declarator');
      // A pointer to a function is a variable.
      const pointer = inner?.type === 'parenthesized_declarator';
      return declaratorOf(inner, sketch, pointer ? parameters : node);
    }
    case 'template_function':
      return declaratorOf(node.childForFieldName('name'), sketch, parameters);
    case 'parenthesized_declarator':
    case 'reference_declarator':
      return declaratorOf(node.lastNamedChild, sketch, parameters);
    default:
      return node === null ? undefined : declaratorOf(node.childForFieldName('declarator'), sketch, parameters);
  }
}

export function meaningOf(node: Node | null, sketch: Sketch): string | undefined {
  if (node === null || sketch.isLong(node)) return undefined;
  switch (node.type) {
    case 'identifier':
    case 'this':
      return sketch.textOf(node);
    case 'qualified_identifier':
      return qualified(node, sketch);
    case 'field_expression': {
      const object = meaningOf(node.childForFieldName('argument'), sketch);
      const field = sketch.textOfField(node, 'field') ?? '';
      return object && /^\w+$/.test(field) ? `${object}.${field}` : undefined;
    }
    case 'call_expression': {
      const called = meaningOf(node.childForFieldName('function'), sketch);
      const [, made] =
        /(?:^|\.)make_(?:unique|shared)<([\w:]+)>$/.exec(sketch.textOfField(node, 'function') ?? '') ?? [];
      return made === undefined ? called && `${called}()` : `:${made.replaceAll('::', '.')}`;
    }
    case 'subscript_expression': {
      const whole = meaningOf(node.childForFieldName('argument'), sketch);
      return whole && `${whole}[]`;
    }
    case 'pointer_expression':
      return meaningOf(node.childForFieldName('argument'), sketch);
    case 'parenthesized_expression':
      return meaningOf(node.firstNamedChild, sketch);
    case 'new_expression':
    case 'cast_expression':
      return typeOf(node.childForFieldName('type'), sketch);
    default:
      return undefined;
  }
}

function qualified(node: Node, sketch: Sketch): string | undefined {
  const text = sketch
    .textOf(node)
    .replaceAll(/\s/g, '')
    .replaceAll(/<[^<>]*>/g, '');
  return /^(::)?[\w:~]+$/.test(text) ? text.replace(/^::/, '').replaceAll('::', '.') : undefined;
}

export function typeOf(node: Node | null, sketch: Sketch): string | undefined {
  if (node === null || sketch.isLong(node)) return undefined;
  switch (node.type) {
    case 'type_identifier':
      return `:${sketch.textOf(node)}`;
    case 'qualified_identifier': {
      const template = innermost(node);
      if (template?.type === 'template_type') return typeOf(template, sketch);
      const name = qualified(node, sketch);
      return name && `:${name}`;
    }
    case 'struct_specifier':
    case 'class_specifier':
    case 'enum_specifier':
      return typeOf(node.childForFieldName('name'), sketch);
    case 'type_descriptor':
      return typeOf(node.childForFieldName('type'), sketch);
    case 'template_type':
      return templateType(node, sketch);
    default:
      return undefined;
  }
}

function innermost(node: Node): Node | null {
  const name = node.childForFieldName('name');
  return name?.type === 'qualified_identifier' ? innermost(name) : name;
}

function templateType(node: Node, sketch: Sketch): string | undefined {
  const name = sketch.textOfField(node, 'name') ?? '';
  const [first = null, second = null] = node.childForFieldName('arguments')?.namedChildren ?? [];
  if (pointers.test(name)) return typeOf(first, sketch);
  if (!lists.test(name) && !maps.test(name)) return `:${name}`;
  const held = typeOf(maps.test(name) ? second : first, sketch);
  return held && `${held}*`;
}
