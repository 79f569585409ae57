/** What of a home does not belong in the project's repository: all that is derived, private or large. */
const ignored = ['history.git/', '*.db', '*.db-shm', '*.db-wal', 'logs/', 'backups/', '*.tmp'];

export const HOME_IGNORE = [...ignored, ''].join('\n');

/** The lines that a `.gitignore` lacks, for one that somebody else wrote. */
export function missingFrom(text: string): string[] {
  const present = new Set(text.split(/\r?\n/).map((line) => line.trim()));
  return ignored.filter((line) => !present.has(line));
}
