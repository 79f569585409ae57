#!/usr/bin/env node
/** The program `cairn`. */
import { runCommandLine } from './doors/cli/command.ts';

const code = await runCommandLine(process.argv.slice(2));
// Explicit, because a client that keeps its end of a pipe open must not keep this process alive.
process.exit(code);
