/**
 * What Cairn says of itself when a client opens a connection: plain data, so that an opening can be answered before the
 * protocol library is loaded.
 */
import { version } from '../../version.ts';
import { instructions } from './instructions.ts';

export const serverInfo = { name: 'cairn', title: 'Cairn', version };

export const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {} };

/** Versions that are opened with `initialize`, newest first; a test compares them with the library's. */
const openedByInitialize = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];

export function initializeResult(requested: string) {
  const protocolVersion = openedByInitialize.includes(requested) ? requested : openedByInitialize[0];
  return { protocolVersion, capabilities, serverInfo, instructions };
}
