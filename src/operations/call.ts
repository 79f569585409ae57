/**
 * The one path of every call from every door: name → gate → limits → parse → run (with cancellation and progress) →
 * audit → metrics and trace. Nothing reaches a domain by another way.
 */
import { CairnError, toCairnError } from '../errors.ts';
import type { App } from '../service/app.ts';
import { checkShape } from '../service/limit.ts';
import type { Principal } from '../service/principal.ts';
import { mask } from '../service/secret.ts';
import type { Progress } from '../service/workers.ts';
import type { AuditRecord, Change } from '../store/store.ts';
import { admit } from './gate.ts';
import type { Audit, Context } from './operation.ts';
import { refuseSecretNames } from './shown.ts';
import { type SurfaceEntry, surface } from './surface.ts';
import { definitionOf } from './table.ts';
import { sentence, violationsOf } from './violations.ts';

export interface Request {
  /** What a client asked for in one piece: the steps of a batch share it. */
  readonly batch?: object;
  readonly operation: string;
  readonly input: unknown;
  readonly principal: Principal;
  readonly signal?: AbortSignal;
  readonly progress?: (progress: Progress) => void;
}

export async function call(app: App, request: Request): Promise<unknown> {
  const entry = surface.resolve(request.operation);
  const started = performance.now();
  const ended = app.running.begin();
  const trail = new Trail(entry, request.principal);
  let failure: CairnError | undefined;
  try {
    return await perform(app, request, entry, trail);
  } catch (thrown) {
    failure = failureOf(thrown, request.signal);
    if (trail.committed) failure = afterwards(failure);
    await auditFailure(app, entry, trail, failure);
    if (trail.started && entry.envelope && isTold(failure)) return enveloped(failure);
    throw failure;
  } finally {
    ended();
    const milliseconds = performance.now() - started;
    // Who went away or thought better of it met no error.
    const failed = failure !== undefined && request.signal?.aborted !== true;
    app.metrics.record(entry.name, milliseconds, failed);
    report(app, request, entry, milliseconds, failure);
  }
}

/** What ends a cancelled call is the reason that its client gave, which may be anything. */
function failureOf(thrown: unknown, signal: AbortSignal | undefined): CairnError {
  const cancelled = signal?.aborted === true && thrown === signal.reason && !(thrown instanceof Error);
  return cancelled ? new CairnError('cancelled', 'The call was cancelled.') : toCairnError(thrown);
}

/** Failures that a result can tell; the others are the server's or the client's own, and no answer of the operation. */
function isTold({ kind }: CairnError): boolean {
  return kind !== 'internal_error' && kind !== 'cancelled';
}

/** The index, or whatever else follows a change, failed: whoever is told must not think that nothing was written. */
function afterwards(failure: CairnError): CairnError {
  const { kind, detail, message } = failure;
  if (kind !== 'store_unavailable' && kind !== 'internal_error') return failure;
  const what = kind === 'internal_error' ? String(detail.message) : message.replace('; nothing was written', '');
  const suggestion = 'Do not repeat it: mend what the message names, and the next call goes on from there.';
  const told = { ...detail, suggestion };
  return new CairnError(kind, `The change was made, but not what follows it: ${what}`, told, { cause: failure.cause });
}

/** S3: a call that was let in and refused answers in the same form as one that succeeded. */
export function enveloped({ kind, message, data }: CairnError): Record<string, unknown> {
  return { ...data, status: 'error', message, error: kind };
}

async function perform(app: App, request: Request, entry: SurfaceEntry, trail: Trail): Promise<unknown> {
  const definition = await admitted(app, request, entry);
  const input = parse(definition, request.input, entry);
  const patience = new Patience(app.config.callTimeoutMs);
  const signal = request.signal === undefined ? patience.signal : AbortSignal.any([request.signal, patience.signal]);
  signal.throwIfAborted();
  trail.started = true;
  const progress = (step: Progress) => {
    patience.renew();
    request.progress?.(step);
  };
  try {
    if (definition.shown !== undefined) await refuseSecretNames(definition.shown, input);
    return await definition.run(input, contextOf(app, { ...request, operation: entry.name, progress }, signal, trail));
  } finally {
    patience.end();
  }
}

/** A call is cancelled when it has taken too long; one that gets on, and says so, may take as long as it needs. */
class Patience {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(milliseconds: number) {
    const late = () => this.#controller.abort(new DOMException('The time is over', 'TimeoutError'));
    this.#timer = setTimeout(late, milliseconds).unref();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  renew(): void {
    this.#timer.refresh();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/** Past the gate. It is asked before the arguments are judged; all it may see of them is whether they change nothing. */
async function admitted(
  { config }: App,
  { input, principal }: Pick<Request, 'input' | 'principal'>,
  entry: SurfaceEntry,
) {
  const definition = entry.writes ? await definitionOf(entry.module, entry.name) : undefined;
  const given = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
  const harmless = definition?.changesNothing?.(given) ?? false;
  admit(harmless ? { ...entry, writes: false, mutation: false } : entry, principal, config);
  return definition ?? definitionOf(entry.module, entry.name);
}

const VIOLATIONS_SHOWN = 50;

type Parser = Pick<Awaited<ReturnType<typeof definitionOf>>, 'input' | 'prepare'>;

function parse({ input: schema, prepare }: Parser, input: unknown, entry: SurfaceEntry): unknown {
  checkShape(input ?? {});
  const given = prepare === undefined ? (input ?? {}) : prepare(input ?? {});
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const errors = violationsOf(parsed.error, given, entry.inputSchema);
  throw new CairnError('invalid_params', `Invalid params for ${entry.name}: ${sentence(errors)}`, {
    method: entry.name,
    // A hundred thousand unknown names deserve an answer, but not one of that size.
    errors: errors.slice(0, VIOLATIONS_SHOWN),
    suggestion: `See the schema and a working example: describe {"target":"${entry.name}"}.`,
  });
}

function contextOf(app: App, request: Request, signal: AbortSignal, trail: Trail): Context {
  const { principal } = request;
  return {
    principal,
    config: app.config,
    surface,
    store: app.store,
    metrics: app.metrics,
    workers: app.workers,
    embedder: app.embedder,
    connections: app.connections,
    log: app.log,
    signal,
    progress: request.progress ?? (() => {}),
    read: (work) => app.store.read(work),
    async write(work) {
      const result = await app.store.write((change) => trail.audited(change, work));
      trail.committed = true;
      return result;
    },
    trace(category, facts) {
      app.trace.emit(category, request.operation, facts);
      if (app.config.catalogDiagnostics) app.log.info(category, facts);
    },
    batch: request.batch ?? request,
    call: (operation, input) => call(app, { ...request, batch: request.batch ?? request, operation, input, signal }),
    async check(operation, input) {
      const entry = surface.resolve(operation);
      parse(await admitted(app, { input, principal }, entry), input, entry);
    },
    later: (operation, input) => call(app, { operation, input, principal, signal: app.closing }),
  };
}

/** Gathers what the audit entry of one call says. */
class Trail implements Audit {
  readonly #entry: SurfaceEntry;
  readonly #principal: Principal;
  /** The call was let in and its arguments fit: from here on a failure is worth a line. */
  started = false;
  /** Something was written that stays. */
  committed = false;
  #ids: string[] = [];
  #before: string | undefined;
  #after: string | undefined;
  #note: string | undefined;
  #skipped = false;

  constructor(entry: SurfaceEntry, principal: Principal) {
    this.#entry = entry;
    this.#principal = principal;
  }

  subject(...ids: string[]): void {
    this.#ids.push(...ids);
  }

  hashes(before: string | undefined, after: string | undefined): void {
    this.#before = before;
    this.#after = after;
  }

  note(text: string): void {
    this.#note = text;
  }

  skip(): void {
    this.#skipped = true;
  }

  async audited<T>(change: Change, work: (change: Change, audit: Audit) => Promise<T>): Promise<T> {
    this.#ids = [];
    this.#skipped = false;
    const result = await work(change, this);
    if (!this.#skipped) await change.audit.append(this.record('ok'));
    return result;
  }

  record(outcome: string): AuditRecord {
    return {
      time: new Date().toISOString(),
      operation: this.#entry.name,
      principal: mask(this.#principal.name),
      role: this.#principal.role,
      door: this.#principal.door,
      outcome,
      ids: this.#ids.map(mask),
      ...(this.#before !== undefined && { before: this.#before }),
      ...(this.#after !== undefined && { after: this.#after }),
      ...(this.#note !== undefined && { note: mask(this.#note) }),
    };
  }
}

/** A write that failed, or that somebody was not allowed to make, is part of the trail; but it does not create a home. */
async function auditFailure(app: App, entry: SurfaceEntry, trail: Trail, failure: CairnError): Promise<void> {
  const notable = (entry.writes && trail.started) || failure.kind === 'permission_denied';
  if (!notable || entry.kind === 'composite' || app.config.readOnly) return;
  try {
    if ((await app.store.generation()) === 0) return;
    await app.store.write((change) => change.audit.append(trail.record(failure.kind)));
  } catch (thrown) {
    app.log.error('A failed call could not be audited', { operation: entry.name, error: toCairnError(thrown).message });
  }
}

function report(
  app: App,
  { principal }: Request,
  entry: SurfaceEntry,
  milliseconds: number,
  failure?: CairnError,
): void {
  const facts = {
    operation: entry.name,
    principal: principal.name,
    role: principal.role,
    door: principal.door,
    ms: Math.round(milliseconds * 1000) / 1000,
    ...(failure && { error: failure.kind, reason: failure.message, ...detailOf(failure) }),
  };
  if (app.trace.on) app.trace.emit(entry.family, entry.name, facts);
  if (failure?.kind === 'internal_error') app.log.error('A call failed unexpectedly', facts);
  else if (entry.writes && app.config.logMutation) app.log.info('write', facts);
  else app.log.debug('call', facts);
}

function detailOf(failure: CairnError): Record<string, unknown> {
  if (failure.kind !== 'internal_error') return {};
  const { cause } = failure;
  return { detail: failure.detail.message, stack: cause instanceof Error ? cause.stack : undefined };
}
