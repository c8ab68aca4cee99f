import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join as path } from 'node:path';
import { after, describe, it } from 'node:test';
import { wavFile } from '../../../src/areas/providers/wav-file.ts';
import { newWebCall } from '../../calls/live/support.ts';
import { eventually } from '../../calls/support.ts';
import { withBrowser } from '../../dashboard/support/browser.ts';
import { launchChromium } from '../../dashboard/support/chromium.ts';
import { sqliteEngine } from '../../support/engines.ts';
import { embeddedSpeech, useService, withSpeech } from '../../support/service.ts';
import { say } from '../../voice/providers/embedded/support/speech.ts';
import { bundle } from './bundle.ts';
import { allowMicrophone, eventsOf, join, waitForEvent } from './page.ts';

const rate = 48_000;
const silence = (seconds: number) => new Int16Array(seconds * rate);
const long =
  'We open at nine in the morning every day of the week, except on Wednesday, when we open at eleven, and on public holidays we are closed all day long.';

describe('a spoken call in Chromium', { ...withBrowser, skip: withBrowser.skip || withSpeech.skip }, () => {
  const folder = mkdtempSync(path(tmpdir(), 'voice-agents-page-'));
  const speech = embeddedSpeech();
  const service = useService(sqliteEngine(), { speech, mediaFolder: folder });
  after(() => rm(folder, { recursive: true, force: true }));

  it('is heard, interrupted, ended and recorded', { timeout: 120_000 }, async (test) => {
    const microphone = path(folder, 'microphone.wav');
    const [question, interruption] = await Promise.all([
      say(speech, ['What time do you open tomorrow?'], { rate }),
      say(speech, ['Sorry, I have another question for you.'], { rate }),
    ]);
    writeFileSync(microphone, wavFile([silence(3), question, silence(4), interruption, silence(60)], rate));

    const { key } = await service.newKey();
    const call = await newWebCall(service, key, {
      model: 'test-script',
      agent: { prompt: `${long}\nGo ahead.`, agentSettings: { calls: { recordingEnabled: true } } },
    });
    const client = await bundle('both');
    const pages = createServer((request, response) => {
      const isScript = request.url === '/client.js';
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      response.end(isScript ? client : '<!doctype html><html lang="en"><title>Shop</title><body></body></html>');
    });
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    const browser = await launchChromium(...allowMicrophone, `--use-file-for-fake-audio-capture=${microphone}%noloop`);
    test.after(async () => {
      await browser.close();
      pages.close();
    });
    const page = await (await browser.newContext({ permissions: ['microphone'] })).newPage();
    await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
    const liveUrl = `ws://127.0.0.1:${service.port}/live/v1/calls/${call.id}`;
    await join({ page, double: { access: { token: call.accessToken, liveUrl } } });

    const said = (text: RegExp) =>
      eventually(async () =>
        ((await eventsOf(page, 'transcript')) as { text: string; isFinal: boolean }[]).some(
          (part) => part.isFinal && text.test(part.text),
        ),
      );
    await said(/what time do you open/i);
    await said(/another question/i);
    await said(/Go ahead\./);
    const levels = (await eventsOf(page, 'level')) as { role: string; level: number }[];
    assert.ok(
      levels.some(({ role, level }) => role === 'agent' && level > 0.05),
      'the agent can be heard',
    );
    await page.evaluate(() => window.call.end());
    await waitForEvent(page, 'ended');

    const turns = await call.turns();
    assert.deepEqual(
      turns.map(({ role }) => role),
      ['caller', 'agent', 'caller', 'agent'],
    );
    const [, reply] = turns;
    assert.equal(reply?.interrupted, true);
    assert.equal(`${reply?.text}${reply?.unspokenText}`, long);
    assert.ok((reply?.text.length ?? 0) > 10 && (reply?.unspokenText?.length ?? 0) > 10, reply?.text);

    await eventually(async () => (await call.call()).recording.status === 'available');
    const { json } = await call.recording();
    const played = await page.evaluate(async (url) => {
      const audio = new Audio(url);
      await audio.play();
      return audio.duration;
    }, `${service.url}${json.url}`);
    assert.ok(Math.abs(played * 1000 - json.durationMs) < 100);
    assert.ok(json.durationMs > 8000);
  });
});
