/** The code of this repository, as Cairn reads it, against what the TypeScript compiler knows about it. */
import { join, relative } from 'node:path';
import ts from 'typescript5';
import { describe, expect, it } from 'vitest';
import { callsOf, importsOf } from '../../src/graph/code/resolve.ts';
import { diskTree } from './code-disk-tree.ts';

const root = join(import.meta.dirname, '../..');
// Without the tests, whose types are the runner's: they cost the compiler as long as the rest.
const tree = diskTree(join(root, 'src'), (path) => /(?<!\.test)\.ts$|\.json$/.test(path));
const sources = tree.paths.filter((path) => path.endsWith('.ts'));

const program = ts.createProgram({
  rootNames: sources.map((path) => join(root, 'src', path)),
  options: {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    resolveJsonModule: true,
    allowImportingTsExtensions: true,
    types: ['node'],
  },
});
const checker = program.getTypeChecker();

function pathOf(file: ts.SourceFile): string {
  return relative(join(root, 'src'), file.fileName).replaceAll('\\', '/');
}

function lineOf(node: ts.Node): number {
  const file = node.getSourceFile();
  return file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
}

function sourceFile(path: string): ts.SourceFile {
  const file = program.getSourceFile(join(root, 'src', path));
  if (file === undefined) throw new Error(`${path} is not in the program`);
  return file;
}

function visit(node: ts.Node, see: (node: ts.Node) => void): void {
  see(node);
  ts.forEachChild(node, (child) => visit(child, see));
}

describe('imports of this repository', () => {
  it('mean the documents that the compiler takes for them', async () => {
    const ours: string[] = [];
    for (const path of sources) {
      const outline = await tree.outline(path);
      if (outline === undefined) throw new Error(`${path} has no outline`);
      for (const { import: wanted, paths } of await importsOf(tree, path, outline))
        ours.push(`${path}:${wanted.line} ${wanted.specifier} → ${paths.join() || '-'}`);
    }
    const theirs = sources.flatMap(compilerImports);
    expect(theirs.length).toBeGreaterThan(800);
    expect(ours.sort()).toEqual(theirs.sort());
  }, 240_000);
});

const resolutions = ts.createModuleResolutionCache(root, (name) => name, program.getCompilerOptions());

function compilerImports(path: string): string[] {
  const file = sourceFile(path);
  const found: string[] = [];
  visit(file, (node) => {
    const specifier = specifierOf(node);
    if (specifier === undefined) return;
    const resolved = ts.resolveModuleName(
      specifier,
      file.fileName,
      program.getCompilerOptions(),
      ts.sys,
      resolutions,
    ).resolvedModule;
    const target = resolved && relative(join(root, 'src'), resolved.resolvedFileName).replaceAll('\\', '/');
    const inside = target !== undefined && !target.startsWith('..') && target !== path;
    found.push(`${path}:${lineOf(node)} ${specifier} → ${inside ? target : '-'}`);
  });
  return found;
}

function specifierOf(node: ts.Node): string | undefined {
  const named = ts.isImportDeclaration(node) || ts.isExportDeclaration(node) ? node.moduleSpecifier : undefined;
  const dynamic = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  const typed = ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
  const literal = named ?? (dynamic ? node.arguments[0] : undefined) ?? typed;
  return literal !== undefined && ts.isStringLiteral(literal) ? literal.text : undefined;
}

interface KnownCall {
  readonly site: string;
  /** Places, as `path:line`, where what is called is declared. */
  readonly places: ReadonlySet<string>;
  /** An alias may also be followed to what it stands for. Asked only when needed, for the compiler takes its time. */
  behind(): ReadonlySet<string>;
  /** It goes to a function, method or class of this repository. */
  readonly counts: boolean;
}

describe('calls of this repository', () => {
  it('go where the compiler sends them', async ({ annotate }) => {
    const missed: string[] = [];
    const wrong: string[] = [];
    let counted = 0;
    let right = 0;
    // Every second file: the compiler takes its time over each.
    for (const path of sources.filter((_, place) => place % 2 === 0)) {
      const ours = await ourCalls(path);
      for (const { site, places, counts, behind } of compilerCalls(path)) {
        const answer = ours.get(site)?.shift() ?? '';
        if (counts) counted++;
        if (answer === '') {
          if (counts) missed.push(`${site} → ${[...places].join(' or ')}`);
        } else if (places.has(answer) || behind().has(answer)) right += counts ? 1 : 0;
        else wrong.push(`${site} → ${answer}, not ${[...places].join(' or ')}`);
      }
    }
    const precision = right / (right + wrong.length);
    const recall = right / counted;
    const figures = `calls: ${counted}, precision ${precision.toFixed(4)}, recall ${recall.toFixed(4)}`;
    await annotate(figures);
    const examples = `${figures}\nwrong:\n${wrong.slice(0, 40).join('\n')}\nmissed:\n${missed.slice(0, 60).join('\n')}`;
    expect(counted).toBeGreaterThan(2000);
    expect(precision, examples).toBeGreaterThanOrEqual(0.95);
    expect(recall, examples).toBeGreaterThanOrEqual(0.85);
  }, 240_000);
});

/** By place and name of the call: the places of what it runs, empty when unresolved, in the order of the text. */
async function ourCalls(path: string): Promise<Map<string, string[]>> {
  const outline = await tree.outline(path);
  const calls = new Map<string, string[]>();
  for (const { call, target } of outline === undefined ? [] : await callsOf(tree, path, outline)) {
    const site = `${path}:${call.line} ${call.name}`;
    const symbol = target && (await tree.outline(target.path))?.symbols[target.symbol];
    calls.set(site, [...(calls.get(site) ?? []), symbol === undefined ? '' : `${target?.path}:${symbol.line}`]);
  }
  return calls;
}

/** Names of what can be called here: a method that is called otherwise is somebody else's, and is not worth the compiler's time. */
const names = new Set(sources.flatMap((path) => declaredNames(sourceFile(path))));

function declaredNames(file: ts.SourceFile): string[] {
  const found: string[] = [];
  visit(file, (node) => {
    const member = ts.isClassElement(node) || ts.isTypeElement(node) || ts.isObjectLiteralElementLike(node);
    // A function of a module is a member of its namespace.
    const named = member || ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node);
    if (named && node.name !== undefined) found.push(node.name.getText(file));
  });
  return found;
}

function compilerCalls(path: string): KnownCall[] {
  const calls: KnownCall[] = [];
  visit(sourceFile(path), (node) => {
    if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return;
    const name = calledName(node.expression);
    if (name === undefined || (ts.isPropertyAccessExpression(node.expression) && !names.has(name.getText()))) return;
    const symbols = symbolsAt(name);
    const declarations = symbols.flatMap((symbol) => symbol.declarations ?? []).filter(isOurs);
    calls.push({
      site: `${path}:${lineOf(name)} ${name.getText()}`,
      places: new Set(declarations.map(placeOf)),
      behind: () => signatureOf(node),
      counts: declarations.some(isCallable),
    });
  });
  return calls;
}

function signatureOf(call: ts.CallExpression | ts.NewExpression): Set<string> {
  const declaration = checker.getResolvedSignature(call)?.declaration;
  const ours = declaration !== undefined && isOurs(declaration) ? [declaration, declaration.parent] : [];
  return new Set(ours.map(placeOf));
}

function calledName(expression: ts.Expression): ts.Node | undefined {
  if (ts.isIdentifier(expression) || expression.kind === ts.SyntaxKind.SuperKeyword) return expression;
  return ts.isPropertyAccessExpression(expression) ? expression.name : undefined;
}

function symbolsAt(name: ts.Node): ts.Symbol[] {
  const symbol = checker.getSymbolAtLocation(name);
  if (symbol === undefined) return [];
  return [symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol];
}

function isOurs(declaration: ts.Node): boolean {
  return declaration.getSourceFile().fileName.startsWith(join(root, 'src'));
}

function placeOf(declaration: ts.Node): string {
  return `${pathOf(declaration.getSourceFile())}:${lineOf(declaration)}`;
}

function isCallable(declaration: ts.Node): boolean {
  if (ts.isFunctionDeclaration(declaration) || ts.isClassDeclaration(declaration)) return true;
  if (ts.isMethodDeclaration(declaration) || ts.isMethodSignature(declaration)) return true;
  if (!ts.isVariableDeclaration(declaration) && !ts.isPropertyAssignment(declaration)) return false;
  const value = declaration.initializer;
  return value !== undefined && (ts.isArrowFunction(value) || ts.isFunctionExpression(value));
}
