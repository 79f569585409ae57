/** Paths made to lead somewhere else: into what is not ours to read, out of the folder that is written below. */
import { lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../support/cairn.ts';
import { openProject, type Project, treeOf } from './project.ts';

let project: Project;

beforeEach(async () => {
  project = await openProject();
});

const impossible: Record<string, string[]> = {
  'steps upwards': ['../x', 'a/../x', 'a/..', '..', './../x', 'a/./b', 'a//b'],
  'Windows paths': ['C:\\x', 'c:/x', 'D:x', 'a\\..\\b', '\\\\host\\share', 'a\\b'],
  'control characters': ['a\0b', 'a\nb', 'a\tb', '\u007f', 'a\u0085b'],
  'half of a character': ['a\ud800b', '\udc00'],
  'what is or may become .git': [
    '.git',
    '.git/config',
    'x/.GIT/hooks/post-checkout',
    '.Git/HEAD',
    '.git./config',
    '.git /config',
    '.git . ./config',
    'git~1/config',
    '.git::$INDEX_ALLOCATION/config',
    '.g\u200cit/config',
    '.\uff47\uff49\uff54/config',
  ],
  'names of more than 255 bytes': ['x'.repeat(256), '名'.repeat(86), `a/${'y'.repeat(300)}/b`],
};

describe('a document', () => {
  it('cannot have a path that means another place anywhere', async () => {
    for (const [why, names] of Object.entries(impossible)) {
      for (const name of names) {
        const { code } = await project.refusal('add', { name, content: 'x' });
        expect(code, `${why}: ${JSON.stringify(name)}`).toBe(-32002);
      }
    }
    expect((await project.ask('list')).total).toBe(0);
  });

  it('cannot be taken from outside of the roots, however the way there is spelled', async () => {
    await writeFile(join(project.around, 'secret.txt'), 'not yours');
    await mkdir(join(project.folder, '.git'));
    await project.put('.git/config', '[core]');
    await project.put('inside/x.txt', 'x');
    await symlink(project.around, join(project.folder, 'inside/up'));
    await symlink('loop', join(project.folder, 'inside/loop'));
    const outside = [
      '../secret.txt',
      'inside/../../secret.txt',
      join(project.around, 'secret.txt'),
      'inside/up/secret.txt',
      'inside/up',
      '.git/config',
      '.git',
      '.cairn',
      '/',
      '/etc/passwd',
      '/proc/self/environ',
      '/dev/zero',
    ];
    for (const path of outside) expect((await project.refusal('add', { path })).code, path).toBe(-32004);
    for (const path of ['inside/loop', 'inside/loop/x', 'secret.txt\0.md', 'file:///etc/passwd', '~/x'])
      await project.refusal('add', { path });
    expect(await project.ask('add', { path: '.' })).toMatchObject({ added: 1, failed: 0 });
    expect((await project.ask('list', { paths_only: true })).paths).toEqual(['inside/x.txt']);
  });

  it('may have characters that fool the eye, and is then exactly that document', async () => {
    for (const name of ['\u202egnp.exe', 'p\u0430ypal.txt', 'zero\u200bwidth', '...', 'a ', '-rf']) {
      expect((await project.ask('add', { name, content: name })).path).toBe(name);
      expect(await project.ask('get', { name, include_content: true })).toMatchObject({ path: name, content: name });
    }
  });
});

describe('writing out', () => {
  beforeEach(async () => {
    await project.ask('add', { name: 'HEAD', content: 'ref: refs/heads/main\n' });
    await project.ask('add', { name: 'config', content: '[core]\n\tfsmonitor = id\n' });
  });

  it('with outputPath stays within the roots, out of .git and of the home, and never goes through a link', async () => {
    await writeFile(join(project.around, 'victim'), 'untouched');
    await mkdir(join(project.folder, 'sub/.git'), { recursive: true });
    await symlink(project.around, join(project.folder, 'sub/up'));
    await symlink(join(project.around, 'victim'), join(project.folder, 'sub/link'));
    const before = await readdir(project.around);
    const refused = [
      '..',
      '.',
      '../x',
      '/tmp/x',
      'sub/..',
      'sub/../..',
      '.git',
      'sub/.git',
      'sub/.git/HEAD',
      'sub/.GIT',
      '.git.',
      'sub/up/x',
      '.cairn/x',
      '.cairn',
      'sub',
      'a\0b',
      'a\\b',
      'x'.repeat(300),
    ];
    for (const outputPath of refused) await project.refusal('get', { name: 'HEAD', outputPath, overwrite: true });
    expect(await readdir(project.around)).toEqual(before);
    expect(await readdir(join(project.folder, 'sub'))).toEqual(['.git', 'link', 'up']);
    expect(await readdir(join(project.folder, 'sub/.git'))).toEqual([]);
    // A link is replaced by the file, not written through.
    await project.refusal('get', { name: 'HEAD', outputPath: 'sub/link' });
    await project.ask('get', { name: 'HEAD', outputPath: 'sub/link', overwrite: true });
    expect((await lstat(join(project.folder, 'sub/link'))).isFile()).toBe(true);
    expect(await readFile(join(project.around, 'victim'), 'utf8')).toBe('untouched');
    await project.ask('get', { name: 'HEAD', outputPath: 'sub/new' });
    expect((await project.refusal('get', { name: 'HEAD', outputPath: 'sub/new' })).data.name).toBe('conflict');
  });

  it('with restore makes no repository, and writes nothing into the home', async () => {
    await mkdir(join(project.folder, 'sub'));
    await project.put('file', 'x');
    for (const output_directory of [
      '.git',
      'sub/.git',
      'sub/.GIT',
      'sub/.git.',
      'sub/git~1',
      '.cairn',
      '.cairn/new',
      '..',
      '../new',
      '/tmp',
      'sub/missing/deeper',
      'file',
    ]) {
      for (const dry_run of [true, false])
        await project.refusal('restore', { collection: 'default', output_directory, dry_run, overwrite: true });
    }
    expect(await readdir(join(project.folder, 'sub'))).toEqual([]);
    const rogue = '.cairn/instructions/rogue.json';
    await project.ask('add', { name: rogue, content: '{}' });
    await project.ask('add', { name: '.CAIRN/config.json', content: '{}' });
    const home = [...(await treeOf(join(project.folder, '.cairn'))).keys()];
    for (const dry_run of [true, false]) {
      const done = await project.ask('restore', {
        collection: 'default',
        output_directory: '.',
        overwrite: true,
        dry_run,
      });
      expect(done).toMatchObject({ restored: 2, failed: 2 });
      expect(done.errors.map((each: Message) => each.path)).toEqual(['.CAIRN/config.json', rogue]);
    }
    expect([...(await treeOf(join(project.folder, '.cairn'))).keys()].sort()).toEqual(home.sort());
  });

  it('with restore never follows a link that waits in the folder, at any depth', async () => {
    for (const name of ['a/b/c.txt', 'd/e.txt', 'dangling']) await project.ask('add', { name, content: 'restored' });
    await mkdir(join(project.folder, 'out/a'), { recursive: true });
    await symlink(project.around, join(project.folder, 'out/a/b'));
    await symlink('.', join(project.folder, 'out/d'));
    await symlink(join(project.around, 'made'), join(project.folder, 'out/dangling'));
    for (const overwrite of [false, true]) {
      const input = {
        collection: 'default',
        output_directory: 'out',
        overwrite,
        include_patterns: ['a', 'd', 'dangling'],
      };
      const preview = await project.ask('restore', { ...input, dry_run: true });
      const done = await project.ask('restore', input);
      expect(done).toMatchObject({ restored: overwrite ? 1 : 0, skipped: overwrite ? 0 : 1, failed: 2 });
      expect({ ...preview, dry_run: undefined }).toEqual(done);
    }
    expect(await readdir(project.around)).toEqual(['project']);
    expect(await project.read('out/dangling')).toBe('restored');
  });
});
