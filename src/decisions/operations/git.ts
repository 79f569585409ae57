import { setImmediate as nextTurn } from 'node:timers/promises';
import * as z from 'zod';
import { type Context, operation } from '../../operations/operation.ts';
import { allowedPath } from '../../service/roots.ts';
import { mask } from '../../service/secret.ts';
import { type Commit, type CommitPage, commitsOf } from '../../store/git-log.ts';
import type { EventDraft, TargetCount } from '../../store/store.ts';
import { targetKey } from '../target.ts';
import { cut, memoryWrite, namespace, success } from './shape.ts';

export const syncGitHistory = operation({
  ...memoryWrite,
  name: 'sync_git_history',
  shown: ['namespace'],
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
  const events = await eventsOf(commits, partition, id, await context.store.decisions.targets(partition));
  return context.write(async (change, audit) => {
    let indexed = 0;
    for (const event of events) {
      const { added } = await change.events.add(event);
      if (added) indexed++;
    }
    if (next !== undefined) await change.events.setGitMark(partition, id, next);
    audit.subject(...commits.slice(-10).map(({ sha }) => `commit ${sha}`));
    audit.note(`${indexed} commits`);
    return indexed;
  });
}

/** Before the lock is taken, and with a break after each: a commit may touch hundreds of files. */
async function eventsOf(
  commits: readonly Commit[],
  partition: string,
  repository: string,
  known: readonly TargetCount[],
) {
  const names = new Map(known.map(({ targetKey: key, target }) => [key, target]));
  const cache = new Map<string, readonly string[]>();
  const events: EventDraft[] = [];
  for (const commit of commits) {
    events.push(eventOf(commit, partition, repository, names.size === 0 ? [] : touched(commit.files, names, cache)));
    await nextTurn();
  }
  return events;
}

/** The targets that are named after what a commit changed: a folder, a file, or a part of their path. */
function touched(
  files: readonly string[],
  known: ReadonlyMap<string, string>,
  cache: Map<string, readonly string[]>,
): string[] {
  const found = new Set<string>();
  for (const file of files) {
    const at = file.lastIndexOf('/');
    const [folder, name] = [file.slice(0, Math.max(at, 0)), file.slice(at + 1)];
    const keys = cache.get(folder) ?? runsOf(folder);
    cache.set(folder, keys);
    for (const key of [...keys, ...[file, name, name.replace(/\.[^.]+$/, '')].map(targetKey)]) {
      const target = known.get(key);
      if (target !== undefined) found.add(target);
    }
    if (found.size >= MOST_TARGETS) break;
  }
  return [...found].slice(0, MOST_TARGETS);
}

const MOST_TARGETS = 20;
const DEEPEST = 12;

/** `src/store/embedded` is in `src`, `src/store`, `store` and so on: every run of its folders. */
function runsOf(folder: string): string[] {
  const folders = folder.split('/').slice(0, DEEPEST);
  const runs = folders.flatMap((_, from) =>
    folders.slice(from).map((__, count) => folders.slice(from, from + count + 1)),
  );
  return runs.map((run) => targetKey(run.join('/')));
}

function eventOf(
  { sha, time, author, subject, body, files }: Commit,
  partition: string,
  repository: string,
  targets: readonly string[],
): EventDraft {
  return {
    namespace: partition,
    session: `git ${repository}`,
    kind: 'commit',
    source: `git ${mask(author)}`,
    subject: cut(mask(subject)),
    detail: cut(`${sha}\n${mask(body)}`.trim()),
    targets,
    files: files.map(mask),
    success: true,
    created: time,
  };
}
