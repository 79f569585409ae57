import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { type Context, operation } from '../../operations/operation.ts';
import { allowedPath } from '../../service/roots.ts';
import { placeIn } from '../place.ts';
import { neededSession } from '../session/current.ts';
import type { WatchHands, WatchPlan } from '../session/plan.ts';
import type { Watch } from '../session/watch.ts';
import { watchesOf } from '../session/watches.ts';
import { projectOf } from './add.ts';
import { collection, documentWrite, path, patterns, sessionId } from './shape.ts';

export const watchShape = z.object({
  path: z.string(),
  collection: z.string(),
  state: z.string().describe('starting, watching, gone, failing or ended.'),
  files: z.number(),
  pending: z.number().describe('Changes that are not stored yet.'),
  taken: z.number(),
  removed: z.number(),
  failed: z.number(),
  errors: z.array(z.object({ path: z.string(), error: z.string() })),
  reason: z.string().optional(),
});

/** How long an answer waits for what is there to be stored; the rest goes on without it. */
const FIRST_MS = 3000;

export const sessionWatch = operation({
  ...documentWrite,
  name: 'session_watch',
  shown: ['collection'],
  description:
    'Stores the files of folders now and as they change, and removes documents whose file is removed, until the session, the connection or the server ends. Without what .gitignore leaves out.',
  input: z.strictObject({
    session_id: sessionId.optional(),
    path: path.optional().describe('A folder or file within the allowed roots.'),
    paths: z.array(path).min(1).max(32).optional().describe('Several of them.'),
    collection: collection.default('default'),
    include_patterns: patterns.default([]),
    exclude_patterns: patterns.default([]),
  }),
  output: z.object({ session_id: z.string(), watches: z.array(watchShape), note: z.string().optional() }),
  example: {
    given: [{ op: 'session_start', params: {} }],
    input: { session_id: '$prev.session_id', paths: ['.'], include_patterns: ['/*.md'] },
  },
  async run({ session_id, path: one, paths = [], ...how }, context) {
    const named = [...(one === undefined ? [] : [one]), ...paths];
    if (named.length === 0) throw new CairnError('validation_failed', 'Say what to watch: path or paths');
    const session = await neededSession(context, session_id);
    const plans = await Promise.all(named.map((each) => planOf(context, session, each, how)));
    const started = startAll(context, plans);
    const settled = Promise.all(started.map((each) => each.settled));
    if (context.principal.door !== 'cli') {
      await Promise.race([settled, delay(FIRST_MS, undefined, { ref: false })]);
      return { session_id: session, watches: started.map((each) => each.report()) };
    }
    await settled;
    const watches = started.map((each) => each.report());
    for (const each of started) each.end('the command ended');
    const note = 'What is there was stored. A command ends here; a server (cairn serve) goes on watching.';
    return { session_id: session, watches, note };
  },
});

/** All or none of them. */
function startAll(context: Context, plans: readonly WatchPlan[]): Watch[] {
  const { store, connections, principal } = context;
  const started: Watch[] = [];
  try {
    for (const plan of plans) started.push(watchesOf(store).start(plan, handsOf(context, plan)));
  } catch (thrown) {
    for (const each of started) each.end('not all of what was asked for could be watched');
    throw thrown;
  }
  const { connection } = principal;
  if (connection === undefined) return started;
  for (const each of started) {
    const release = connections.onEnd(connection, () => each.end('the connection ended'));
    each.onEnd(release);
  }
  return started;
}

async function planOf(
  { config, principal }: Context,
  session: string,
  named: string,
  how: { collection: string; include_patterns: string[]; exclude_patterns: string[] },
): Promise<WatchPlan> {
  const real = await allowedPath(named, config, principal);
  const stats = await lstat(real);
  if (!stats.isDirectory() && !stats.isFile())
    throw new CairnError('validation_failed', `${named} is no file or folder`);
  const home = await realpath(config.home).catch(() => config.home);
  return {
    session,
    named,
    ...(stats.isDirectory() ? { root: real } : { root: dirname(real), only: basename(real) }),
    collection: how.collection,
    include: how.include_patterns,
    exclude: how.exclude_patterns,
    home,
  };
}

/** Through the same gate as any call of whoever asked for the watch. */
function handsOf(context: Context, { session, root, only, collection: name }: WatchPlan): WatchHands {
  const { config, principal, store, log } = context;
  const project = projectOf(context);
  const placeOf = (file: string) => placeIn(project, only === undefined ? root : file, file);
  return {
    async add(files) {
      const base = only === undefined ? { base: root } : {};
      const result = await context.later('add', { paths: files, ...base, collection: name, session });
      // It names what it cannot take by its path, or by its place.
      const { errors } = result as { errors: { path: string; error: string }[] };
      const told = new Map(errors.map((each) => [each.path, each.error]));
      return new Map(
        files.flatMap((file) => {
          const error = told.get(file) ?? told.get(placeOf(file));
          return error === undefined ? [] : [[file, error]];
        }),
      );
    },
    async remove(files) {
      // What somebody else put there in the meantime is not ours to remove.
      const names = await store.read(async ({ documents }) => {
        const own: string[] = [];
        for (const file of files) {
          const place = placeOf(file);
          if ((await documents.at(name, place))?.source?.path === file) own.push(place);
        }
        return own;
      });
      if (names.length === 0) return 0;
      const input = { names, exact: true, collection: name };
      return ((await context.later('delete', input)) as { deleted: number }).deleted;
    },
    resolve: (wanted) => allowedPath(wanted, config, principal),
    async isRunning() {
      const { found, key } = await store.read(async ({ sessions, keys }) => ({
        found: await sessions.get(session),
        key: principal.key === undefined ? undefined : (await keys.list()).find(({ id }) => id === principal.key),
      }));
      return found !== undefined && found.stopped === undefined && key?.revoked === undefined;
    },
    warn: (message, facts) => log.warn(message, facts),
  };
}
