/**
 * Draws mermaid, in a frame that may write styles and may neither load nor send anything. The page sends a text and gets
 * an image.
 */
import mermaid from 'mermaid';
import { pictureOf } from './scrub.ts';

interface Wanted {
  readonly id: number;
  readonly source: string;
  readonly dark: boolean;
}

let theme: boolean | undefined;

function initialize(dark: boolean): void {
  if (theme === dark) return;
  theme = dark;
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    theme: dark ? 'dark' : 'neutral',
    htmlLabels: false,
    flowchart: { htmlLabels: false, useMaxWidth: false },
    maxTextSize: 500_000,
    maxEdges: 3000,
    fontFamily: 'system-ui, sans-serif',
  });
}

async function draw({ id, source, dark }: Wanted): Promise<object> {
  try {
    initialize(dark);
    const { svg } = await mermaid.render(`drawing-${id}`, source);
    return { id, picture: pictureOf(svg) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

window.addEventListener('message', async (event: MessageEvent<Wanted>) => {
  if (event.origin !== location.origin || event.source !== window.parent) return;
  window.parent.postMessage(await draw(event.data), location.origin);
});
window.parent.postMessage({ ready: true }, location.origin);
