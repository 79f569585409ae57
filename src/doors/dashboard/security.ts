/**
 * What a browser is told about the page. Threat: a stored text that gets through as markup. So even then nothing can run, and
 * nothing can be loaded from or sent to another host.
 */

const common = {
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'x-content-type-options': 'nosniff',
} as const;

const page = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/**
 * Mermaid writes styles into what it draws. So it draws in a frame of its own, which may do that, and may load and send
 * nothing; the page shows the drawing as an image.
 */
const drawingFrame = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
];

export function securityHeaders(path: string): Readonly<Record<string, string>> {
  const frame = path === '/drawing.html';
  return {
    ...common,
    'content-security-policy': (frame ? drawingFrame : page).join('; '),
    'x-frame-options': frame ? 'SAMEORIGIN' : 'DENY',
  };
}
