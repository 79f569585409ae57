/**
 * AGENTS.md, CLAUDE.md, GEMINI.md, Cursor's rules and Copilot's instructions of a repository: one file for everything, so
 * it is taken apart at its headings, an entry each. Every line of it ends up in exactly one body.
 */

import { type FrontMatter, frontMatterOf } from '../../store/front-matter.ts';
import { repairedId } from '../entry.ts';
import type { Draft, ForeignFile, ForeignProblem, Reading } from './catalog.ts';
import { agentOf, slashed, stemOf } from './kind.ts';
import { bodyProblem, frontMatterProblems, inOurWords } from './markdown.ts';
import { factsOf } from './record.ts';
import { type Section, sectionsOf } from './sections.ts';

export function readAgentFile({ path, text }: ForeignFile): Reading {
  const { fields, body, problem } = partsOf(path, text);
  const malformed = frontMatterProblems(path, problem);
  const empty = body.trim() === '' ? bodyProblem(path, body) : undefined;
  if (empty !== undefined) return { drafts: [], problems: [...malformed, empty] };
  const { record, changes: renamed } = inOurWords(fields);
  const { facts, changes } = factsOf(record, body);
  const place = placeOf(path);
  const categories = [...new Set([agentOf(path), ...(facts.categories ?? [])])].sort();
  const shared = { ...facts, categories, appliesTo: facts.appliesTo ?? place.appliesTo };
  const read = sectionsOf(body).map((section, index): Draft | ForeignProblem => {
    const source = section.heading === undefined ? slashed(path) : `${slashed(path)}#${section.heading.slice(0, 200)}`;
    const refused = bodyProblem(path, section.body, source);
    if (refused !== undefined) return refused;
    const own = ownFacts(section, place.id, index === 0 ? facts.title : undefined);
    // What was changed in the file's own fields is told once, with its first entry.
    return {
      path,
      from: source,
      facts: { ...shared, ...own, source },
      changes: index === 0 ? [...renamed, ...changes] : [],
    };
  });
  const refused = read.filter((result) => 'code' in result);
  return { drafts: read.filter((result) => 'facts' in result), problems: [...malformed, ...refused] };
}

/** Only Cursor's `.mdc` rules have front matter; in the others a line of dashes is a line of dashes. */
function partsOf(path: string, text: string): FrontMatter {
  return /\.mdc$/i.test(path) ? frontMatterOf(text) : { fields: {}, body: text };
}

function ownFacts({ heading, body }: Section, place: string, title: string | undefined) {
  const id = repairedId(heading === undefined ? place : `${place}-${heading}`);
  return { id, body, title: title ?? heading?.slice(0, 200) ?? place };
}

/** A file in a folder of the repository speaks for that folder; its ids say so, because headings repeat between files. */
function placeOf(path: string): { id: string; appliesTo?: readonly string[] } {
  const parts = slashed(path).split('/');
  const stem = stemOf(parts.at(-1) ?? path);
  const folders = parts.slice(0, -1).filter((part) => part !== '' && part !== '.');
  const visible = folders.filter((part) => !part.startsWith('.') && part !== 'rules');
  const inside = visible.length > 0 && visible.length === folders.length && !path.startsWith('/');
  return { id: repairedId([...visible, stem].join('-')), ...(inside && { appliesTo: [`${visible.join('/')}/**`] }) };
}
