/**
 * Words by which the imports that may mean a document are found without looking at all imports: an import can mean a path only if
 * their keys meet. Imports have few keys, for those are stored; a path has one for each of its folders.
 *
 * A package or an alias whose name shares no word with the path of the file it means, and whose file has no name of an entry
 * either, is missed.
 */
import { languageOf } from './language.ts';
import type { Import } from './outline.ts';
import { baseOf, folderOf, join } from './tree.ts';

/** Files that stand for the folder or the package around them. */
const entries = /^(index|main|mod|lib|__init__|entry)$/;
/** What an import has for a key that names a whole package, and a path that may be the entry of one. */
const ENTRY = '*entry';
/** `#name` may be mapped to any file of its package. */
const PRIVATE = '*private';

export function keysOfPath(path: string): string[] {
  const name = stem(baseOf(path));
  const folders = folderOf(path).split('/').filter(Boolean);
  const keys = [name, ...folders];
  if (entries.test(name) || folders.length === 0) keys.push(ENTRY);
  if (isScript(path)) keys.push(PRIVATE);
  return [...new Set(keys)];
}

export function keysOfImport({ specifier, names }: Pick<Import, 'specifier' | 'names'>, path: string): string[] {
  return [...new Set(keysIn(specifier, names, path))].filter((key) => key !== '' && key !== '*');
}

function keysIn(specifier: string, names: Import['names'], path: string): string[] {
  const taken = names.map(({ name }) => name);
  switch (languageOf(path)) {
    case 'typescript':
    case 'tsx':
    case 'javascript':
      return scriptKeys(specifier, path);
    case 'python':
      return pythonKeys(specifier, taken, path);
    case 'rust':
      return rustKeys(specifier, taken, path);
    case 'go':
      return [lastOf(specifier, '/'), ...(specifier.split('/').length <= 3 ? [ENTRY] : [])];
    case 'java':
      return specifier.split('.').slice(-3);
    case 'csharp':
      return [lastOf(specifier, '.')];
    case 'php':
      return [stem(lastOf(specifier.replaceAll('\\', '/'), '/'))];
    default:
      return [stem(baseOf(specifier))];
  }
}

function scriptKeys(specifier: string, path: string): string[] {
  if (specifier.startsWith('node:')) return [];
  if (specifier.startsWith('#')) return [PRIVATE];
  if (specifier.startsWith('.')) return folderKeys(join(folderOf(path), specifier));
  const [name = ''] = /^(@[^/]+\/[^/]+|[^/]+)/.exec(specifier) ?? [];
  return [stem(baseOf(specifier)), baseOf(name), ...(specifier === name ? [ENTRY] : [])];
}

/** A file or a folder that is named by its path; the top has no name. */
function folderKeys(path: string | undefined): string[] {
  return path === undefined ? [] : path === '' ? [ENTRY] : [stem(baseOf(path))];
}

function pythonKeys(specifier: string, names: readonly string[], path: string): string[] {
  const [, dots = '', rest = ''] = /^(\.*)(.*)$/.exec(specifier) ?? [];
  if (rest !== '') return [lastOf(rest, '.'), ...names];
  return [...folderKeys(join(folderOf(path), '../'.repeat(Math.max(0, dots.length - 1)))), ...names];
}

function rustKeys(specifier: string, names: readonly string[], path: string): string[] {
  const parts = specifier.split('::');
  const words = parts.filter((part) => !/^(crate|self|super)$/.test(part));
  const outer = parts.includes('super') ? [baseOf(folderOf(path)), baseOf(folderOf(folderOf(path)))] : [];
  return [...words, ...names, ...outer, ENTRY];
}

/** A file's name without the ending of its language. */
function stem(base: string): string {
  return base.replace(/(\.d)?\.(?:[cm]?[jt]sx?|json|pyi?|go|rs|java|c|h|cc|cpp|cxx|hpp|hh|cs|rb|php)$/, '');
}

function lastOf(text: string, separator: string): string {
  return text.slice(text.lastIndexOf(separator) + 1);
}

function isScript(path: string): boolean {
  return /\.([cm]?[jt]sx?|json)$/.test(path);
}
