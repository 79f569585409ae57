/**
 * Environment variables that the seed documents list and Cairn does not read: accepted without complaint, and shown in
 * docs/configuration.md with the reason, so that nobody wonders whether a variable took effect.
 */

export interface UnreadVariable {
  readonly name: string;
  readonly why: string;
}

const testOnly = 'A switch for the tests of the original system.';
const unneeded = (instead: string) => `Not needed: ${instead}`;

export const unreadVariables: readonly UnreadVariable[] = [
  { name: 'MCP_CATALOG_FILE_TRACE', why: unneeded('MCP_CATALOG_DIAG tells what was read again.') },
  { name: 'MCP_DISABLE_USAGE_CLAMP', why: unneeded('a use counts one; there is nothing to clamp.') },
  { name: 'MCP_CATALOG_MEMOIZE', why: unneeded('the catalog is always held in memory and refreshed by generation.') },
  { name: 'MCP_READ_RETRIES', why: unneeded('files are replaced by rename, so that no read meets a torn one.') },
  { name: 'MCP_READ_BACKOFF_MS', why: unneeded('files are replaced by rename, so that no read meets a torn one.') },
  { name: 'MCP_ATOMIC_WRITE_RETRIES', why: unneeded('CAIRN_LOCK_WAIT_MS bounds how long a write waits.') },
  { name: 'MCP_ATOMIC_WRITE_BACKOFF_MS', why: unneeded('CAIRN_LOCK_WAIT_MS bounds how long a write waits.') },
  { name: 'MCP_DISABLE_EARLY_STDIN_BUFFER', why: unneeded('frames that arrive early are answered in order.') },
  { name: 'MCP_HANDSHAKE_TRACE', why: unneeded('MCP_LOG_DIAG logs the opening of a connection.') },
  { name: 'MCP_HANDSHAKE_FALLBACKS', why: unneeded('every documented opening is served.') },
  { name: 'MCP_INIT_FALLBACK_ALLOW', why: unneeded('every documented opening is served.') },
  { name: 'MCP_INIT_FRAME_DIAG', why: unneeded('MCP_LOG_DIAG logs the opening of a connection.') },
  { name: 'MCP_DISABLE_INIT_SNIFF', why: unneeded('stdout is never sniffed.') },
  { name: 'MCP_HEALTH_MIXED_DIAG', why: testOnly },
  { name: 'MCP_SHARED_SERVER_SENTINEL', why: testOnly },
  { name: 'DIST_WAIT_MS', why: testOnly },
  { name: 'EXTEND_DIST_WAIT', why: testOnly },
  { name: 'DIST_WAIT_DEBUG', why: testOnly },
  { name: 'SKIP_PROD_DEPLOY', why: testOnly },
  { name: 'MULTICLIENT_TRACE', why: testOnly },
  { name: 'MCP_FORCE_REBUILD', why: testOnly },
];
