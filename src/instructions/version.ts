/** Semantic versions as the seeds want them: three numbers and nothing else. */

const pattern = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/;

export function isVersion(text: string): boolean {
  return pattern.test(text);
}

export function compareVersions(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  for (let index = 0; index < 3; index++) {
    const difference = (left[index] ?? 0) - (right[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export type Bump = 'major' | 'minor' | 'patch' | 'none';

export function bumped(version: string, bump: Bump): string {
  const [major = 0, minor = 0, patch = 0] = parts(version);
  if (bump === 'major') return `${major + 1}.0.0`;
  if (bump === 'minor') return `${major}.${minor + 1}.0`;
  return bump === 'patch' ? `${major}.${minor}.${patch + 1}` : version;
}

function parts(version: string): number[] {
  return pattern.exec(version)?.slice(1).map(Number) ?? [];
}
