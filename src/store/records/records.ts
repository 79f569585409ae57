/** The records over one transaction, of either engine. */
import type { Rows } from '../rows.ts';
import type { Change } from '../store.ts';
import { anchorsIn } from './anchors.ts';
import { auditIn } from './audit.ts';
import { documentsIn } from './documents.ts';
import { eventsIn, type MatchEvents, type WordEvent } from './events.ts';
import { feedbackIn } from './feedback.ts';
import { keysIn } from './keys.ts';
import { sessionsIn } from './sessions.ts';
import { truthsIn } from './truths.ts';
import { usageIn } from './usage.ts';
import { webhooksIn } from './webhooks.ts';

export function recordsIn(rows: Rows, matchEvents: MatchEvents, wordEvent?: WordEvent): Omit<Change, 'files'> {
  return {
    audit: auditIn(rows),
    keys: keysIn(rows),
    feedback: feedbackIn(rows),
    usage: usageIn(rows),
    events: eventsIn(rows, matchEvents, wordEvent),
    truths: truthsIn(rows),
    documents: documentsIn(rows),
    anchors: anchorsIn(rows),
    sessions: sessionsIn(rows),
    webhooks: webhooksIn(rows),
  };
}
