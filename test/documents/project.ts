/** A project folder with a home in it, and the real program that serves it. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Message, type StdioServer, serveStdio } from '../support/cairn.ts';

export interface Project {
  readonly folder: string;
  /** The folder around the project: nothing of a test may appear in it. */
  readonly around: string;
  server: StdioServer;
  /** Another server on the same home. */
  start(flags?: readonly string[], env?: Readonly<Record<string, string>>): StdioServer;
  ask(op: string, params?: object): Promise<Message>;
  /** The error that a call answers with; fails where it succeeds. */
  refusal(op: string, params?: object): Promise<Message>;
  put(path: string, content: string | Uint8Array): Promise<void>;
  read(path: string): Promise<string>;
}

export async function openProject(flags: readonly string[] = [], env: Record<string, string> = {}): Promise<Project> {
  const around = await mkdtemp(join(tmpdir(), 'cairn-project-'));
  onTestFinished(() => rm(around, { recursive: true, force: true, maxRetries: 5 }));
  const folder = join(around, 'project');
  await mkdir(join(folder, '.cairn'), { recursive: true });
  const start: Project['start'] = (more = [], vars = {}) =>
    // Most tests are about words, and a model is loaded for seconds: those that mean meanings say so.
    serveStdio(['--home', join(folder, '.cairn'), ...more], { CAIRN_EMBEDDINGS: 'none', ...vars });
  const project: Project = {
    folder,
    around,
    server: start(flags, env),
    start,
    async ask(op, params = {}) {
      const { result, error } = await project.server.ask(op, params);
      if (error !== undefined) throw new Error(`${op}: ${error.message} ${JSON.stringify(error.data)}`);
      return result;
    },
    async refusal(op, params = {}) {
      const { result, error } = await project.server.ask(op, params);
      if (error === undefined) throw new Error(`${op} was not refused: ${JSON.stringify(result).slice(0, 500)}`);
      return error;
    },
    async put(path, content) {
      const target = join(folder, path);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, content);
    },
    read: (path) => readFile(join(folder, path), 'utf8'),
  };
  return project;
}

/** Every file below a folder with its bytes, links and special files left out. */
export async function treeOf(folder: string): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    found.set(path.slice(folder.length + 1), await readFile(path));
  }
  return found;
}

/** All bytes of a document, page by page. */
export async function contentOf(project: Project, which: object): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page: Message = await project.ask('get', { ...which, include_content: true, offset, length: 1_000_000 });
    parts.push(Buffer.from(page.content, page.encoding ?? 'utf8'));
    offset = page.next_offset;
  }
  return Buffer.concat(parts);
}
