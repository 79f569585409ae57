/** Fills a home with feedback through the store port: one transaction, where as many calls would fsync as many times. */
import { fingerprint, submitted } from '../src/feedback/record.ts';
import { openEmbedded } from '../src/store/embedded/engine.ts';

export interface Report {
  readonly type: string;
  readonly severity: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
}

export function reportNumber(number: number): Report {
  return {
    type: 'bug-report',
    severity: number % 2 === 0 ? 'low' : 'high',
    title: `Report ${number}: the list is slow`,
    description: `Listing takes two seconds in workspace ${number}. `.repeat(6).trim(),
    tags: ['bench', `area-${number % 20}`],
  };
}

const EPOCH = Date.UTC(2026, 0, 1);

/** With the audit entries that the calls would have left, since they make a store as large as its records do. */
export async function seedFeedback(home: string, entries: number): Promise<string> {
  const store = openEmbedded({ home });
  try {
    return await store.write(async (change) => {
      let middle = '';
      for (let number = 0; number < entries; number++) {
        const time = new Date(EPOCH + number * 60_000).toISOString();
        const record = submitted(reportNumber(number), 'bench', time);
        await change.feedback.put(record);
        await change.audit.append({
          time,
          operation: 'feedback_submit',
          principal: 'bench',
          role: 'editor',
          door: 'mcp',
          outcome: 'ok',
          ids: [record.id],
          after: fingerprint(record),
        });
        if (number === Math.floor(entries / 2)) middle = record.id;
      }
      return middle;
    });
  } finally {
    await store.close();
  }
}
