import { resolve } from 'node:path';
import * as z from 'zod';
import { operation } from '../../operations/operation.ts';
import { allowedPath } from '../../service/roots.ts';
import { reportText, storagePolicy, surveyProject } from '../bootstrap.ts';
import { memoryRead, success } from './shape.ts';

export const bootstrapProject = operation({
  ...memoryRead,
  name: 'bootstrap_project_context',
  description:
    'A first look at a project: its tree, how decisions are to be recorded, and its key files. The entry point for an agent that is new to a project.',
  positional: ['path'],
  rest: 'Read single files yourself, or ask for a folder below.',
  input: z.strictObject({
    path: z.string().min(1).max(4096).default('.').describe('Folder of the project, within the allowed roots.'),
  }),
  output: success({
    path: z.string(),
    report: z.string(),
    directory_structure: z.string(),
    memory_storage_policy: z.string(),
    key_files: z.array(z.object({ path: z.string(), content: z.string(), truncated: z.boolean().optional() })),
    omitted: z.array(z.object({ path: z.string(), reason: z.string() })),
    entries: z.number(),
    truncated: z.string().optional(),
  }),
  example: { input: { path: '.' } },
  async run({ path }, context) {
    const root = await allowedPath(path, context.config, context.principal);
    const survey = await surveyProject(root, { signal: context.signal, progress: context.progress });
    return {
      status: 'success' as const,
      path: resolve(root),
      report: reportText(survey),
      directory_structure: survey.tree,
      memory_storage_policy: storagePolicy,
      key_files: survey.keyFiles,
      omitted: survey.omitted,
      entries: survey.entries,
      ...(survey.truncated !== undefined && { truncated: survey.truncated }),
    };
  },
});
