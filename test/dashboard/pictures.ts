/**
 * `npm run pictures -- <folder>`: every page of the dashboard, light and dark, wide and narrow, in English and Japanese,
 * to be looked at. The two of the README are made anew with `docs/images`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { createSqliteEngine } from '../support/engines.ts';
import { startService } from '../support/service.ts';
import { launchChromium } from './support/browser.ts';
import { openShop, type Shop } from './support/shop.ts';

interface Picture {
  readonly name: string;
  readonly path: (shop: Shop) => string;
  readonly isSignedOut?: boolean;
  readonly prepare?: (page: Page, shop: Shop) => Promise<unknown>;
}

const pictures: readonly Picture[] = [
  { name: 'sign-in', path: () => '/sign-in', isSignedOut: true },
  { name: 'overview', path: () => '/overview' },
  { name: 'agents', path: () => '/agents' },
  { name: 'new-agent', path: () => '/agents/new' },
  { name: 'agent', path: ({ agentId }) => `/agents/${agentId}` },
  {
    name: 'agent-whole',
    path: ({ agentId }) => `/agents/${agentId}`,
    prepare: (page) => page.setViewportSize({ width: page.viewportSize()?.width ?? 0, height: 6000 }),
  },
  { name: 'versions', path: ({ agentId }) => `/agents/${agentId}/versions` },
  { name: 'code', path: ({ agentId }) => `/agents/${agentId}/code` },
  { name: 'keys', path: () => '/keys' },
  { name: 'audit', path: () => '/audit' },
];

const wide = { width: 1280, height: 800 };
const narrow = { width: 390, height: 844 };

const folder = process.argv[2];
if (folder === undefined) throw new Error('Usage: npm run pictures -- <folder>');
mkdirSync(folder, { recursive: true });
const only = process.argv[3];

// The service is in this process, and has its time from here.
const { now } = Date;
let behindMs = 0;
Date.now = () => now() - behindMs;
const engine = createSqliteEngine();
const service = await startService(engine);
const browser = await launchChromium();
try {
  const shop = await openShop(service, (ms) => {
    behindMs = Math.round(ms);
  });
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, viewport] of Object.entries({ wide, narrow })) {
      for (const locale of ['en-GB', 'ja-JP']) {
        for (const picture of pictures) {
          const name = [picture.name, colorScheme, size, locale.slice(0, 2)].join('-');
          if (only !== undefined && !new RegExp(only).test(name)) continue;
          await take(browser, picture, shop, { colorScheme, viewport, locale }, join(folder, `${name}.png`));
        }
      }
    }
  }
} finally {
  await browser.close();
  await service.close();
  await engine.remove();
}

async function take(
  of: Browser,
  { path, isSignedOut = false, prepare }: Picture,
  shop: Shop,
  options: { colorScheme: 'light' | 'dark'; viewport: typeof wide; locale: string },
  file: string,
): Promise<void> {
  const context = await of.newContext({ ...options, reducedMotion: 'reduce', deviceScaleFactor: 1 });
  try {
    const page = await context.newPage();
    if (!isSignedOut) await page.addInitScript((key) => sessionStorage.setItem('voice-agents-key', key), shop.key);
    await page.goto(service.url + path(shop), { waitUntil: 'networkidle' });
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await prepare?.(page, shop);
    await page.screenshot({ path: file });
  } finally {
    await context.close();
  }
}
