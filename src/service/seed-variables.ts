/**
 * Environment variables that the seed documents list and Cairn does not read: accepted without complaint, and shown in
 * docs/configuration.md with the reason, so that nobody wonders whether a variable took effect.
 */

export interface UnreadVariable {
  readonly name: string;
  readonly why: string;
}

const later = (part: string) => `Read by the ${part}, which this version does not have yet.`;
const testOnly = 'A switch for the tests of the original system.';
const unneeded = (instead: string) => `Not needed: ${instead}`;

export const unreadVariables: readonly UnreadVariable[] = [
  { name: 'MCP_INSTRUCTIONS_STRICT_CREATE', why: later('instruction catalog') },
  { name: 'MCP_INSTRUCTIONS_STRICT_REMOVE', why: later('instruction catalog') },
  { name: 'MCP_CANONICAL_DISABLE', why: later('instruction catalog') },
  { name: 'GOV_HASH_TRAILING_NEWLINE', why: later('instruction catalog') },
  { name: 'MCP_CATALOG_DIAG', why: later('instruction catalog') },
  { name: 'MCP_CATALOG_FILE_TRACE', why: later('instruction catalog') },
  { name: 'MCP_DISABLE_USAGE_RATE_LIMIT', why: later('instruction catalog') },
  { name: 'MCP_DISABLE_USAGE_CLAMP', why: later('instruction catalog') },
  { name: 'MCP_USAGE_FLUSH_MS', why: later('instruction catalog') },
  { name: 'WORKSPACE_ID', why: later('instruction catalog') },
  { name: 'INSTRUCTIONS_WORKSPACE', why: later('instruction catalog') },
  { name: 'GRAPH_INCLUDE_PRIMARY_EDGES', why: later('instruction catalog') },
  { name: 'GRAPH_LARGE_CATEGORY_CAP', why: later('instruction catalog') },
  { name: 'MCP_DASHBOARD', why: later('dashboard') },
  { name: 'MCP_DASHBOARD_PORT', why: later('dashboard') },
  { name: 'MCP_DASHBOARD_HOST', why: later('dashboard') },
  { name: 'MCP_DASHBOARD_TRIES', why: later('dashboard') },
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
