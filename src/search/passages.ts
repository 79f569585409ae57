/**
 * A text in passages that the model reads whole, each with the title before it. One vector for a long text tells what it is
 * about, not what it says; and a rule without its title is often about nothing in particular.
 */

/** Some 200 tokens; the model reads 256. Shorter ones were no better, and are more. */
const LONGEST = 900;
/** What lies further in than 57,000 characters is found by its words alone. */
const MOST = 64;

/** One at least, and in the order of the text. */
export function passagesOf(title: string, body: string): string[] {
  const passages: string[] = [];
  let open = '';
  for (const part of body.split('\n').flatMap(partsOf)) {
    if (open.length + part.length > LONGEST && open.trim() !== '') {
      passages.push(open);
      open = '';
    }
    if (passages.length === MOST) break;
    open += part;
  }
  if (passages.length < MOST && open.trim() !== '') passages.push(open);
  return passages.length === 0 ? [title] : passages.map((passage) => `${title}. ${passage.trim()}`);
}

/** A line; where it is too long its sentences, and where they are, pieces of them. */
function partsOf(line: string): string[] {
  if (line.length < LONGEST) return [`${line}\n`];
  return line.split(/(?<=[.!?;]\s)/).flatMap((sentence) => {
    const pieces: string[] = [];
    for (let at = 0; at < sentence.length; at += LONGEST) pieces.push(sentence.slice(at, at + LONGEST));
    return pieces;
  });
}
