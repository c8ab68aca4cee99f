import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createAgent } from '../support/client.ts';
import type { Service } from '../support/service.ts';
import { useDashboard, withBrowser } from './support/browser.ts';

const count = 10_000;
const frames = 120;

describe('the table of ten thousand agents', withBrowser, () => {
  const dashboard = useDashboard();

  it('loads page after page and scrolls without a pause', async (test) => {
    const { key } = await dashboard.service.newKey();
    const { id } = await createAgent(dashboard.service, key, { name: '予約受付 00000' });
    await multiply(dashboard.service, id);
    const { page, complaints } = await dashboard.visit('/agents', { key });
    await page.getByText(/agents loaded/).waitFor();
    await watchPauses(page);
    await scrollToEnd(page);
    await page.getByText('10,000 agents', { exact: true }).waitFor();
    const loading = await pauses(page);
    const rows = await page.getByRole('row').count();
    assert.ok(rows < 80, `${rows} rows are in the page`);
    await watchPauses(page);
    const workMs = await workDuring(page, () => scrollThrough(page));
    const scrolling = await pauses(page);
    const perFrameMs = Math.round((workMs / frames) * 10) / 10;
    test.diagnostic(
      `tasks above 50 ms while loading: ${JSON.stringify(loading)}, while scrolling: ${JSON.stringify(scrolling)}`,
    );
    test.diagnostic(`${perFrameMs} ms of work a frame, where each shows other rows than the one before`);
    assert.ok(perFrameMs < 60, `${perFrameMs} ms of work a frame`);
    assert.deepEqual(complaints, []);
  });
});

/** Copies of one agent, put into the database as they are: to create them one by one takes longer than the test. */
async function multiply({ database }: Service, id: string): Promise<void> {
  await database.run(
    `WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < $2)
     INSERT INTO agents (workspace_id, id, folded_name, version, is_published, doc_version, doc)
     SELECT workspace_id, substr(id, 1, length(id) - 5) || substr('00000' || number, -5), folded_name, version,
       is_published, doc_version,
       replace(replace(doc, id, substr(id, 1, length(id) - 5) || substr('00000' || number, -5)), '予約受付 00000', '予約受付 ' || number)
     FROM agents, numbers WHERE id = $1`,
    [id, count - 1],
  );
}

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
    const scroller = document.querySelectorAll<HTMLElement>('[role=rowgroup]')[1] as HTMLElement;
    const footer = document.querySelector('[class*=footer]') as HTMLElement;
    while (footer.textContent !== '10,000 agents') {
      scroller.scrollTop = scroller.scrollHeight;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
}

/** How long the page's own thread was at work, whatever else the machine did meanwhile. */
async function workDuring(page: Page, work: () => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const taskMs = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
  };
  const before = await taskMs();
  await work();
  return (await taskMs()) - before;
}

/** From the first row to the last, a step a frame: faster than anybody scrolls. */
function scrollThrough(page: Page): Promise<void> {
  return page.evaluate(async (steps) => {
    const scroller = document.querySelectorAll<HTMLElement>('[role=rowgroup]')[1] as HTMLElement;
    for (let step = 0; step < steps; step += 1) {
      scroller.scrollTop = (scroller.scrollHeight * step) / steps;
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }, frames);
}
