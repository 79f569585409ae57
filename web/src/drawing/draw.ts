/** Has a mermaid text drawn by the frame (frame.ts), which is opened with the first one. */
import type { Picture } from './scrub.ts';

interface Told {
  readonly ready?: boolean;
  readonly id?: number;
  readonly picture?: Picture;
  readonly error?: string;
}

interface Waiting {
  resolve(picture: Picture): void;
  reject(error: Error): void;
}

const waiting = new Map<number, Waiting>();
let frame: Promise<Window> | undefined;
let lastId = 0;
const PATIENCE_MS = 60_000;

export async function draw(source: string, dark: boolean): Promise<Picture> {
  frame ??= openFrame();
  const target = await frame;
  const id = ++lastId;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('Drawing takes too long: ask for fewer edges')), PATIENCE_MS);
    const end =
      <T>(then: (value: T) => void) =>
      (value: T) => {
        clearTimeout(timer);
        waiting.delete(id);
        then(value);
      };
    waiting.set(id, { resolve: end(resolve), reject: end(reject) });
    target.postMessage({ id, source, dark }, location.origin);
  });
}

function openFrame(): Promise<Window> {
  return new Promise((resolve) => {
    const element = document.createElement('iframe');
    element.className = 'drawing-frame';
    element.title = 'Draws diagrams';
    element.setAttribute('aria-hidden', 'true');
    element.tabIndex = -1;
    window.addEventListener('message', ({ origin, source, data }: MessageEvent<Told>) => {
      if (origin !== location.origin || source !== element.contentWindow) return;
      if (data.ready === true && element.contentWindow !== null) resolve(element.contentWindow);
      const one = waiting.get(data.id ?? 0);
      if (data.picture !== undefined && isImage(data.picture)) one?.resolve(data.picture);
      else if (data.error !== undefined) one?.reject(new Error(data.error));
    });
    element.src = '/drawing.html';
    document.body.append(element);
  });
}

/** Only what is shown as an image, and so runs nothing, comes out of the frame. */
function isImage({ url }: Picture): boolean {
  return url.startsWith('data:image/svg+xml;');
}
