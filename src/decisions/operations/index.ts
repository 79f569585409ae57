/** The operations of decision memory (S3's tools, and what they need beside them). */
import { exportMemoryBundle, importMemoryBundle } from './bundle.ts';
import { eventList, eventSearch, linkInteraction } from './events.ts';
import { forgetMemory } from './forget.ts';
import { syncGitHistory } from './git.ts';
import { getEnvironmentHealth } from './health.ts';
import { decisionHistory } from './history.ts';
import { memoryImport } from './move-in.ts';
import { acceptProposal, listProposals, reflectOperation, rejectProposal } from './proposals.ts';
import { recordDecision, supersedeDecision } from './record.ts';
import { decisionGet, searchDecisionsOperation } from './search.ts';
import { targetAlias, targetList, targetRename } from './targets.ts';
import { decisionChain, getMemoryStats, visualizeGraph } from './view.ts';

export const operations = [
  recordDecision,
  supersedeDecision,
  searchDecisionsOperation,
  decisionGet,
  decisionChain,
  decisionHistory,
  listProposals,
  acceptProposal,
  rejectProposal,
  reflectOperation,
  linkInteraction,
  eventList,
  eventSearch,
  syncGitHistory,
  forgetMemory,
  exportMemoryBundle,
  importMemoryBundle,
  memoryImport,
  targetList,
  targetAlias,
  targetRename,
  visualizeGraph,
  getMemoryStats,
  getEnvironmentHealth,
];
