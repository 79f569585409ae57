/**
 * `cairn hook CLIENT EVENT`: what a client calls when a person sends a prompt and when the agent has answered. It adds what
 * Cairn knows about the prompt, and records the exchange.
 *
 * It must never be in the way: within 300 ms it has answered or says nothing, and whatever goes wrong, it says nothing and
 * exits with 0. (2 would stop the client; any other number would show a warning.) What was typed comes through stdin and
 * goes to an operation as a value: no shell ever sees it.
 */
import { homedir } from 'node:os';
import type { Readable } from 'node:stream';
import { toCairnError } from '../../../errors.ts';
import { type Client, clients } from './clients.ts';
import { hookEvents } from './invocation.ts';
import { stateFolder } from './record.ts';
import { Turns } from './remembered.ts';
import { refreshShadows } from './shadow.ts';
import { lastTurn } from './transcript.ts';

export type Call = (operation: string, input: Record<string, unknown>, signal?: AbortSignal) => Promise<unknown>;

export interface HookAnswer {
  readonly stdout: string;
  /** Why there is no answer; only with CAIRN_DEBUG. */
  readonly stderr: string;
  readonly exitCode: 0;
}

export interface HookOptions {
  readonly home?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What is left of the 300 ms. */
  readonly budgetMs?: number;
}

export const HOOK_BUDGET_MS = 300;
const LARGEST_INPUT = 4 * 1024 * 1024;
const LONGEST_PROMPT = 8_000;
const LONGEST_RESPONSE = 16_000;
/** Above this Claude Code and Cursor move the text into a file, of which the agent sees the beginning. */
const LONGEST_CONTEXT = 9_500;
/** The same in tokens, as Cairn reckons them: a text that is cut by us would no longer be JSON. */
const BUDGET_TOKENS = Math.floor(LONGEST_CONTEXT / 4);

type Payload = Readonly<Record<string, unknown>>;

/** The answer to one event; `call` runs an operation as the agent that the client is. */
export async function runHook(
  words: readonly string[],
  stdin: string,
  call: Call,
  options: HookOptions = {},
): Promise<HookAnswer> {
  const cancel = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error('the time is up'));
    timer = setTimeout(fail, Math.max(0, options.budgetMs ?? HOOK_BUDGET_MS));
  });
  try {
    const bound: Call = (operation, input) => call(operation, input, cancel.signal);
    const stdout = await Promise.race([answer(words, stdin, bound, options), tooLate]);
    return { stdout, stderr: '', exitCode: 0 };
  } catch (thrown) {
    return { stdout: '', stderr: complaint(thrown, options), exitCode: 0 };
  } finally {
    clearTimeout(timer);
    cancel.abort();
  }
}

/** All of it: reads what the client sends, opens Cairn for the project that it names, answers. */
export async function hookCommand(
  words: readonly string[],
  input: Readable,
  open: (project: string | undefined) => Call,
  options: HookOptions = {},
): Promise<HookAnswer> {
  const began = performance.now();
  const budgetMs = options.budgetMs ?? HOOK_BUDGET_MS;
  try {
    const stdin = await readBounded(input, budgetMs);
    const call: Call = (...all) => open(projectOf(stdin, options.env ?? process.env))(...all);
    return await runHook(words, stdin, call, { ...options, budgetMs: budgetMs - (performance.now() - began) });
  } catch (thrown) {
    return { stdout: '', stderr: complaint(thrown, options), exitCode: 0 };
  }
}

/** The project that an event is about. Cursor runs the hooks of a user in a folder of its own, and names the project. */
export function projectOf(stdin: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  try {
    const { cwd, workspace_roots: roots } = payloadOf(stdin);
    const [root] = Array.isArray(roots) ? roots : [];
    return [root, cwd, env.CURSOR_PROJECT_DIR].find(
      (folder): folder is string => typeof folder === 'string' && folder !== '',
    );
  } catch {
    return undefined;
  }
}

async function answer(words: readonly string[], stdin: string, call: Call, options: HookOptions): Promise<string> {
  const client = clients.find((name) => name === words[0]);
  const event = hookEvents.find((name) => name === words[1]);
  if (client === undefined || event === undefined) throw new Error(`${words.join(' ')} is no client and event`);
  const payload = payloadOf(stdin);
  const env = options.env ?? process.env;
  const folder = stateFolder({ home: options.home ?? homedir(), env });
  const turns = new Turns(folder, client, sessionOf(payload));
  if (event === 'prompt') return onPrompt(client, payload, turns, call, projectOf(stdin, env));
  if (event === 'response') turns.remember({ ...turns.recall(), response: clipped(payload.text, LONGEST_RESPONSE) });
  else await onStop(payload, turns, call);
  return '';
}

async function onPrompt(
  client: Client,
  payload: Payload,
  turns: Turns,
  call: Call,
  project: string | undefined,
): Promise<string> {
  const prompt = clipped(payload.prompt, LONGEST_PROMPT);
  if (prompt === '') return '';
  turns.remember({ prompt });
  const result = (await call('get_relevant_context', { prompt, limit: 3, budget_tokens: BUDGET_TOKENS })) as
    | { context?: unknown }
    | undefined;
  const context = clipped(result?.context, LONGEST_CONTEXT);
  if (context === '') return '';
  if (client === 'vscode' && project !== undefined) await refreshShadows(project, context).catch(() => undefined);
  return `${JSON.stringify(addition(client, context))}\n`;
}

/** How each client takes text to add to a prompt. */
function addition(client: Client, context: string): unknown {
  if (client === 'cursor') return { continue: true, additional_context: context };
  const hookEventName = client === 'gemini' ? 'BeforeAgent' : 'UserPromptSubmit';
  return { hookSpecificOutput: { hookEventName, additionalContext: context } };
}

async function onStop(payload: Payload, turns: Turns, call: Call): Promise<void> {
  const known = turns.recall();
  const given = {
    prompt: clipped(payload.prompt, LONGEST_PROMPT) || known.prompt || '',
    response:
      clipped(payload.last_assistant_message ?? payload.prompt_response, LONGEST_RESPONSE) || known.response || '',
  };
  const whole = given.prompt !== '' && given.response !== '';
  const told = whole ? {} : lastTurn(payload.transcript_path);
  const prompt = given.prompt || clipped(told.prompt, LONGEST_PROMPT);
  const response = given.response || clipped(told.response, LONGEST_RESPONSE);
  turns.forget();
  if (prompt === '' || response === '') return;
  const success = payload.status === undefined || payload.status === 'completed';
  await call('record_interaction', { prompt, response, success });
}

function payloadOf(stdin: string): Payload {
  if (stdin.length > LARGEST_INPUT) throw new Error('the input is too large');
  const value: unknown = JSON.parse(stdin.replace(/^\uFEFF/, ''));
  if (typeof value !== 'object' || value === null) throw new Error('the input is no JSON object');
  return value as Payload;
}

function sessionOf({ session_id: snake, sessionId: camel, conversation_id: cursor }: Payload): string | undefined {
  return [snake, camel, cursor].find((id): id is string => typeof id === 'string' && id !== '');
}

/** The beginning of a text, cut between characters; what is no text is an empty one. */
function clipped(text: unknown, longest: number): string {
  if (typeof text !== 'string') return '';
  const cut = text.trim().slice(0, longest);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** Reads to the end or until the time is up; what is too large is read but not kept, so that the client can finish. */
async function readBounded(input: Readable, ms: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => input.destroy(new Error('no input came in time')), ms);
  try {
    for await (const part of input as AsyncIterable<Buffer | string>) {
      const bytes = Buffer.from(part as string);
      size += bytes.length;
      if (size <= LARGEST_INPUT) parts.push(bytes);
    }
  } finally {
    clearTimeout(timer);
  }
  if (size > LARGEST_INPUT) throw new Error('the input is too large');
  return Buffer.concat(parts).toString('utf8');
}

function complaint(thrown: unknown, options: HookOptions): string {
  if (!(options.env ?? process.env).CAIRN_DEBUG) return '';
  const { message, detail } = toCairnError(thrown);
  return `cairn hook: ${String(detail.message ?? message).split('\n', 1)[0]}\n`;
}
