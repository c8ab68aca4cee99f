import type { RequestListener } from 'node:http';
import { after, before } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launchChromium } from '../../dashboard/support/chromium.ts';
import { bundle } from './bundle.ts';
import { LiveDouble, type LiveDoubleOptions } from './live-double.ts';

/** The permission to use the microphone. */
export const allowMicrophone = ['--use-fake-ui-for-media-stream'];

export interface PageOptions extends LiveDoubleOptions {
  /** The content of the page. */
  readonly body?: string;
  readonly policy?: string;
  /** Before the click that starts the call. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  readonly context?: BrowserContextOptions;
  /** What the page's own server responds with instead of the token. */
  readonly tokenStatus?: () => number;
}

export interface OpenedPage {
  readonly page: Page;
  readonly double: LiveDouble;
  /** Errors of scripts, and violations of the policy. */
  readonly complaints: string[];
  /** Bodies of requests for a token. */
  readonly asked: unknown[];
}

/** Pages in Chromium with the browser client, each with a double of the service. */
export function usePages(...args: string[]) {
  let browser: Browser;
  const files = new Map<string, string>();
  before(async () => {
    const [client, worklet] = await Promise.all([bundle('both'), bundle('worklet')]);
    files.set('/client.js', client).set('/worklet.js', worklet);
    browser = await launchChromium(...(args.length === 0 ? allowMicrophone : args));
  });
  after(() => browser?.close());

  return async ({
    body = '',
    policy,
    context,
    prepare,
    tokenStatus,
    ...options
  }: PageOptions = {}): Promise<OpenedPage> => {
    const asked: unknown[] = [];
    const serve: RequestListener = async (request, response) => {
      const [path = ''] = (request.url ?? '').split('?');
      if (request.method === 'POST' && path === '/call') {
        const parts: Buffer[] = [];
        for await (const part of request) parts.push(part as Buffer);
        asked.push(JSON.parse(Buffer.concat(parts).toString()));
        const status = tokenStatus?.() ?? 200;
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(status === 200 ? JSON.stringify(double.access) : '{}');
        return;
      }
      const file = files.get(path);
      const type = file === undefined ? 'text/html' : 'text/javascript';
      const headers: Record<string, string> = { 'content-type': `${type}; charset=utf-8` };
      if (policy !== undefined) headers['content-security-policy'] = policy;
      response.writeHead(200, headers).end(file ?? html(body));
    };
    const double = await LiveDouble.start({ ...options, onRequest: serve });
    const page = await (await browser.newContext({ locale: 'en-GB', ...context })).newPage();
    page.setDefaultTimeout(15_000);
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    await prepare?.(page);
    await page.goto(double.url);
    return { page, double, complaints, asked };
  };
}

function html(body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Shop</title><body>${body}<script type="module" src="/client.js"></script></body></html>`;
}

/** What the tests keep in the page. */
declare global {
  interface Window {
    call: import('../../../sdk/src/web/index.ts').WebCall;
    /** Each with its time, in milliseconds. */
    events: [name: string, value: unknown, at?: number][];
    failure: { code: string; message: string } | undefined;
  }
}

export interface PageJoin {
  readonly mode?: 'voice' | 'chat';
  readonly microphone?: boolean;
  readonly recognition?: 'service' | 'browser';
  readonly workletUrl?: string;
}

/** Joins as a page would, in a click. The events are in `window.events`. */
export async function join(
  { page, double }: { readonly page: Page; readonly double: Pick<LiveDouble, 'access'> },
  options: PageJoin = {},
): Promise<void> {
  await page.evaluate(
    async ([access, options]) => {
      const { joinCall } = await (import('/client.js' as string) as Promise<
        typeof import('../../../sdk/src/web/index.ts')
      >);
      window.events = [];
      const names = [
        'transcript',
        'state',
        'speech',
        'tool',
        'event',
        'level',
        'reconnecting',
        'reconnected',
        'error',
        'ended',
      ];
      const on = Object.fromEntries(
        names.map((name) => [name, (value: unknown) => window.events.push([name, plain(value), performance.now()])]),
      );
      const plain = (value: unknown) =>
        value instanceof Error ? { code: (value as Error & { code?: string }).code, message: value.message } : value;
      const start = async () => {
        try {
          window.call = await joinCall({ ...access, ...options, on });
        } catch (error) {
          window.failure = plain(error) as { code: string; message: string };
        }
      };
      const button = document.createElement('button');
      button.id = 'start';
      button.textContent = 'Start';
      button.onclick = start;
      document.body.append(button);
    },
    [double.access, options] as const,
  );
  await page.click('#start');
}

export function eventsOf(page: Page, name: string): Promise<never[]> {
  return page.evaluate(
    (wanted) => window.events.flatMap(([each, value]) => (each === wanted ? [value] : [])) as never[],
    name,
  );
}

/** The same with the time of each, on the clock of the page. */
export function timedEvents(page: Page, name: string): Promise<[number, never][]> {
  return page.evaluate(
    (wanted) =>
      window.events.flatMap(([each, value, at]) => (each === wanted ? [[at, value]] : [])) as [number, never][],
    name,
  );
}

export async function waitForEvent(page: Page, name: string): Promise<never> {
  await page.waitForFunction((wanted) => window.events?.some(([each]) => each === wanted), name);
  return (await eventsOf(page, name))[0] as never;
}

export async function failureOf(page: Page): Promise<string> {
  await page.waitForFunction(() => window.failure !== undefined);
  return page.evaluate(() => window.failure?.code ?? '');
}
