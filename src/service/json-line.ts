/**
 * A value as one line of a log. Threat: JSON leaves some characters as they are that end a line for a reader, move the cursor of
 * a terminal or turn the text around. They are written as escapes, which any reader of JSON turns back.
 */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
