/**
 * Splits a byte stream into lines. A line longer than the limit is dropped, reported once, and reading goes on behind it:
 * one oversized frame must not end the connection.
 */

export interface Lines {
  push(chunk: Buffer): void;
}

const NEWLINE = 0x0a;

export function splitLines(limit: number, onLine: (line: string) => void, onOversize: () => void): Lines {
  let parts: Buffer[] = [];
  let gathered = 0;
  let dropping = false;

  function take(piece: Buffer): void {
    if (dropping) return;
    gathered += piece.length;
    if (gathered <= limit) {
      parts.push(piece);
      return;
    }
    dropping = true;
    parts = [];
    onOversize();
  }

  function finish(): void {
    const line = dropping ? '' : Buffer.concat(parts).toString('utf8').trim();
    parts = [];
    gathered = 0;
    dropping = false;
    if (line !== '') onLine(line);
  }

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        take(chunk.subarray(start, end));
        finish();
        start = end + 1;
      }
      if (start < chunk.length) take(chunk.subarray(start));
    },
  };
}
