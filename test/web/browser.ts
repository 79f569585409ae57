/**
 * A real Chromium and a page in it. Where none is installed these tests are skipped, and say so: CAIRN_TEST_CHROMIUM names one
 * that is not on the path.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, expect, onTestFinished } from 'vitest';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

export const executablePath = findBrowser();

function findBrowser(): string | undefined {
  const named = process.env.CAIRN_TEST_CHROMIUM;
  const found = [named ?? '', ...names].find(
    (name) => name !== '' && spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0,
  );
  if (found === undefined) {
    process.stderr.write('No Chromium was found: the tests of the dashboard do not run. Set CAIRN_TEST_CHROMIUM.\n');
    return undefined;
  }
  return found.includes('/') ? found : spawnSync('which', [found], { encoding: 'utf8' }).stdout.trim();
}

let browser: Promise<Browser> | undefined;

function openBrowser(): Promise<Browser> {
  browser ??= chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--use-angle=swiftshader',
      '--enable-unsafe-swiftshader',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
  return browser;
}

afterAll(async () => {
  const opened = await browser;
  browser = undefined;
  await opened?.close();
});

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Requests that went to another host. */
  readonly strayed: readonly string[];
  /** What the page complained about: errors that nobody caught, refusals of the content security policy. */
  readonly complaints: readonly string[];
}

export interface VisitOptions {
  readonly width?: number;
  readonly theme?: 'light' | 'dark';
}

/** A window on the server; it vanishes with the test. */
export async function visit(url: string, { width = 1280, theme = 'light' }: VisitOptions = {}): Promise<Visit> {
  const context = await (await openBrowser()).newContext({
    viewport: { width, height: 900 },
    colorScheme: theme,
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const strayed: string[] = [];
  const complaints: string[] = [];
  const { origin } = new URL(url);
  context.on('request', (request) => {
    const asked = request.url();
    if (!asked.startsWith(`${origin}/`) && !asked.startsWith('data:')) strayed.push(asked);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/i.test(message.text())) complaints.push(message.text());
  });
  await page.goto(url);
  return { page, context, strayed, complaints };
}

const shots = join(import.meta.dirname, '../../node_modules/.cache/screenshots');

export async function shot(page: Page, name: string): Promise<void> {
  mkdirSync(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
}

/** How far the page can be scrolled sideways, which should be nowhere. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** What the page shows sooner or later; on a busy machine that takes its time. */
export function eventually<T>(ask: () => T | Promise<T>) {
  return expect.poll(ask, { timeout: 20_000 });
}
