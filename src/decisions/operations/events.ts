import * as z from 'zod';
import { CairnError } from '../../errors.ts';
import { type Context, operation } from '../../operations/operation.ts';
import { allowedPath } from '../../service/roots.ts';
import { mask } from '../../service/secret.ts';
import { type Commit, type CommitPage, commitsOf } from '../../store/git-log.ts';
import { type Change, type EventDraft, eventKinds } from '../../store/store.ts';
import { readFrom } from '../ledger.ts';
import { plainId, publicId } from '../record.ts';
import { missing } from '../rules.ts';
import { decisionId, given, memoryRead, memoryWrite, namespace, success } from './shape.ts';

const MAX_TEXT = 20_000;

export const recordInteraction = operation({
  ...memoryWrite,
  name: 'record_interaction',
  description:
    'Keeps a prompt and its response as an event, as evidence for later reflection. Secrets are masked. The same pair in the same session is kept once.',
  toolsets: ['core', 'memory'],
  capability: 'propose',
  idempotent: true,
  input: z.strictObject({
    prompt: z.string().min(1).max(200_000).describe('What was asked.'),
    response: z.string().max(200_000).describe('What was answered.'),
    success: z.boolean().default(true).describe('Whether it went well, as you saw it.'),
    target: z.string().max(200).regex(/\S/).optional().describe('What it was about, if you know.'),
    session: z.string().max(200).optional().describe('Name of the conversation.'),
    namespace,
  }),
  output: success({ event_id: z.number(), new: z.boolean(), namespace: z.string() }),
  example: { input: { prompt: 'Which cache do we use?', response: 'Redis, see decisions.', success: true } },
  async run({ prompt, response, success: held, target, session, namespace: partition }, context) {
    const now = new Date().toISOString();
    const event: EventDraft = {
      namespace: partition,
      session: session ?? sessionOf(context, now),
      kind: held ? 'interaction' : 'error',
      source: context.principal.name,
      subject: cut(mask(prompt)),
      detail: cut(mask(response)),
      targets: target === undefined ? [] : [target.trim()],
      files: [],
      success: held,
      created: now,
    };
    const { id, added } = await context.write(async (change, audit) => {
      const stored = await change.events.add(event);
      if (stored.added) audit.subject(`event ${stored.id}`);
      else audit.skip();
      return stored;
    });
    return { status: 'success' as const, event_id: id, new: added, namespace: partition };
  },
});

/** Without a name, what one caller does on one day belongs together. */
function sessionOf({ principal }: Context, now: string): string {
  return `${principal.door} ${principal.name} ${now.slice(0, 10)}`;
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}… [${text.length - MAX_TEXT} more characters]`;
}

export const linkInteraction = operation({
  ...memoryWrite,
  name: 'link_interaction_to_decision',
  description: 'Makes an event evidence for a decision. An event may be evidence for several.',
  capability: 'supersede',
  idempotent: true,
  positional: ['event_id', 'decision_id'],
  input: z.strictObject({ event_id: z.int().min(1), decision_id: decisionId }),
  output: success({ message: z.string(), namespace: z.string() }),
  example: {
    given: [{ op: 'record_interaction', params: { prompt: 'Which cache?', response: 'Redis.' } }, ...given],
    input: { event_id: 1, decision_id: '$prev.decision_id' },
  },
  async run({ event_id, decision_id }, context) {
    const partition = await context.write(async (change, audit) => {
      const { decision, event } = await bothEnds(change, event_id, decision_id);
      if (event.namespace !== decision.namespace) {
        throw new CairnError(
          'validation_failed',
          `Event ${event_id} belongs to namespace '${event.namespace}', ${publicId(decision.id)} to '${decision.namespace}'`,
        );
      }
      const linked = await change.events.link(event_id, decision.id, new Date().toISOString());
      if (linked) audit.subject(publicId(decision.id), `event ${event_id}`);
      else audit.skip();
      return decision.namespace;
    });
    const message = `Linked event ${event_id} to ${publicId(plainId(decision_id))}`;
    return { status: 'success' as const, message, namespace: partition };
  },
});

async function bothEnds({ files, events }: Change, eventId: number, given: string) {
  const decision = await readFrom(files, plainId(given));
  if (decision === undefined) throw missing(given);
  const event = await events.get(eventId);
  if (event === undefined) throw new CairnError('not_found', `No event has the id ${eventId}`);
  return { decision, event };
}

export const eventList = operation({
  ...memoryRead,
  name: 'event_list',
  description: 'Events of the memory, newest first: interactions, commits, errors and decisions.',
  rest: 'Ask with a smaller limit, or go on with offset.',
  input: z.strictObject({
    kind: z.enum(eventKinds).optional(),
    limit: z.int().min(1).max(200).default(20),
    offset: z.int().min(0).max(1_000_000).default(0),
    namespace,
  }),
  output: success({
    events: z.array(
      z.object({
        event_id: z.number(),
        kind: z.string(),
        source: z.string(),
        subject: z.string(),
        success: z.boolean(),
        created: z.string(),
        linked_to: z.array(z.string()),
      }),
    ),
    total: z.number(),
    namespace: z.string(),
  }),
  example: { input: { kind: 'commit', limit: 5 } },
  async run({ kind, limit, offset, namespace: partition }, context) {
    const filter = { namespace: partition, ...(kind && { kind }) };
    return context.read(async ({ events }) => {
      const found = await events.list(filter, limit, offset);
      const shown = [];
      for (const { id, kind: type, source, subject, success: held, created } of found) {
        const links = await events.links({ event: id });
        const linked_to = links.map(({ decision }) => publicId(decision));
        shown.push({
          event_id: id,
          kind: type,
          source,
          subject: subject.slice(0, 300),
          success: held,
          created,
          linked_to,
        });
      }
      return { status: 'success' as const, events: shown, total: await events.count(filter), namespace: partition };
    });
  },
});

export const syncGitHistory = operation({
  ...memoryWrite,
  name: 'sync_git_history',
  description:
    'Takes commits of a git repository into memory as events. It goes on where the last call for that repository stopped.',
  capability: 'sync',
  idempotent: true,
  input: z.strictObject({
    repo_path: z.string().min(1).max(4096).default('.').describe('Folder of the repository, within the allowed roots.'),
    limit: z.int().min(1).max(1000).default(20).describe('How many commits at most in this call.'),
    namespace,
  }),
  output: success({
    indexed_commits: z.number(),
    repository: z.string(),
    head: z.string().optional(),
    more: z.boolean().describe('More commits are waiting: call again.'),
    rewritten: z.boolean().optional().describe('The history was rewritten since the last call.'),
    namespace: z.string(),
  }),
  example: { input: { repo_path: '.', limit: 20 } },
  async run({ repo_path, limit, namespace: partition }, context) {
    const path = await allowedPath(repo_path, context.config, context.principal);
    const { id, repository } = await commitsOf(path, { limit: 1 });
    // A folder within the roots may belong to a repository that reaches beyond them.
    await allowedPath(repository, context.config, context.principal);
    const mark = await context.read((view) => view.events.gitMark(partition, id));
    const log = await commitsOf(path, { limit, ...(mark !== undefined && { after: mark }) });
    const indexed = log.commits.length === 0 ? 0 : await takeIn(context, partition, log);
    return {
      status: 'success' as const,
      indexed_commits: indexed,
      repository: log.repository,
      ...(log.head !== undefined && { head: log.head }),
      more: log.more,
      ...(log.rewritten && { rewritten: true }),
      namespace: partition,
    };
  },
});

async function takeIn(context: Context, partition: string, { id, commits, next }: CommitPage): Promise<number> {
  return context.write(async (change, audit) => {
    let indexed = 0;
    for (const commit of commits) {
      const { added } = await change.events.add(eventOf(commit, partition, id));
      if (added) indexed++;
    }
    if (next !== undefined) await change.events.setGitMark(partition, id, next);
    audit.subject(...commits.slice(-10).map(({ sha }) => `commit ${sha}`));
    audit.note(`${indexed} commits`);
    return indexed;
  });
}

function eventOf(
  { sha, time, author, subject, body, files }: Commit,
  partition: string,
  repository: string,
): EventDraft {
  return {
    namespace: partition,
    session: `git ${repository}`,
    kind: 'commit',
    source: `git ${mask(author)}`,
    subject: cut(mask(subject)),
    detail: cut(`${sha}\n${mask(body)}`.trim()),
    targets: [],
    files,
    success: true,
    created: time,
  };
}
