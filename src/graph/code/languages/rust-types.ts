/** Types and values of Rust, as expressions. */
import { isName } from '../expression.ts';
import type { Node } from '../grammar.ts';
import type { Sketch } from '../sketch.ts';

const wrappers = /^(Option|Result|Box|Rc|Arc|RefCell|Cell|Mutex|RwLock|Pin|Ref|RefMut|Cow|MutexGuard|Weak)$/;
const lists = /^(Vec|VecDeque|HashSet|BTreeSet|Iter|IntoIter|BinaryHeap)$/;
const maps = /^(HashMap|BTreeMap|IndexMap)$/;
/** Methods that hand the same value on, unwrapped or borrowed. */
const transparent =
  /^(unwrap|expect|clone|borrow|borrow_mut|lock|as_ref|as_mut|unwrap_or_default|to_owned|iter|iter_mut|into_iter|read|write)$/;

/** A path without its generic arguments, with dots. */
export function pathText(node: Node, sketch: Sketch): string {
  const plain = node.type === 'generic_type' ? (node.childForFieldName('type') ?? node) : node;
  const text = sketch.textOf(plain).replaceAll(/\s/g, '').replaceAll('::', '.');
  return /^[\w.]+$/.test(text) ? text : '';
}

export function meaningOf(node: Node | null, sketch: Sketch): string | undefined {
  if (node === null || sketch.isLong(node)) return undefined;
  switch (node.type) {
    case 'identifier':
    case 'self':
    case 'crate':
    case 'super':
      return sketch.textOf(node);
    case 'scoped_identifier':
      return pathText(node, sketch) || undefined;
    case 'field_expression': {
      const value = meaningOf(node.childForFieldName('value'), sketch);
      const field = sketch.textOfField(node, 'field') ?? '';
      return value && isName(field) ? `${value}.${field}` : undefined;
    }
    case 'call_expression':
      return calledValue(node, sketch);
    case 'index_expression': {
      const whole = meaningOf(node.firstNamedChild, sketch);
      return whole && `${whole}[]`;
    }
    case 'struct_expression':
      return typeOf(node.childForFieldName('name'), sketch);
    case 'reference_expression':
    case 'unary_expression':
    case 'try_expression':
    case 'await_expression':
    case 'parenthesized_expression':
      return meaningOf(node.lastNamedChild, sketch);
    default:
      return undefined;
  }
}

function calledValue(node: Node, sketch: Sketch): string | undefined {
  const called = node.childForFieldName('function');
  if (called?.type === 'field_expression' && transparent.test(sketch.textOfField(called, 'field') ?? ''))
    return meaningOf(called.childForFieldName('value'), sketch);
  const value = meaningOf(called, sketch);
  return value && `${value}()`;
}

export function typeOf(node: Node | null, sketch: Sketch): string | undefined {
  if (node === null || sketch.isLong(node)) return undefined;
  switch (node.type) {
    case 'type_identifier':
    case 'scoped_type_identifier': {
      const name = pathText(node, sketch);
      return name === '' ? undefined : `:${name}`;
    }
    case 'reference_type':
    case 'pointer_type':
      return typeOf(node.childForFieldName('type'), sketch);
    case 'dynamic_type':
    case 'abstract_type':
      return typeOf(node.childForFieldName('trait'), sketch);
    case 'array_type': {
      const element = typeOf(node.childForFieldName('element'), sketch);
      return element && `${element}*`;
    }
    case 'generic_type':
      return genericType(node, sketch);
    default:
      return undefined;
  }
}

function genericType(node: Node, sketch: Sketch): string | undefined {
  const name = pathText(node, sketch);
  const last = name.slice(name.lastIndexOf('.') + 1);
  const inner = node.childForFieldName('type_arguments')?.namedChildren ?? [];
  if (wrappers.test(last)) return typeOf(inner.find((part) => part?.type !== 'lifetime') ?? null, sketch);
  if (lists.test(last) || maps.test(last)) {
    const held = typeOf(inner[maps.test(last) ? 1 : 0] ?? null, sketch);
    return held && `${held}*`;
  }
  return name === '' ? undefined : `:${name}`;
}
