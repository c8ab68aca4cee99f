import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createAgent } from '../support/client.ts';
import { useDashboard, withBrowser } from './support/browser.ts';

const count = 10_000;

describe('the table of ten thousand agents', withBrowser, () => {
  const dashboard = useDashboard();

  it('loads page after page and scrolls without a pause', async (test) => {
    const { key } = await dashboard.service.newKey();
    const make = (index: number) => createAgent(dashboard.service, key, { name: `予約受付 ${index}` });
    for (let index = 0; index < count; index += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, place) => make(index + place)));
    }
    const { page, complaints } = await dashboard.visit('/agents', { key });
    await page.getByText(/agents loaded/).waitFor();
    await watchPauses(page);
    await scrollToEnd(page);
    await page.getByText('10,000 agents', { exact: true }).waitFor();
    const loading = await pauses(page);
    const rows = await page.getByRole('row').count();
    assert.ok(rows < 80, `${rows} rows are in the page`);
    await watchPauses(page);
    await scrollThrough(page);
    const scrolling = await pauses(page);
    test.diagnostic(`while loading: ${JSON.stringify(loading)}; while scrolling all: ${JSON.stringify(scrolling)}`);
    assert.ok(scrolling.longestMs < 200, `the longest pause was ${scrolling.longestMs} ms`);
    await page.keyboard.press('Home');
    assert.deepEqual(complaints, []);
  });
});

/** What the browser could not do anything else in: tasks of more than 50 ms. */
async function watchPauses(page: Page): Promise<void> {
  await page.evaluate(() => {
    const state = window as unknown as { pauses: number[]; observer?: PerformanceObserver };
    state.observer?.disconnect();
    state.pauses = [];
    state.observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) state.pauses.push(entry.duration);
    });
    state.observer.observe({ type: 'longtask' });
  });
}

function pauses(page: Page): Promise<{ count: number; longestMs: number }> {
  return page.evaluate(() => {
    const { pauses: lengths } = window as unknown as { pauses: number[] };
    return { count: lengths.length, longestMs: Math.round(Math.max(0, ...lengths)) };
  });
}

/** To the end of what is there, again and again, until nothing more comes. */
function scrollToEnd(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const scroller = document.querySelector('[role=rowgroup]:last-of-type') as HTMLElement;
    while (!document.body.innerText.includes('10,000 agents\n') && !/10,000 agents$/m.test(document.body.innerText)) {
      scroller.scrollTop = scroller.scrollHeight;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
}

/** From the first row to the last in two seconds, a step a frame. */
function scrollThrough(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const scroller = document.querySelector('[role=rowgroup]:last-of-type') as HTMLElement;
    for (let step = 0; step <= 120; step += 1) {
      scroller.scrollTop = (scroller.scrollHeight * step) / 120;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  });
}
