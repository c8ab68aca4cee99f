import { after, afterEach, before } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { findChromium } from '../../../scripts/chromium.js';
import { realClock } from '../../../src/voice/clock.ts';
import { createSqliteEngine, type Engine } from '../../support/engines.ts';
import { type Service, startService } from '../../support/service.ts';
import { launchChromium, launchHeadlessShell } from './chromium.ts';

/** An option of `describe`: skips the suite, with the reason, if there is no browser. */
export const withBrowser = { skip: findChromium() === undefined && 'no Chromium on this machine: see CONTRIBUTING.md' };

/** Disables animations, so that tests need not wait for them. */
const ordinaryViewport = { width: 1280, height: 800 };
const ordinary: BrowserContextOptions = {
  viewport: ordinaryViewport,
  locale: 'en-GB',
  reducedMotion: 'reduce',
};

export interface VisitOptions extends BrowserContextOptions {
  /** Signs in with this key, like a reloaded tab. */
  readonly key?: string;
}

export interface Visit {
  readonly page: Page;
  /** Every requested URL. */
  readonly asked: string[];
  /** Browser errors: of scripts, and violations of the page's policy. */
  readonly complaints: string[];
}

export interface Dashboard {
  readonly service: Service;
  /** A tab with a page of the dashboard, without any state of earlier tests. */
  visit(path: string, options?: VisitOptions): Promise<Visit>;
}

interface Started {
  readonly service: Service;
  readonly browser: Browser;
  readonly tabs: Tabs;
}

type RemovableEngine = Engine & { remove(): Promise<void> };
type ServiceOptions = NonNullable<Parameters<typeof startService>[1]>;

/** Started for the first suite of a process, and shared by all. */
let starting: Promise<Started> | undefined;
let launching: Promise<Browser> | undefined;

const ends: (() => Promise<void>)[] = [];
// Outside of all suites, and therefore after the last one.
after(async () => {
  for (const end of ends) await end();
});

function launch(hasMicrophone: boolean): Promise<Browser> {
  const launched = hasMicrophone ? launchChromium() : launchHeadlessShell();
  ends.push(async () => (await launched).close());
  return launched;
}

async function start(
  options: ServiceOptions,
  hasMicrophone: boolean,
  createEngine: () => RemovableEngine = createSqliteEngine,
): Promise<Started> {
  const engine = createEngine();
  launching ??= launch(hasMicrophone);
  // A page records and plays in real time.
  const calls = { clock: realClock, ...options.calls };
  const [service, browser] = await Promise.all([startService(engine, { ...options, calls }), launching]);
  ends.push(
    () => service.close(),
    () => engine.remove(),
  );
  return { service, browser, tabs: newTabs(await browser.newContext(ordinary), service.url) };
}

/**
 * A service and a browser. The suites of a process share them, with separate workspaces. A suite that needs other
 * `options` has a service of its own. `hasMicrophone` must be the same for all of them.
 */
export function useDashboard(
  options?: () => Promise<ServiceOptions>,
  {
    hasMicrophone = false,
    createEngine,
  }: { readonly hasMicrophone?: boolean; readonly createEngine?: () => RemovableEngine } = {},
): Dashboard {
  let started: Started;
  before(async () => {
    if (options === undefined) {
      starting ??= start({}, hasMicrophone);
      started = await starting;
    } else {
      started = await start(await options(), hasMicrophone, createEngine);
    }
  });
  afterEach(async (context) => {
    if ('error' in context && context.error !== null) context.diagnostic(await started.tabs.describe());
    await started.tabs.tidy();
  });
  return {
    get service() {
      return started.service;
    },
    visit: async (path, { key, viewport, colorScheme, ...options } = {}) => {
      const { service, browser, tabs } = started;
      const isOrdinary = Object.keys(options).length === 0;
      const context = isOrdinary ? null : await browser.newContext({ ...ordinary, ...options });
      const page = context === null ? await tabs.next() : await newTab(context, service.url);
      await page.setViewportSize(viewport ?? ordinaryViewport);
      await page.emulateMedia({ colorScheme: colorScheme ?? 'light' });
      return visit(page, service.url + path, key);
    },
  };
}

interface Tabs {
  next(): Promise<Page>;
  /** The address and the text of each tab, for the report of a failed test. */
  describe(): Promise<string>;
  /** For the next test. */
  tidy(): Promise<void>;
}

/**
 * Tabs that are reused from test to test, because the dashboard loads twice as fast in a tab that has shown it before.
 * The state of earlier tests is cleared.
 */
function newTabs(context: BrowserContext, url: string): Tabs {
  const all: Page[] = [];
  let used = 0;
  return {
    next: async () => {
      const tab = all[used] ?? (await newTab(context, url));
      all[used] = tab;
      used += 1;
      return tab;
    },
    describe: async () => {
      const texts = all.slice(0, used).map(async (tab) => `${tab.url()}\n${await tab.locator('body').innerText()}`);
      return (await Promise.all(texts)).join('\n\n');
    },
    tidy: async () => {
      const strange = context.pages().filter((page) => !all.includes(page));
      await Promise.all(strange.map((page) => page.close()));
      await context.clearPermissions();
      for (const tab of all.slice(0, used)) {
        for (const event of ['request', 'pageerror', 'console', 'dialog'] as const) tab.removeAllListeners(event);
        await tab.unrouteAll({ behavior: 'ignoreErrors' });
        // Leaves the page of the last test, without the warning about unsaved changes.
        await tab.goto(blankOf(url));
      }
      used = 0;
    },
  };
}

const probe = '/intercepted';

/**
 * Like `page.route`, for a page that is open already: returns when the page's requests are intercepted. `route` alone
 * returns before that on a busy machine, and the next request reaches the service.
 */
export async function intercept(page: Page, ...[url, handler]: Parameters<Page['route']>): Promise<void> {
  await page.route(`**${probe}`, (route) => route.fulfill({ status: 204 }));
  await page.route(url, handler);
  const isIntercepted = async (path: string) => (await fetch(path)).status === 204;
  while (!(await page.evaluate(isIntercepted, probe)));
}

/** A small page of the same origin, with the same storage; and of the same opener policy, so in the same process. */
function blankOf(url: string): string {
  return `${url}/docs/favicon.svg`;
}

async function newTab(context: BrowserContext, url: string): Promise<Page> {
  const tab = await context.newPage();
  tab.setDefaultTimeout(15_000);
  await tab.goto(blankOf(url));
  return tab;
}

async function visit(page: Page, address: string, key: string | undefined): Promise<Visit> {
  const asked: string[] = [];
  const complaints: string[] = [];
  await page.evaluate(storeKey, key);
  page.on('request', (request) => asked.push(request.url()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // The browser also reports error responses of the API: tests check those on the page.
    const isOfInterest = message.type() === 'error' && !message.text().startsWith('Failed to load resource');
    if (isOfInterest) complaints.push(message.text());
  });
  await page.goto(address);
  return { page, asked, complaints };
}

/** Stores the key as after signing in, and clears everything else. */
function storeKey(key: string | undefined): void {
  localStorage.clear();
  sessionStorage.clear();
  if (key !== undefined) sessionStorage.setItem('voice-agents-key', key);
}
