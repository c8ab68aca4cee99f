import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../../scripts/chromium.js';
import { createSqliteEngine } from '../../support/engines.ts';
import { type Service, startService } from '../../support/service.ts';

/** Given to `describe`: skips the suite, with the reason, where there is no browser. */
export const withBrowser = { skip: findChromium() === undefined && 'no Chromium on this machine: see the README' };

/** Nothing has to be waited for that only moves. */
const ordinary: BrowserContextOptions = {
  viewport: { width: 1280, height: 800 },
  locale: 'en-GB',
  reducedMotion: 'reduce',
};

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
  /** A new tab at an address of the dashboard, closed after the test. */
  visit(path: string, options?: VisitOptions): Promise<Visit>;
}

/** A service and a browser for a whole suite. */
export function useDashboard(): Dashboard {
  const engine = createSqliteEngine();
  const dashboard = {} as { service: Service; browser: Browser; ordinary: BrowserContext };
  before(async () => {
    dashboard.service = await startService(engine);
    dashboard.browser = await launchChromium();
    // Tabs know nothing of each other's keys: those of all tests can share what is loaded once.
    dashboard.ordinary = await dashboard.browser.newContext(ordinary);
  });
  afterEach(() => Promise.all(dashboard.ordinary.pages().map((page) => page.close())));
  after(async () => {
    await dashboard.browser?.close();
    await dashboard.service?.close();
    await engine.remove();
  });
  return {
    get service() {
      return dashboard.service;
    },
    visit: async (path, { key, ...options } = {}) => {
      const isOrdinary = Object.keys(options).length === 0;
      const context = isOrdinary ? dashboard.ordinary : await dashboard.browser.newContext({ ...ordinary, ...options });
      return visit(await context.newPage(), dashboard.service.url + path, key);
    },
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

async function visit(page: Page, address: string, key: string | undefined): Promise<Visit> {
  page.setDefaultTimeout(15_000);
  const asked: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A refusal of the API is told by the browser, too: the tests look for it where a person does.
    const isOfInterest = message.type() === 'error' && !message.text().startsWith('Failed to load resource');
    if (isOfInterest) complaints.push(message.text());
  });
  if (key !== undefined) await page.addInitScript(storeKey, key);
  await page.goto(address);
  return { page, asked, complaints };
}

/** Puts the key where a tab has it after its sign-in: once, so that signing out is for good. */
function storeKey(key: string): void {
  if (window.name !== '') return;
  window.name = 'signed in';
  sessionStorage.setItem('voice-agents-key', key);
}

/** No serious finding by axe. Its script is put into the page from outside, which the policy does not allow. */
export async function assertAccessible(page: Page, rules?: string[]): Promise<void> {
  const builder = new AxeBuilder({ page });
  if (rules !== undefined) builder.withRules(rules);
  const { violations } = await builder.analyze();
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  assert.deepEqual(
    serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`),
    [],
  );
}
