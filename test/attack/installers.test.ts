/** What an installation takes over from its surroundings: nothing of the environment, and no name that a shell would run. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Client, clients } from '../../src/doors/cli/install/clients.ts';
import { apply, type InstallOptions, plan } from '../../src/doors/cli/install/plan.ts';
import { fixture } from '../install/fixture.ts';

async function install(client: Client, options: InstallOptions): Promise<void> {
  await apply(await plan(client, { ...options, hooks: true }));
}

const environment = {
  CAIRN_API_KEY: 'environment-leak-1',
  NODE_OPTIONS: '--require environment-leak-2',
  LD_PRELOAD: '/environment-leak-3.so',
  CAIRN_ROLE: 'environment-leak-4',
  PATH: '/environment-leak-5',
  CAIRN_HOME: '/environment-leak-6',
  PROMPT_COMMAND: 'environment-leak-7',
};

describe.each([...clients])('an installation for %s', (client) => {
  it('writes nothing of the environment into the files of others', async () => {
    const here = fixture();
    for (const scope of ['project', 'user'] as const)
      await install(client, { ...here.options, env: environment, scope });
    const tree = here.tree();
    const written = Object.entries(tree).map(([path, bytes]) => `${path} ${Buffer.from(bytes, 'base64').toString()}`);
    expect(written.join('\n')).not.toContain('environment-leak');
  });

  it('writes commands that a shell takes for one program and its words, whatever the folders are called', async () => {
    const hostile = [
      '$(touch pwned)',
      "'; touch pwned; '",
      '`touch pwned`',
      'a\nb; touch pwned',
      '"; touch pwned; "',
      '-c',
      '&& touch pwned #',
      '\\',
      '%PATH%',
      '!!',
    ];
    let lines = 0;
    for (const name of hostile) {
      const here = fixture();
      const recorder = here.write('bin/recorder.sh', 'printf "%s\\0" "$@" > "$SEEN"');
      const command = ['/bin/sh', recorder];
      const home = join(here.home, 'homes', name);
      await install(client, { ...here.options, command, cairnHome: home }).catch((thrown: Error) => {
        // A name that cannot be written safely may be refused, and then nothing is there.
        expect(thrown.message.length).toBeGreaterThan(10);
      });
      for (const line of commandsIn(here.home)) {
        lines++;
        const seen = join(here.home, 'seen.json');
        writeFileSync(seen, '');
        execFileSync('/bin/sh', ['-c', line], {
          cwd: here.project,
          env: { SEEN: seen, PATH: '/usr/bin:/bin' },
          stdio: 'pipe',
          input: '',
        });
        const words = readFileSync(seen, 'utf8').split('\0');
        expect(words.slice(0, 3), line).toEqual(['--home', home, 'hook']);
      }
      expect([...readdirSync(here.project), ...readdirSync(here.home)], name).not.toContain('pwned');
    }
    // VS Code has no hooks.
    if (client !== 'vscode') expect(lines).toBeGreaterThan(10);
  });
});

/** Every `command` of every JSON file that is a line for a shell. */
function commandsIn(folder: string): string[] {
  const found: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'command' && typeof inner === 'string' && / hook /.test(inner)) found.push(inner);
      walk(inner);
    }
  };
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.json')) continue;
    try {
      walk(JSON.parse(readFileSync(join(entry.parentPath, entry.name), 'utf8')));
    } catch {
      // Files with comments hold no hooks.
    }
  }
  return found;
}
