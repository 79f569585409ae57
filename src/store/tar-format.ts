/** What writing and reading a tar have in common. */
import { CairnError } from '../errors.ts';

export const BLOCK = 512;
const NAME_BYTES = 4096;

/** Of all bytes, those of the checksum itself taken as blanks. */
export function checksumOf(block: Buffer): number {
  let sum = 8 * 0x20;
  for (let at = 0; at < BLOCK; at++) if (at < 148 || at >= 156) sum += block[at] ?? 0;
  return sum;
}

export function paddingOf(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

export interface Place {
  readonly entry: number;
  readonly name?: string;
}

/** What is wrong with a name, for writers and readers alike. */
export function faultOf(name: string): string | undefined {
  const parts = name.split('/');
  if (name === '') return 'has no name';
  if (/\p{Cc}/u.test(name)) return 'has a control character in its name';
  if (name.includes('\\')) return 'has a backslash in its name';
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) return 'has an absolute name';
  if (parts.includes('..')) return 'has a name that leads out of its folder';
  if (parts.includes('') || parts.includes('.')) return 'has a name with an empty part';
  const bytes = Buffer.from(name);
  if (bytes.length > NAME_BYTES) return `has a name of more than ${NAME_BYTES} bytes`;
  return bytes.toString() === name ? undefined : 'has a name that is not Unicode';
}

export function refusal(
  fault: string,
  { entry, name }: Partial<Place>,
  suggestion = 'Make the bundle again, or fetch it again from where it was made.',
): CairnError {
  const short = name !== undefined && name.length > 200 ? `${name.slice(0, 199)}…` : name;
  const named = short === undefined ? '' : ` (${JSON.stringify(short)})`;
  const subject = entry === undefined ? 'The bundle' : `Entry ${entry}${named} of the bundle`;
  const detail = { ...(entry !== undefined && { entry }), ...(short !== undefined && { entryName: short }) };
  return new CairnError('validation_failed', `${subject} ${fault}`, { ...detail, suggestion });
}
