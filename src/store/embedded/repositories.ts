/** The repositories over one connection. */
import type { View } from '../store.ts';
import { anchorsIn } from './anchors.ts';
import { auditIn } from './audit.ts';
import type { Queries } from './database.ts';
import { documentsIn } from './documents.ts';
import { eventsIn } from './events.ts';
import { feedbackIn } from './feedback.ts';
import { type ShelfFolders, shelfIn } from './files.ts';
import { keysIn } from './keys.ts';
import { sessionsIn } from './sessions.ts';
import { truthsIn } from './truths.ts';
import { usageIn } from './usage.ts';
import { webhooksIn } from './webhooks.ts';

export function recordsIn(database: Queries) {
  return {
    audit: auditIn(database),
    keys: keysIn(database),
    feedback: feedbackIn(database),
    usage: usageIn(database),
    events: eventsIn(database),
    truths: truthsIn(database),
    documents: documentsIn(database),
    anchors: anchorsIn(database),
    sessions: sessionsIn(database),
    webhooks: webhooksIn(database),
  };
}

export function viewOf(database: Queries, folders: ShelfFolders): View {
  return { ...recordsIn(database), files: shelfIn(folders) };
}
