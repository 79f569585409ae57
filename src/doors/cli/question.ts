/** A question that a person at a terminal answers with yes or no. */
import { createInterface } from 'node:readline/promises';

/** Enter alone is yes, for what is asked can be undone. What ends the input without an answer is no. */
export async function askYesNo(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('no')));
    for (;;) {
      const asked = lines.question(`${question} [Y/n] `).catch(() => 'no');
      const answer = (await Promise.race([asked, ended])).trim().toLowerCase();
      if (['', 'y', 'yes'].includes(answer)) return true;
      if (['n', 'no'].includes(answer)) return false;
    }
  } finally {
    lines.close();
  }
}
