import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../areas/calls/support.ts';
import { createAgent, send } from '../support/client.ts';
import { newAudit } from './support/accessibility.ts';
import { intercept, useDashboard, type VisitOptions, withBrowser } from './support/browser.ts';
import { recordedMs, storeRecordedCall } from './support/recorded-call.ts';
import { storeSpokenCall } from './support/spoken-call.ts';

describe('the recording on the page of a call', withBrowser, () => {
  const mediaFolder = mkdtempSync(join(tmpdir(), 'voice-agents-player-'));
  const dashboard = useDashboard(async () => ({ mediaFolder }));
  after(() => rmSync(mediaFolder, { recursive: true, force: true }));

  let key: string;
  let place: { workspaceId: string; agentId: string };
  beforeEach(async () => {
    const { key: made, workspaceId } = await dashboard.service.newKey();
    key = made;
    place = { workspaceId, agentId: (await createAgent(dashboard.service, key, { name: 'Reception' })).id };
  });

  async function open(options: VisitOptions = {}) {
    const id = await storeRecordedCall(dashboard.service, place, mediaFolder);
    const visit = await dashboard.visit(`/calls/${id}`, { key, ...options });
    const player = visit.page.getByRole('region', { name: /^(Recording|録音)$/ });
    const slider = player.getByRole('slider');
    await slider.waitFor();
    // The waveform is drawn, and the browser knows the length.
    await visit.page.waitForFunction(() => {
      const isDrawn = document.querySelector('[role=slider] > div > div')?.shadowRoot?.querySelector('canvas') != null;
      return isDrawn && document.querySelector('audio')?.readyState === 4;
    });
    return { ...visit, id, player, slider };
  }

  const seconds = (page: Page) => page.evaluate(() => document.querySelector('audio')?.currentTime ?? -1);
  const isPaused = (page: Page) => page.evaluate(() => document.querySelector('audio')?.paused);
  const heard = (page: Page) =>
    page.evaluate(() => Array.from(document.querySelectorAll('[data-is-heard]'), (word) => word.textContent?.trim()));

  it('plays, pauses and highlights the word that is heard', async () => {
    const { page, player, complaints, asked } = await open();
    assert.deepEqual(await heard(page), [], 'nothing before it is played');
    await player.getByRole('button', { name: 'Play', exact: true }).click();
    await page.waitForFunction(() => document.querySelector('[data-is-heard]')?.textContent?.startsWith('Sakura'));
    await page.waitForFunction(() => document.querySelector('[data-is-heard]')?.textContent?.startsWith('Salon'));
    await player.getByRole('button', { name: 'Pause' }).click();
    assert.equal(await isPaused(page), true);
    assert.ok((await seconds(page)) > 0.3);
    await player.getByText('0:24').waitFor();
    assert.ok(asked.some((url) => new URL(url).pathname.startsWith('/media/v1/')));
    assert.deepEqual(complaints, []);
  });

  it('plays from a word that is clicked, at its measured time, and from the time of a turn', async () => {
    const { page } = await open();
    await page.getByText('move', { exact: true }).click();
    await eventually(async () => (await seconds(page)) >= 5.2);
    assert.ok((await seconds(page)) < 8, 'not from somewhere else');
    assert.equal(await isPaused(page), false);
    await page.getByRole('button', { name: 'Play from 0:17' }).click();
    await page.waitForFunction(() => document.querySelector('[data-is-heard]')?.textContent?.startsWith('Done'));
  });

  it('highlights both sides where they speak at once', async () => {
    const { page } = await open();
    await page.evaluate(() => {
      (document.querySelector('audio') as HTMLAudioElement).currentTime = 9.2;
    });
    await eventually(async () => (await heard(page)).length === 2);
    assert.deepEqual(await heard(page), ['Saturday', 'Friday']);
  });

  it('marks interruptions and silences, and plays the next one', async () => {
    const { page, player } = await open();
    assert.equal(await player.locator('[data-kind=interruption]:not(button)').count(), 1);
    const silence = player.locator('[data-kind=silence]:not(button)');
    assert.equal(await silence.count(), 1);
    const style = await silence.evaluate((mark) => mark.getAttribute('style'));
    assert.match(style ?? '', /inset-inline-start: 52\.5%; width: 14\.1/);
    await player.getByRole('button', { name: '1 interruption' }).click();
    await eventually(async () => (await seconds(page)) >= 7.9);
    assert.ok((await seconds(page)) < 10);
    await player.getByRole('button', { name: '1 silence of 2 s or more' }).click();
    await eventually(async () => (await seconds(page)) >= 12.6);
  });

  it('is operated by keyboard', async () => {
    const { page, slider } = await open();
    await slider.focus();
    const press = async (key: string) => {
      await page.keyboard.press(key);
      return Number((await seconds(page)).toFixed(2));
    };
    assert.equal(await press('ArrowRight'), 5);
    assert.equal(await press('Shift+ArrowRight'), 5.1, 'the next word');
    assert.equal(await press('Shift+ArrowRight'), 5.2);
    assert.equal(await press('Shift+ArrowLeft'), 4.7, 'the word before, which is not cut');
    assert.equal(await press('End'), recordedMs / 1000);
    assert.equal(await press('ArrowLeft'), 19);
    assert.equal(await press('PageDown'), 0);
    assert.equal(await press('PageUp'), recordedMs / 1000);
    assert.equal(await press('Home'), 0);
    await eventually(async () => (await slider.getAttribute('aria-valuetext')) === '0:00 of 0:24');
    await page.keyboard.press('Space');
    await eventually(async () => (await isPaused(page)) === false);
    await page.keyboard.press('Space');
    await eventually(async () => (await isPaused(page)) === true);
  });

  it('is sought by a click on the waveform', async () => {
    const { page, slider } = await open();
    const box = (await slider.boundingBox()) as { width: number; height: number };
    await slider.click({ position: { x: box.width / 2, y: box.height / 2 } });
    await eventually(async () => Math.abs((await seconds(page)) - 12) < 0.3);
  });

  it('gets another link when the first has expired', async () => {
    const { page, player } = await open();
    const before = (await page.locator('audio').getAttribute('src')) as string;
    // Ten minutes later. The browser would play a short recording from its memory.
    await intercept(page, `**${before}`, (route) => route.fulfill({ status: 404 }));
    await page.evaluate(() => {
      const real = Date.now;
      Date.now = () => real() + 600_000;
      document.querySelector('audio')?.load();
    });
    await eventually(async () => (await page.locator('audio').getAttribute('src')) !== before);
    await page.waitForFunction(() => document.querySelector('audio')?.readyState === 4);
    assert.equal(await player.getByRole('alert').count(), 0);
  });

  it('offers to try again if it cannot be played, or its link not be had', async () => {
    const id = await storeRecordedCall(dashboard.service, place, mediaFolder);
    const { page } = await dashboard.visit('/calls', { key });
    await intercept(page, '**/recording', (route) => route.fulfill({ status: 500, json: {} }));
    await page.goto(`${dashboard.service.url}/calls/${id}`);
    await page.getByText('The recording could not be loaded.').waitFor();
    await page.unroute('**/recording');
    await intercept(page, '**/media/v1/**', (route) => route.fulfill({ status: 404 }));
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The recording could not be played.').waitFor();
    await page.getByText('The waveform only shows who spoke when.').waitFor();
    await page.unroute('**/media/v1/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.waitForFunction(() => document.querySelector('audio')?.paused === false);
  });

  it('says why there is none', async () => {
    const { page } = await dashboard.visit('/calls', { key });
    const cases = {
      none: 'This call was not recorded.',
      recording: 'This call is being recorded.',
      processing: 'The recording is being completed',
      failed: 'The recording failed',
      not_stored: 'No recording was kept',
      deleted: 'The recording has been deleted.',
    } as const;
    for (const [status, text] of Object.entries(cases)) {
      const recording = { status: status as keyof typeof cases, durationMs: null, sizeBytes: null };
      const id = await storeSpokenCall(dashboard.service, place, { outcome: { recording } });
      await page.goto(`${dashboard.service.url}/calls/${id}`);
      await page.getByRole('region', { name: 'Recording' }).getByText(text).waitFor();
      assert.equal(await page.locator('audio').count(), 0);
    }
  });

  it('appears once it is complete', async () => {
    const recording = { status: 'processing', durationMs: null, sizeBytes: null } as const;
    const id = await storeSpokenCall(dashboard.service, place, { outcome: { recording } });
    const { page } = await dashboard.visit(`/calls/${id}`, { key });
    await page.getByText('The recording is being completed').waitFor();
    await intercept(page, `**/api/v1/calls/${id}`, async (route) => {
      const response = await route.fetch();
      const call = await response.json();
      await route.fulfill({ response, json: { ...call, recording: { ...recording, status: 'failed' } } });
    });
    await page.getByText('The recording failed').waitFor();
  });

  it('is gone, with its times, after the content is removed', async () => {
    const { page, id } = await open();
    await send(dashboard.service, 'POST', `/api/v1/calls/${id}/redact`, { key, body: { to: 'everything_except_pii' } });
    await page.reload();
    await page.getByText('The recording has been deleted.').waitFor();
    await page.getByText('Sakura Salon').waitFor();
    assert.equal(await page.getByRole('button', { name: /Play from/ }).count(), 0);
  });

  it('is accessible, in both languages, and fits a narrow screen', async () => {
    const audit = newAudit();
    for (const locale of ['en-GB', 'ja-JP']) {
      const { page } = await open({ locale });
      await page.evaluate(() => {
        (document.querySelector('audio') as HTMLAudioElement).currentTime = 9.2;
      });
      await eventually(async () => (await heard(page)).length === 2);
      await audit.look(page, `player, ${locale}`);
      await page.setViewportSize({ width: 390, height: 844 });
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, locale);
    }
    audit.assertClean();
  });
});
