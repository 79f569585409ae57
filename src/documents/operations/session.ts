import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { nearest } from '../../operations/names.ts';
import { operation } from '../../operations/operation.ts';
import {
  currentOf,
  forgetCurrent,
  makeCurrent,
  neededSession,
  newHandle,
  ownerOf,
  seesAll,
  sessionNamed,
} from '../session/current.ts';
import { chosen, MOST_PINS, type Named, pinsFor } from '../session/pins.ts';
import { watchesOf } from '../session/watches.ts';
import { sessionWatch, watchShape } from './session-watch.ts';
import { collection, documentRead, given, hash, path, sessionId } from './shape.ts';

const actions = ['start', 'stop', 'pin', 'unpin', 'watch', 'list'] as const;

/** S4's third tool: it only finds the operation; the gate, the schema and the audit are those of the operation itself. */
export const session = operation({
  name: 'session',
  description:
    'Sessions scope your work on documents: start {label}, stop, pin / unpin {hash or name}, watch {paths} (stores files as they change), list. Give session_id in params where the connection keeps no state.',
  family: 'documents',
  toolsets: ['core', 'documents'],
  capability: 'read',
  writes: true,
  kind: 'composite',
  input: z.strictObject({
    action: z.enum(actions),
    params: z.record(z.string(), z.unknown()).optional().describe('As describe says for session_start etc.'),
  }),
  output: z.record(z.string(), z.unknown()),
  example: { input: { action: 'start', params: { label: 'feature-review' } } },
  changesNothing: ({ action }) => action === 'list',
  prepare(raw) {
    const { action } = (raw ?? {}) as { action?: unknown };
    if (typeof action !== 'string' || actions.some((each) => each === action)) return raw;
    const near = nearest(action, actions);
    throw new CairnError('unknown_operation', `Unknown action: ${action.slice(0, 100)}`, {
      action: action.slice(0, 100),
      nearest: near,
      suggestion: near.length > 0 ? `Did you mean ${near.join(', ')}?` : `The actions are ${actions.join(', ')}.`,
    });
  },
  async run({ action, params = {} }, context) {
    return (await context.call(`session_${action}`, params)) as Record<string, unknown>;
  },
});

/** A caller that may read may keep a session: it changes nothing that others see. */
const sessionWrite = { ...documentRead, writes: true } as const;

/** In the trail a session is known by the beginning of its handle: the whole of it is a key. */
function shortened(handle: string): string {
  return `session ${handle.slice(0, 12)}`;
}

const MOST_SESSIONS = 1000;

const sessionStart = operation({
  ...sessionWrite,
  name: 'session_start',
  shown: ['label'],
  description:
    'Begins a session. What the connection adds from now on belongs to it; a connection without state names it by its session_id.',
  input: z.strictObject({ label: z.string().max(200).default('') }),
  output: z.object({ session_id: z.string(), label: z.string(), created: z.string() }),
  example: { input: { label: 'feature-review' } },
  async run({ label }, context) {
    const owner = ownerOf(context.principal);
    const started = { id: newHandle(), label, ...owner, created: new Date().toISOString() };
    await context.write(async ({ sessions }, audit) => {
      if ((await sessions.prune(owner, MOST_SESSIONS - 1)) >= MOST_SESSIONS) throw tooManySessions();
      await sessions.start(started);
      audit.subject(shortened(started.id));
    });
    makeCurrent(context, started.id);
    return { session_id: started.id, label, created: started.created };
  },
});

function tooManySessions(): CairnError {
  return new CairnError('limit_exceeded', `${MOST_SESSIONS} of your sessions are running and have pins`, {
    suggestion: 'Stop those that are over: session {"action":"list"} shows them, {"action":"stop"} ends one.',
  });
}

const handle = { session_id: sessionId.optional() };

const sessionStop = operation({
  ...sessionWrite,
  name: 'session_stop',
  description: 'Ends a session and its watches. Its documents stay; its pins no longer hold contents back from gc.',
  idempotent: true,
  input: z.strictObject(handle),
  output: z.object({
    session_id: z.string(),
    label: z.string(),
    created: z.string(),
    stopped: z.string(),
    documents: z.number().describe('Added or changed in it.'),
    pins: z.number(),
    watches: z.number().describe('That were going on in this process.'),
  }),
  example: { given: [{ op: 'session_start', params: {} }], input: { session_id: '$prev.session_id' } },
  async run({ session_id }, context) {
    const found = await sessionNamed(context, session_id ?? (await neededSession(context)));
    const watches = await watchesOf(context.store).endOf(found.id, 'the session was stopped');
    const now = new Date().toISOString();
    const counts = await context.write(async ({ sessions }, audit) => {
      if (await sessions.stop(found.id, now)) audit.subject(shortened(found.id));
      else audit.skip();
      return sessions.counts(found.id);
    });
    forgetCurrent(context, found.id);
    const { id, label, created, stopped = now } = found;
    return { session_id: id, label, created, stopped, ...counts, watches };
  },
});

const pinInput = z.strictObject({
  ...handle,
  hash: hash.optional(),
  name: path.optional().describe('Path of a document, the unique end of one, or a pattern.'),
  names: z.array(path).max(1000).optional(),
  path: path.optional().describe('The same as name.'),
  collection: collection.optional(),
});

function namedIn({
  hash: content,
  name,
  names = [],
  path: place,
  collection: within,
}: z.infer<typeof pinInput>): Named {
  const all = [...[name, place].filter((each) => each !== undefined), ...names];
  if (content === undefined && all.length === 0)
    throw new CairnError('validation_failed', 'Say what is meant: hash, name, names or path');
  return { hashes: content === undefined ? [] : [content], names: all, collection: within };
}

const document = given[0];

const sessionPin = operation({
  ...sessionWrite,
  name: 'session_pin',
  description:
    'Pins documents to a session: they rank first in its searches, and gc keeps their content while it runs. By name a pin follows the document, by hash the content.',
  idempotent: true,
  input: pinInput,
  output: z.object({ session_id: z.string(), pinned: z.number(), pins: z.number().describe('Of the session now.') }),
  example: {
    given: [document, { op: 'session_start', params: {} }],
    input: { session_id: '$prev.session_id', name: 'notes/design.md' },
  },
  async run({ session_id, ...which }, context) {
    const named = namedIn(which);
    const id = await neededSession(context, session_id);
    return context.write(async ({ documents, sessions }, audit) => {
      const wanted = await pinsFor({ documents }, named, new Date().toISOString());
      for (const pin of wanted) await sessions.pin(id, pin);
      const { pins } = await sessions.counts(id);
      if (pins > MOST_PINS) throw new CairnError('limit_exceeded', `A session can have ${MOST_PINS} pins`);
      audit.subject(shortened(id), ...wanted.slice(0, 10).map((pin) => pin.place?.path ?? pin.hash));
      return { session_id: id, pinned: wanted.length, pins };
    });
  },
});

const sessionUnpin = operation({
  ...sessionWrite,
  name: 'session_unpin',
  description: 'Takes pins back, named as they were pinned.',
  idempotent: true,
  input: pinInput,
  output: z.object({ session_id: z.string(), unpinned: z.number(), pins: z.number().describe('Of the session now.') }),
  example: {
    given: [
      document,
      { op: 'session_start', params: {} },
      { op: 'session_pin', params: { session_id: '$prev.session_id', name: 'notes/design.md' } },
    ],
    input: { session_id: '$prev.session_id', name: 'notes/design.md' },
  },
  async run({ session_id, ...which }, context) {
    const named = namedIn(which);
    const id = await neededSession(context, session_id);
    return context.write(async ({ sessions }, audit) => {
      const unwanted = chosen(await sessions.pins(id), named);
      for (const pin of unwanted) await sessions.unpin(id, pin);
      if (unwanted.length === 0) audit.skip();
      audit.subject(shortened(id), ...unwanted.slice(0, 10).map((pin) => pin.place?.path ?? pin.hash));
      return { session_id: id, unpinned: unwanted.length, pins: (await sessions.counts(id)).pins };
    });
  },
});

const PINS_SHOWN = 50;

const sessionList = operation({
  ...documentRead,
  name: 'session_list',
  description: 'Your sessions, newest first, with their pins and what they watch in this process.',
  rest: 'Go on with offset, or ask with a smaller limit.',
  input: z.strictObject({ limit: z.int().min(1).max(200).default(20), offset: z.int().min(0).default(0) }),
  output: z.object({
    total: z.number(),
    sessions: z.array(
      z.object({
        session_id: z.string(),
        label: z.string(),
        owner: z.string(),
        created: z.string(),
        stopped: z.string().optional(),
        current: z.boolean().describe('The one that this connection works in.'),
        documents: z.number().describe('Added or changed in it.'),
        pin_count: z.number(),
        pins: z.array(z.object({ hash: z.string(), path: z.string().optional(), collection: z.string().optional() })),
        watches: z.array(watchShape),
      }),
    ),
  }),
  example: { given: [{ op: 'session_start', params: { label: 'feature-review' } }], input: {} },
  async run({ limit, offset }, context) {
    const owner = seesAll(context.principal) ? undefined : ownerOf(context.principal);
    const current = currentOf(context);
    return context.read(async ({ sessions }) => {
      const shown = (await sessions.list(owner, limit, offset)).map(
        async ({ id, principal, role: _role, ...facts }) => {
          const { documents, pins: pin_count } = await sessions.counts(id);
          const pins = (await sessions.pins(id)).slice(0, PINS_SHOWN);
          return {
            session_id: id,
            ...facts,
            owner: principal,
            current: id === current,
            documents,
            pin_count,
            pins: pins.map(({ hash: content, place }) => ({ hash: content, ...place })),
            watches: watchesOf(context.store)
              .of(id)
              .map((each) => each.report()),
          };
        },
      );
      return { total: await sessions.count(owner), sessions: await Promise.all(shown) };
    });
  },
});

export const sessionOperations = [
  session,
  sessionStart,
  sessionStop,
  sessionPin,
  sessionUnpin,
  sessionWatch,
  sessionList,
];
