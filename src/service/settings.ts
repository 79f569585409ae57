/**
 * Every setting of Cairn, in one table: its type, default, where it may come from and who reads it.
 * `Config` is derived from it, `cairn config` prints it and docs/configuration.md is generated from it.
 */
import { isEndpointUrl, isProvider } from '../search/embed/choice.ts';
import { isCatalogName, isStoreAddress } from '../store/shared/address.ts';
import { isBucketAddress } from '../store/shared/bucket-address.ts';
import {
  boolean,
  choice,
  choices,
  form,
  integer,
  list,
  type Setting,
  type SettingFacts,
  secret,
  text,
  urls,
} from './setting.ts';

export const roles = ['viewer', 'agent', 'admin'] as const;
export type Role = (typeof roles)[number];

export const toolsets = ['core', 'instructions', 'memory', 'documents', 'admin', 'all'] as const;
export type Toolset = (typeof toolsets)[number];

const KiB = 1024;
const MiB = 1024 * KiB;

/** It holds a password: never printed. */
function storeUrl(facts: SettingFacts): Setting<string> {
  return { ...form('', 'a postgres:// URL', isStoreAddress, facts), secret: true };
}

export const settings = {
  // identity and gate
  role: choice(roles, 'agent', {
    flag: 'role',
    env: ['CAIRN_ROLE'],
    // A project that one has just cloned must not be able to raise the role of the agent that opens it.
    fromFile: false,
    about: 'Role of a stdio connection and of loopback HTTP without a key.',
  }),
  agentId: text('', {
    env: ['CAIRN_AGENT_ID', 'MCP_AGENT_ID'],
    fromFile: false,
    about: 'Name under which this process acts, as it appears in the audit trail. Empty: the name of the door.',
  }),
  readOnly: boolean(false, {
    flag: 'read-only',
    env: ['CAIRN_READ_ONLY'],
    about: 'Refuses every operation that writes and leaves it out of every list. Beats every other setting.',
  }),
  mutation: boolean(false, {
    flag: 'mutation',
    env: ['MCP_ENABLE_MUTATION', 'CAIRN_MUTATION'],
    fromFile: false,
    about: 'Allows the operations that change the instruction catalog.',
  }),
  apiKey: secret({
    env: ['CAIRN_API_KEY', 'LEDGERMIND_API_KEY'],
    about: 'A key for HTTP, besides those made with `cairn keys add`. Once any key exists, HTTP calls need one.',
  }),
  apiKeyRole: choice(roles, 'agent', {
    env: ['CAIRN_API_KEY_ROLE'],
    fromFile: false,
    about: 'Role that the key from the environment carries.',
  }),

  // what is served, and where
  toolsets: choices(toolsets, ['core'], {
    flag: 'toolsets',
    env: ['CAIRN_TOOLSETS'],
    about: 'Which tools `tools/list` shows. What is not listed still answers when called, if allowed.',
  }),
  http: text('', {
    flag: 'http',
    env: ['CAIRN_HTTP'],
    fromFile: false,
    about: 'Address of the HTTP door as [HOST:]PORT. A host that is not loopback needs a key.',
  }),
  metricsPort: integer(0, {
    flag: 'metrics-port',
    env: ['CAIRN_METRICS_PORT'],
    fromFile: false,
    min: 0,
    max: 65_535,
    about: 'Serves `/metrics` on a port of its own too, on the host of the HTTP door. 0: only on the HTTP door.',
  }),
  dashboard: boolean(false, {
    flag: 'dashboard',
    env: ['MCP_DASHBOARD', 'CAIRN_DASHBOARD'],
    fromFile: false,
    about: 'Opens the HTTP door, and with it the dashboard, beside a stdio server. With --http it is there anyway.',
  }),
  dashboardPort: integer(8787, {
    flag: 'dashboard-port',
    env: ['MCP_DASHBOARD_PORT'],
    fromFile: false,
    min: 0,
    max: 65_535,
    about: 'The port of that door.',
  }),
  dashboardHost: text('127.0.0.1', {
    flag: 'dashboard-host',
    env: ['MCP_DASHBOARD_HOST'],
    fromFile: false,
    about: 'The host of that door. One that is not loopback needs a key.',
  }),
  dashboardTries: integer(10, {
    flag: 'dashboard-tries',
    env: ['MCP_DASHBOARD_TRIES'],
    fromFile: false,
    min: 0,
    max: 1000,
    about: 'How many further ports are tried where that one is taken.',
  }),
  webhooks: urls({
    flag: 'webhooks',
    env: ['CAIRN_WEBHOOKS'],
    // A project that one has just cloned must not be able to tell others what is done in it.
    fromFile: false,
    about: 'URLs that a server tells of every change; see events.md. The flag may be given several times.',
  }),
  webhookSecret: secret({
    env: ['CAIRN_WEBHOOK_SECRET'],
    about: 'Signs what webhooks are sent. Empty: they are not signed.',
  }),
  webhookAllowPrivate: boolean(false, {
    env: ['CAIRN_WEBHOOK_ALLOW_PRIVATE'],
    fromFile: false,
    about: 'Lets webhooks reach private and loopback addresses.',
  }),
  webhookRetryMs: integer(2000, {
    env: ['CAIRN_WEBHOOK_RETRY_MS'],
    min: 1,
    max: 600_000,
    about: 'Time before the second of eight attempts; it doubles with each.',
  }),
  webhookTimeoutMs: integer(10_000, {
    env: ['CAIRN_WEBHOOK_TIMEOUT_MS'],
    min: 100,
    max: 20_000,
    about: 'How long a webhook may take to answer.',
  }),
  allowedHosts: list([], {
    env: ['CAIRN_ALLOWED_HOSTS'],
    fromFile: false,
    about: 'Further host names accepted in the Host header, besides loopback and the bound one.',
  }),
  allowedOrigins: list([], {
    env: ['CAIRN_ALLOWED_ORIGINS'],
    fromFile: false,
    about: 'Further host names accepted in the Origin header of browsers.',
  }),
  keepAliveMs: integer(30_000, {
    env: ['MCP_IDLE_KEEPALIVE_MS'],
    min: 0,
    max: 3_600_000,
    about: 'Interval of keep-alive comments on idle event streams; 0 sends none.',
  }),
  roots: text('', {
    env: ['CAIRN_ROOTS'],
    fromFile: false,
    about:
      'Folders that calls may name, separated as in PATH. Empty: the project folder, unless that is / or the user’s own.',
  }),
  downloadPrivate: boolean(false, {
    env: ['CAIRN_DOWNLOAD_PRIVATE'],
    // A project that one has just cloned must not be able to open the network of the machine.
    fromFile: false,
    about: 'Lets download reach private and loopback addresses.',
  }),
  features: list([], {
    env: ['INDEX_FEATURES'],
    about: 'Feature flags, as `feature_status` reports them.',
  }),

  // limits
  maxResponse: integer(24 * KiB, {
    env: ['CAIRN_MAX_RESPONSE'],
    min: 2 * KiB,
    max: 8 * MiB,
    about: 'Bytes of text and structured content together in one `tools/call` answer; what is cut is said.',
  }),
  maxFrame: integer(10 * MiB, {
    env: ['CAIRN_MAX_FRAME'],
    min: 64 * KiB,
    max: 256 * MiB,
    about: 'Bytes of one request on stdio or HTTP.',
  }),
  maxDocument: integer(1024 * MiB, {
    env: ['CAIRN_MAX_DOCUMENT'],
    min: 64 * KiB,
    max: 1024 * 1024 * MiB,
    about: 'Bytes of one document.',
  }),
  callTimeoutMs: integer(120_000, {
    env: ['CAIRN_CALL_TIMEOUT_MS'],
    min: 100,
    max: 3_600_000,
    about: 'Time without progress after which a call is cancelled.',
  }),
  downloadTimeoutMs: integer(60_000, {
    env: ['CAIRN_DOWNLOAD_TIMEOUT_MS'],
    min: 100,
    max: 3_600_000,
    about: 'Time that one download may take; the limit of a call ends it too.',
  }),
  store: storeUrl({
    flag: 'store',
    env: ['CAIRN_STORE'],
    // A project that one has just cloned must not be able to send what is written to somebody else's server.
    fromFile: false,
    about:
      'postgres://USER:PASSWORD@HOST/DATABASE: everything is kept there instead of in the home; see postgresql.md.',
  }),
  catalog: form('', 'up to 63 small letters, digits, dots, dashes and underscores', isCatalogName, {
    flag: 'catalog',
    env: ['CAIRN_CATALOG'],
    fromFile: false,
    about: 'Which catalog of that database is served; teams that share a database have one each. Empty: `default`.',
  }),
  storeReplica: storeUrl({
    env: ['CAIRN_STORE_REPLICA'],
    fromFile: false,
    about: 'A replica of that database that answers what is only read; it may be a moment behind.',
  }),
  objects: form('', 's3://BUCKET/PREFIX?endpoint=URL&region=NAME', isBucketAddress, {
    flag: 'objects',
    env: ['CAIRN_OBJECTS'],
    fromFile: false,
    about: 'An S3-compatible object store for the bytes of contents, instead of the database. Needs the keys below.',
  }),
  objectsKeyId: secret({ env: ['AWS_ACCESS_KEY_ID'], about: 'The id of the key for that object store.' }),
  objectsKey: secret({ env: ['AWS_SECRET_ACCESS_KEY'], about: 'The key itself.' }),
  objectsToken: secret({ env: ['AWS_SESSION_TOKEN'], about: 'The token of a key that is lent for a while.' }),
  storeConnections: integer(8, {
    env: ['CAIRN_STORE_CONNECTIONS'],
    fromFile: false,
    min: 2,
    max: 100,
    about: 'How many connections to the database this process keeps at most.',
  }),
  storeTimeoutMs: integer(60_000, {
    env: ['CAIRN_STORE_TIMEOUT_MS'],
    fromFile: false,
    min: 100,
    max: 3_600_000,
    about: 'How long one statement may take in the database.',
  }),
  lockWaitMs: integer(15_000, {
    env: ['CAIRN_LOCK_WAIT_MS'],
    min: 0,
    max: 600_000,
    about: 'How long a write waits for other processes that are writing to the same home.',
  }),
  history: boolean(true, {
    env: ['CAIRN_HISTORY'],
    about: 'Keeps every version of instructions and decisions in history.git, beside the files.',
  }),
  embeddings: form('bundled', 'bundled, none, openai, ollama or onnx: with an absolute path', isProvider, {
    env: ['CAIRN_EMBEDDINGS'],
    // A project that one has just cloned must not be able to send texts elsewhere, or to bring a model along.
    fromFile: ['bundled', 'none'],
    about:
      'What compares meanings: the model that comes with Cairn, one in a folder, an OpenAI-compatible or Ollama endpoint, or nothing. See embeddings.md.',
  }),
  embeddingsUrl: form('', 'an http or https URL without a user name, a password or a fragment', isEndpointUrl, {
    env: ['CAIRN_EMBEDDINGS_URL'],
    fromFile: false,
    about: 'Where the endpoint is, before `/embeddings` or `/api/embed`. Empty: Ollama on this machine.',
  }),
  embeddingsModel: text('', {
    env: ['CAIRN_EMBEDDINGS_MODEL'],
    fromFile: false,
    about: 'The name of the model that the endpoint is asked for.',
  }),
  embeddingsKey: secret({
    env: ['CAIRN_EMBEDDINGS_KEY'],
    about: 'The key of the endpoint, sent to it alone.',
  }),
  embeddingsDimensions: integer(0, {
    env: ['CAIRN_EMBEDDINGS_DIMENSIONS'],
    fromFile: false,
    min: 0,
    max: 16_384,
    about: 'How many dimensions the endpoint is asked for; 0 asks for none and takes what the model gives.',
  }),
  embeddingsQueryPrefix: text('', {
    env: ['CAIRN_EMBEDDINGS_QUERY_PREFIX'],
    fromFile: false,
    about: 'What some models want before a question, such as `query: `. Not for the bundled one.',
  }),
  embeddingsTextPrefix: text('', {
    env: ['CAIRN_EMBEDDINGS_TEXT_PREFIX'],
    fromFile: false,
    about: 'What some models want before a text, such as `passage: `. Not for the bundled one.',
  }),
  reflectMinutes: integer(60, {
    env: ['CAIRN_REFLECT_MINUTES'],
    min: 0,
    max: 10_080,
    about: 'How often a server looks through new events for what could become a decision; 0 for never.',
  }),
  writeCooldownMs: integer(1000, {
    env: ['CAIRN_WRITE_COOLDOWN_MS'],
    min: 0,
    max: 600_000,
    about: 'Time between two decisions that one caller records; 0 for none. Several in one `execute` count once.',
  }),
  httpSessions: integer(256, {
    env: ['CAIRN_HTTP_SESSIONS'],
    min: 1,
    max: 100_000,
    about: 'MCP sessions of older clients kept at once over HTTP; the longest idle one makes room.',
  }),
  httpRate: integer(-1, {
    env: ['CAIRN_HTTP_RATE'],
    fromFile: false,
    min: -1,
    max: 100_000,
    about:
      'Calls a second that one caller may make over HTTP; twice as many at once. 0: any number. -1: 100 with a key or from other machines, else any number.',
  }),
  eventListeners: integer(256, {
    env: ['CAIRN_EVENT_LISTENERS'],
    min: 1,
    max: 100_000,
    about: 'Streams of `/events` open at once.',
  }),
  workers: integer(2, {
    env: ['CAIRN_WORKERS'],
    min: 1,
    max: 32,
    about: 'Threads for heavy work (hashing, parsing, embedding). Started on first use.',
  }),

  // logs and traces
  logVerbose: boolean(false, {
    flag: 'verbose',
    env: ['MCP_LOG_VERBOSE', 'CAIRN_LOG_VERBOSE'],
    about: 'Logs every call to stderr.',
  }),
  logMutation: boolean(false, { env: ['MCP_LOG_MUTATION'], about: 'Logs every write to stderr.' }),
  logProtocol: boolean(false, {
    env: ['MCP_LOG_DIAG'],
    about: 'Logs what the protocol layer reports: openings, refused frames, closed connections.',
  }),
  logFile: text('', {
    env: ['MCP_LOG_FILE', 'CAIRN_LOG_FILE'],
    fromFile: false,
    about: 'Also appends the log to this file.',
  }),
  logRotateBytes: integer(512 * KiB, {
    env: ['MCP_LOG_ROTATE_BYTES'],
    min: 4 * KiB,
    max: 1024 * MiB,
    about: 'Size at which the log file is renamed to FILE.1 and begun anew.',
  }),
  traceDir: text('', {
    env: ['MCP_TRACE_DIR', 'CAIRN_TRACE_DIR'],
    fromFile: false,
    about: 'Writes one trace line a call into files of this folder. Empty: no traces.',
  }),
  traceMaxBytes: integer(64 * KiB, {
    env: ['MCP_TRACE_MAX_BYTES'],
    min: KiB,
    max: 1024 * MiB,
    about: 'Size at which a new trace file is begun.',
  }),
  traceSession: text('', { env: ['MCP_TRACE_SESSION'], about: 'Session id in traces. Empty: a random one.' }),
  traceFilter: list([], { env: ['MCP_TRACE_FILTER'], about: 'Only these trace categories. Empty: all.' }),
  traceFilterDeny: list([], { env: ['MCP_TRACE_FILTER_DENY'], about: 'Not these trace categories.' }),

  // the instruction catalog
  strictCreate: boolean(false, {
    env: ['MCP_INSTRUCTIONS_STRICT_CREATE'],
    about: 'Adding an instruction whose id exists is an error, not a skip.',
  }),
  strictRemove: boolean(false, {
    env: ['MCP_INSTRUCTIONS_STRICT_REMOVE'],
    about: 'Removing an instruction that does not exist is an error.',
  }),
  canonicalDisabled: boolean(false, {
    env: ['MCP_CANONICAL_DISABLE'],
    about: 'Stores bodies as they were sent, without putting line ends and blanks in their normal form first.',
  }),
  governanceTrailingNewline: boolean(false, {
    env: ['GOV_HASH_TRAILING_NEWLINE'],
    about: 'Ends the text of the governance hash with a newline, as some producers do.',
  }),
  workspaceId: text('', {
    env: ['CAIRN_WORKSPACE_ID', 'WORKSPACE_ID', 'INSTRUCTIONS_WORKSPACE'],
    about: 'The workspace that new instructions belong to. Empty: none.',
  }),
  catalogDiagnostics: boolean(false, {
    env: ['MCP_CATALOG_DIAG'],
    about: 'Adds what a list or get had to repair to the trace and the log.',
  }),
  usageRateLimitDisabled: boolean(false, {
    env: ['MCP_DISABLE_USAGE_RATE_LIMIT'],
    about: 'Counts every use, also more than ten a second of one instruction.',
  }),
  usageFlushMs: integer(75, {
    env: ['MCP_USAGE_FLUSH_MS'],
    min: 0,
    max: 60_000,
    about: 'How long uses are gathered before they are written.',
  }),
  graphPrimaryEdges: boolean(true, {
    env: ['GRAPH_INCLUDE_PRIMARY_EDGES'],
    about: 'Whether the graph has edges from instructions to their primary category.',
  }),
  graphLargeCategoryCap: integer(50, {
    env: ['GRAPH_LARGE_CATEGORY_CAP'],
    min: 0,
    max: 10_000,
    about: 'Categories with more members get no pairwise edges in the graph.',
  }),
  instructionsDir: text('', {
    env: ['INSTRUCTIONS_DIR'],
    fromFile: false,
    about: 'Folder of the instruction files. Empty: instructions/ in the home.',
  }),
  promptsDir: text('', {
    env: ['CAIRN_PROMPTS_DIR'],
    fromFile: false,
    about: 'Folder of the prompt files PROMPT-*.md. Empty: prompts/ in the home.',
  }),
} as const;
