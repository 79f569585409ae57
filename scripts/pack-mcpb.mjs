/** Packs cairn.mcpb: the build, the packages it needs at run time, and the manifest; checked and zipped by the format's own tool. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, root, run } from './setup.mjs';

const tools = 'test/conformance';
ensureInstalled();
ensureBuilt();
ensureInstalled(tools);
const stage = mkdtempSync(join(tmpdir(), 'cairn-mcpb-'));
try {
  for (const name of ['dist', 'package.json', 'package-lock.json', '.npmrc', 'LICENSE', 'README.md'])
    cpSync(join(root, name), join(stage, name), { recursive: true });
  cpSync(join(root, 'packaging/mcpb/manifest.json'), join(stage, 'manifest.json'));
  run(process.platform === 'win32' ? 'npm.cmd' : 'npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], stage);
  const tool = join(root, tools, 'node_modules/@anthropic-ai/mcpb/dist/cli/cli.js');
  run(process.execPath, [tool, 'validate', join(stage, 'manifest.json')]);
  run(process.execPath, [tool, 'pack', stage, join(root, 'cairn.mcpb')]);
} finally {
  rmSync(stage, { recursive: true, force: true });
}
