/**
 * A drawing as an image. Threat: text of an entry that became markup in it. An image runs nothing and loads nothing; what could
 * do so is taken out all the same, before it is one.
 */

const dangerous =
  'script, foreignObject, iframe, object, embed, image, use, a, animate, set, animateTransform, animateMotion';

export interface Picture {
  readonly url: string;
  readonly width: number;
  readonly height: number;
}

export function pictureOf(svg: string): Picture {
  const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
  const root = parsed.documentElement;
  if (root.nodeName !== 'svg') throw new Error('What was drawn is not a picture');
  for (const element of root.querySelectorAll(dangerous)) element.replaceWith(...element.children);
  for (const element of [root, ...root.querySelectorAll('*')]) scrub(element);
  for (const style of root.querySelectorAll('style')) style.textContent = withoutAddresses(style.textContent ?? '');
  const [, , width = 300, height = 150] = (root.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number);
  root.setAttribute('width', String(width));
  root.setAttribute('height', String(height));
  root.removeAttribute('style');
  const text = new XMLSerializer().serializeToString(root);
  return { url: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`, width, height };
}

function scrub(element: Element): void {
  for (const { name, value } of [...element.attributes]) {
    const address = /href$/i.test(name) && !value.startsWith('#');
    if (/^on/i.test(name) || address) element.removeAttribute(name);
    else if (/url\s*\(/i.test(value)) element.setAttribute(name, withoutAddresses(value));
  }
}

/** References within the drawing (`url(#arrow)`) stay. */
function withoutAddresses(style: string): string {
  return style.replace(/@import[^;]*;?/gi, '').replace(/url\s*\(\s*(?!["']?#)[^)]*\)/gi, 'none');
}
