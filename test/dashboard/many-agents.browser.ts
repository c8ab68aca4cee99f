import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { createAgent } from '../support/client.ts';
import type { Service } from '../support/service.ts';
import { useDashboard, withBrowser } from './support/browser.ts';

const count = 10_000;
const rowHeight = 48;

describe('the table of ten thousand agents', withBrowser, () => {
  const dashboard = useDashboard();
  const visitMany = async () => {
    const { key } = await dashboard.service.newKey();
    const { id } = await createAgent(dashboard.service, key, { name: '予約受付 00000' });
    await multiply(dashboard.service, id);
    const visit = await dashboard.visit('/agents', { key });
    await visit.page.getByText(/agents loaded/).waitFor();
    return visit;
  };

  // CPU times depend on what else the machine does, so they are only printed. Alone on a core, a step takes 7 to 18 ms.
  it('loads page after page, and renders only what enters the screen', async (test) => {
    const { page, complaints } = await visitMany();
    const watch = async (title: string, steps: number, work: () => Promise<void>) => {
      const { tasks, added, changed } = await workDuring(page, work);
      const cpuMs = tasks.reduce((sum, ms) => sum + ms, 0) / steps;
      test.diagnostic(
        `${title}: ${cpuMs.toFixed(1)} ms of work a step, ${Math.max(...tasks).toFixed(1)} ms without a break at most, ${(added / steps).toFixed(2)} rows added, ${(changed / steps).toFixed(1)} changes`,
      );
      return { added: added / steps, changed: changed / steps };
    };

    await watch('loading, a page of 200 agents', count / 200, () => scrollToEnd(page));
    const rows = await page.getByRole('row').count();
    assert.ok(rows < 80, `${rows} rows are in the page`);

    // No row stays: creating the elements of 18 rows a frame would cost three times as much as giving them other rows.
    for (const step of [80 * rowHeight, 2000]) {
      const { added } = await watch(`${step} pixels a frame`, 120, () => scrollBy(page, 120, step));
      assert.ok(added < 2, `${added} rows are created a frame`);
    }
    // Two rows enter, and those that stay are not rendered again.
    const slow = await watch('100 pixels a frame', 120, () => scrollBy(page, 120, 100));
    await page.getByRole('row').nth(5).hover();
    const wheel = await watch('the wheel', 60, () => turnWheel(page, 60));
    for (const { added, changed } of [slow, wheel]) {
      assert.ok(added < 5, `${added} rows are created a frame`);
      assert.ok(changed < 25, `${changed} changes a frame`);
    }
    assert.deepEqual(complaints, []);
  });

  it('keeps the order of its rows and the focus, however far it is scrolled', async () => {
    const { page } = await visitMany();
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    const link = page.getByRole('row').nth(4).getByRole('link');
    const name = (await link.textContent()) as string;
    await link.focus();
    // Slowly, fast, backward and past it.
    for (const row of [3, 8, 20, 100, 180, 40, 5, 0, 60, 2]) {
      await scrollTo(page, row * rowHeight + 7);
      await assertRowsInOrder(page, row);
      assert.equal(await focused(), name);
    }
    await scrollTo(page, 150 * rowHeight);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    assert.equal(await focused(), name);
    await assertRowsInOrder(page, 3);
    await page.keyboard.press('End');
    await page.keyboard.press('PageUp');
    await page.keyboard.press('Home');
    assert.notEqual(await focused(), name);
    await assertRowsInOrder(page, 0);
  });
});

/** Agents that differ in every column, inserted directly into the database: creating them one by one takes too long. */
async function multiply({ database }: Service, id: string): Promise<void> {
  await database.run(
    `WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < $2)
     INSERT INTO agents (workspace_id, id, folded_name, version, is_published, doc_version, doc)
     SELECT workspace_id, substr(id, 1, length(id) - 5) || substr('00000' || number, -5), folded_name, version,
       is_published, doc_version,
       json_set(
         replace(doc, id, substr(id, 1, length(id) - 5) || substr('00000' || number, -5)),
         '$.name', '予約受付 ' || number, '$.voiceId', 'voice-' || number, '$.version', number % 9 + 1,
         '$.isPublished', json(CASE number % 3 WHEN 0 THEN 'true' ELSE 'false' END),
         '$.language', CASE number % 4 WHEN 0 THEN 'ja-JP' WHEN 1 THEN 'en-GB' WHEN 2 THEN 'fr-FR' ELSE 'zh-Hant' END,
         '$.updatedAt', strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-' || (number * 7) || ' minutes'))
     FROM agents, numbers WHERE id = $1`,
    [id, count - 1],
  );
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly args: { readonly name?: string };
  /** CPU time of the thread, in microseconds. */
  readonly tdur?: number;
}

/** The CPU time of each task of the page's main thread in milliseconds, and what changed in the table. */
async function workDuring(
  page: Page,
  work: () => Promise<void>,
): Promise<{ tasks: number[]; added: number; changed: number }> {
  const browser = page.context().browser() as Browser;
  const counts = await page.evaluateHandle(() => {
    const scroller = document.querySelectorAll<HTMLElement>('[role=rowgroup]')[1] as HTMLElement;
    const counted = { added: 0, changed: 0 };
    const observer = new MutationObserver((records) => {
      counted.changed += records.length;
      for (const { addedNodes } of records)
        for (const node of addedNodes) if ((node as Element).role === 'row') counted.added += 1;
    });
    observer.observe(scroller, { attributes: true, characterData: true, childList: true, subtree: true });
    return { counted, observer };
  });
  await browser.startTracing(page, { categories: ['toplevel'] });
  await work();
  const trace = await browser.stopTracing();
  const { added, changed } = await counts.evaluate(({ counted, observer }) => {
    observer.disconnect();
    return counted;
  });
  const { traceEvents: events } = JSON.parse(trace.toString('utf8')) as { traceEvents: TraceEvent[] };
  const threads = events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const ids = new Set(threads.map(({ pid, tid }) => `${pid} ${tid}`));
  const tasks = events.filter(({ name, pid, tid }) => name.endsWith('::RunTask') && ids.has(`${pid} ${tid}`));
  assert.ok(tasks.length > 0, 'the trace has tasks');
  return { tasks: tasks.map(({ tdur = 0 }) => tdur / 1000), added, changed };
}

/** Scrolls to the end repeatedly, until no more rows are loaded. */
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

/** From the first row on, one step per frame. */
function scrollBy(page: Page, steps: number, step: number): Promise<void> {
  return page.evaluate(
    async ([times, distance]) => {
      const scroller = document.querySelectorAll<HTMLElement>('[role=rowgroup]')[1] as HTMLElement;
      for (let time = 0; time < times; time += 1) {
        scroller.scrollTop = time * distance;
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    },
    [steps, step] as const,
  );
}

async function turnWheel(page: Page, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await page.mouse.wheel(0, 120);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  }
}

/** Until everything has been rendered. */
function scrollTo(page: Page, top: number): Promise<void> {
  return page.evaluate((wanted) => {
    const scroller = document.querySelectorAll<HTMLElement>('[role=rowgroup]')[1] as HTMLElement;
    scroller.scrollTop = wanted;
    return new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
  }, top);
}

/** The visible rows are rendered in order, each with its own number. */
async function assertRowsInOrder(page: Page, firstInSight: number): Promise<void> {
  // Rendered frame by frame, which takes as long as the machine needs.
  await page.waitForFunction((first) => {
    const scroller = document.querySelectorAll<HTMLElement>('[role=rowgroup]')[1] as HTMLElement;
    const frame = scroller.getBoundingClientRect();
    const isDrawn = (index: number) => scroller.querySelector(`[aria-rowindex="${index + 2}"]`) !== null;
    const count = Math.floor(frame.height / ((scroller.querySelector('[role=row]')?.clientHeight ?? 0) || 1));
    return count > 8 && Array.from({ length: count }, (_, place) => first + place).every(isDrawn);
  }, firstInSight);
  const rows = await page.evaluate(() => {
    const scroller = document.querySelectorAll<HTMLElement>('[role=rowgroup]')[1] as HTMLElement;
    const frame = scroller.getBoundingClientRect();
    return [...scroller.querySelectorAll<HTMLElement>('[role=row]')].map((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      const offset = Math.round(top - frame.top + scroller.scrollTop);
      return { index: Number(row.ariaRowIndex) - 2, offset, isInSight: bottom > frame.top && top < frame.bottom };
    });
  });
  const indexes = rows.map(({ index }) => index);
  assert.deepEqual(
    indexes,
    indexes.toSorted((a, b) => a - b),
  );
  for (const { index, offset } of rows) assert.equal(offset, index * rowHeight);
  const inSight = rows.filter(({ isInSight }) => isInSight).map(({ index }) => index);
  assert.equal(inSight[0], firstInSight);
  assert.ok(inSight.length > 8, `${inSight.length} rows are in sight`);
  assert.equal(inSight.at(-1), firstInSight + inSight.length - 1, 'without a gap');
}
