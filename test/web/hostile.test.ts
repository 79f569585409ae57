/** Stored text is hostile: a home full of payloads in every field, on every page. Nothing runs, and no request leaves. */
import { describe, expect, it } from 'vitest';
import type { HttpServer } from '../support/cairn.ts';
import { executablePath, visit } from './browser.ts';
import { rest, servePage } from './sample.ts';

const away = 'http://attacker.invalid';
const payload = [
  `<img src=x onerror="window.hit=1;fetch('${away}/a')">`,
  `<script>window.hit=2</script>`,
  `<svg onload="window.hit=3"><a xlink:href="javascript:window.hit=4">x</a></svg>`,
  `"><iframe srcdoc="<script>parent.hit=5</script>"></iframe>`,
  `' onmouseover='window.hit=6' style='background:url(${away}/b)'`,
].join(' ');
const markdown = [
  `# ${payload}`,
  `[click](javascript:window.hit=7) [d](data:text/html,<script>hit=8</script>) [v](  JaVaScRiPt:hit=9)`,
  `[tab](java\tscript:hit=10) <javascript:hit=11> ![pixel](${away}/pixel.png)`,
  `<style>@import url(${away}/c.css)</style><link rel=stylesheet href=${away}/d.css>`,
  `| ${payload} | b |\n|---|---|\n| ${payload} | [x](javascript:hit=12) |`,
  `\`\`\`html"><script>hit=13</script>\n${payload}\n\`\`\``,
  `> ${payload}\n\n- ${payload}\n\n\`${payload}\``,
  `%%{init: {"themeCSS": "@import url(${away}/e.css)"}}%% click A href "javascript:hit=14"`,
].join('\n\n');
const label = '"]; click a call hit(15) %%{init:{}}%% <img src=x onerror=hit=16> `x`';

async function fillWithPayloads({ url }: HttpServer): Promise<void> {
  const entry = {
    id: 'hostile',
    title: payload.slice(0, 190),
    body: markdown,
    rationale: markdown,
    description: payload,
    owner: label,
    tags: [payload, label],
    examples: [markdown],
    source: payload,
    appliesTo: [label],
    dependencies: [label],
    semanticSummary: payload.slice(0, 390),
    categories: ['security'],
    priority: 10,
  };
  await rest(url, 'instructions_add', { entry, lax: true });
  await rest(url, 'instructions_add', {
    entry: { ...entry, body: `${markdown}\nchanged ${payload}` },
    overwrite: true,
    lax: true,
  });
  await rest(url, 'record_decision', {
    title: payload.slice(0, 190),
    target: 'hostile',
    rationale: markdown,
    consequences: [payload, label],
  });
  await rest(url, 'record_decision', { title: label, target: 'second', rationale: markdown });
  for (const session of ['a', 'b', 'c', 'd']) {
    await rest(url, 'record_interaction', {
      prompt: `${payload} again`,
      response: payload,
      success: false,
      target: 'third',
      session,
    });
  }
  await rest(url, 'reflect');
  const name = 'docs/<img src=x onerror=hit=17>.md';
  await rest(url, 'add', {
    name,
    content: markdown,
    tags: [payload.slice(0, 60)],
    metadata: { [`k ${label}`.slice(0, 40)]: payload },
  });
  await rest(url, 'add', { name: 'page.html', content: `<html><body>${payload}</body></html>` });
  await rest(url, 'snapshot', { label: payload.slice(0, 150) });
  await rest(url, 'feedback_submit', {
    type: 'other',
    severity: 'low',
    title: payload.slice(0, 190),
    description: markdown,
  });
  await rest(url, 'session_start', { label: payload.slice(0, 190) });
}

describe.skipIf(executablePath === undefined)('hostile text', () => {
  it('runs nowhere and loads nothing, on any page', async () => {
    const server = await servePage();
    await fillWithPayloads(server);
    const { page, strayed, complaints } = await visit(server.signInLink);
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    const { snapshots } = await rest<{ snapshots: { id: string }[] }>(server.url, 'list_snapshots');
    const { decisions } = { decisions: await decisionIds(server.url) };
    const file = (path: string) => `documents/file/default/${encodeURIComponent(path)}`;
    const places = [
      '',
      'instructions',
      'instructions?q=onerror',
      'instructions/hostile',
      'instructions/hostile?tab=history',
      'instructions/hostile?tab=edit',
      'reviews',
      'decisions',
      'decisions?q=onerror',
      'decisions/hostile',
      ...decisions.map((id) => `decision/${encodeURIComponent(id)}`),
      'proposals',
      'documents',
      'documents/in/default',
      `documents/compare/${snapshots[0]?.id}`,
      file('docs/<img src=x onerror=hit=17>.md'),
      file('page.html'),
      'documents/grep?how=grep&q=onerror',
      'search?q=onerror script img',
      `search?q=${encodeURIComponent(payload)}`,
      'activity',
      'events',
      'sessions',
      'feedback',
      'metrics',
      'graph',
      'graph?view=decisions',
      'graph?view=explore',
      `tools/${encodeURIComponent(payload)}`,
      `nowhere/${encodeURIComponent(payload)}`,
    ];
    for (const place of places) {
      await page.goto(`${server.url}/#/${place}`);
      await page.locator('main :is(h1, [role=alert])').first().waitFor();
      await page.waitForTimeout(250);
      expect([place, await page.evaluate('window.hit')]).toEqual([place, undefined]);
      expect([place, await page.evaluate(scan)]).toEqual([place, []]);
    }
    await page.goto(`${server.url}/#/graph`);
    await page.locator('.drawing img, main .failure').first().waitFor();
    expect([strayed, complaints]).toEqual([[], []]);
  }, 180_000);
});

async function decisionIds(url: string): Promise<string[]> {
  const { results } = await rest<{ results: { id: string }[] }>(url, 'search_decisions', {
    query: 'onerror',
    mode: 'audit',
    limit: 10,
  });
  return results.map(({ id }) => id.replace(/^decisions\//, ''));
}

/** Elements and attributes that our own code never makes in the content. */
const scan = `[...document.querySelectorAll('main script, main iframe, main svg script, main object, main embed, main link, main style, main img:not(.drawing img)')]
  .map((element) => element.outerHTML.slice(0, 100))
  .concat([...document.querySelectorAll('main *')].flatMap((element) =>
    [...element.attributes].filter(({ name, value }) => name.startsWith('on') || /^\\s*(?:javascript|data:text)/i.test(value) && name === 'href').map(({ name }) => element.tagName + ' ' + name)))`;
