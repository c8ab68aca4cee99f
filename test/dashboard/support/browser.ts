import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../../scripts/chromium.js';
import { createSqliteEngine } from '../../support/engines.ts';
import { type Service, startService } from '../../support/service.ts';

/** Given to `describe`: skips the suite, with the reason, where there is no browser. */
export const withBrowser = { skip: findChromium() === undefined && 'no Chromium on this machine: see the README' };

export interface VisitOptions extends BrowserContextOptions {
  /** Signs in with it, as a tab is that has been reloaded. */
  readonly key?: string;
}

export interface Visit {
  readonly page: Page;
  /** Every address that was asked for. */
  readonly asked: string[];
  /** What the browser complained about: faults of scripts, and what the policy of the page has refused. */
  readonly complaints: string[];
}

export interface Dashboard {
  readonly service: Service;
  /** A new window with a storage of its own, at an address of the dashboard. It is closed with the suite. */
  visit(path: string, options?: VisitOptions): Promise<Visit>;
}

/** A service and a browser for a whole suite. */
export function useDashboard(): Dashboard {
  const engine = createSqliteEngine();
  const dashboard = {} as { service: Service; browser: Browser };
  before(async () => {
    dashboard.service = await startService(engine);
    dashboard.browser = await launchChromium();
  });
  after(async () => {
    await dashboard.browser?.close();
    await dashboard.service?.close();
    await engine.remove();
  });
  return {
    get service() {
      return dashboard.service;
    },
    visit: (path, options) => visit(dashboard.browser, dashboard.service, path, options),
  };
}

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium() as string,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
}

async function visit(browser: Browser, service: Service, path: string, options: VisitOptions = {}): Promise<Visit> {
  const { key, ...contextOptions } = options;
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    // Nothing has to be waited for that only moves.
    reducedMotion: 'reduce',
    ...contextOptions,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A refusal of the API is told by the browser, too: the tests look for it where a person does.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  if (key !== undefined) await signIn(page, service, key);
  await page.goto(service.url + path);
  return { page, asked, complaints };
}

/** Puts the key where a tab has it after its sign-in: once, so that signing out is for good. */
async function signIn(page: Page, service: Service, key: string): Promise<void> {
  await page.goto(`${service.url}/llms.txt`);
  await page.evaluate((secret) => sessionStorage.setItem('voice-agents-key', secret), key);
}

/** No serious finding by axe. Its script is put into the page from outside, which the policy does not allow. */
export async function assertAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  assert.deepEqual(
    serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`),
    [],
  );
}
