import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withBrowser } from '../../dashboard/support/browser.ts';
import { eventsOf, failureOf, join, usePages, waitForEvent } from './page.ts';

function tone(ms: number): Int16Array {
  return Int16Array.from({ length: ms * 24 }, (_, place) => 12_000 * Math.sin((2 * Math.PI * 440 * place) / 24_000));
}

function peak(samples: Int16Array): number {
  return samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
}

describe('a web call in Chromium', withBrowser, () => {
  const open = usePages();

  it('sends the microphone in frames of 20 ms, at the announced rate', async () => {
    const opened = await open();
    const joining = opened.double.nextSocket();
    await join(opened);
    const socket = await joining;
    assert.deepEqual(socket.frames[0], { type: 'start', input: { rate: 16_000 }, output: { rate: 24_000 } });
    // A wrong rate would be wrong by half all the time. A busy machine is late by as much only at times.
    await socket.until(() => {
      const [first, last] = [socket.audio.at(-125), socket.audio.at(-1)];
      return first !== undefined && last !== undefined && Math.abs(last.at - first.at - 124 * 20) < 1_000;
    });
    assert.ok(
      socket.audio.some(({ samples }) => peak(samples) > 1_000),
      'the fake microphone beeps',
    );
    const levels = (await eventsOf(opened.page, 'level')) as { role: string; level: number }[];
    assert.ok(levels.some(({ role, level }) => role === 'caller' && level > 0.01));
    assert.deepEqual([opened.double.problems, opened.complaints], [[], []]);
  });

  it('plays what the agent says, and reports it every 100 ms and at the end', async () => {
    const opened = await open();
    const joining = opened.double.nextSocket();
    await join(opened);
    const socket = await joining;
    socket.speak(1);
    socket.play(tone(1_500));
    await socket.next('played', ({ samples }) => samples === 36_000);
    const reports = socket.playedAt.filter(({ utterance }) => utterance === 1);
    assert.ok(reports.length >= 12 && reports.length <= 17, `${reports.length} reports`);
    const [first] = reports;
    const last = reports.at(-1);
    const playedMs = ((last?.samples ?? 0) - (first?.samples ?? 0)) / 24;
    const elapsedMs = (last?.at ?? 0) - (first?.at ?? 0);
    assert.ok(Math.abs(playedMs - elapsedMs) < 600, `${playedMs} ms were reported in ${elapsedMs} ms`);
    const levels = (await eventsOf(opened.page, 'level')) as { role: string; level: number }[];
    assert.ok(
      levels.some(({ role, level }) => role === 'agent' && level > 0.1),
      'it can be heard',
    );
    assert.deepEqual(await eventsOf(opened.page, 'speech'), [
      { utterance: 1, state: 'playing' },
      { utterance: 1, state: 'done' },
    ]);
    assert.deepEqual(opened.double.problems, []);
  });

  it('pauses, resumes and clears as the service says', async () => {
    const opened = await open();
    const joining = opened.double.nextSocket();
    await join(opened);
    const socket = await joining;
    socket.speak(1);
    socket.play(tone(3_000));
    await socket.next('played', ({ samples }) => samples > 4_800);
    socket.send({ type: 'pause', utterance: 1 });
    await opened.page.waitForFunction(() =>
      window.events.some(([, value]) => (value as { state?: string }).state === 'paused'),
    );
    const frames = socket.audio.length;
    // The microphone goes on, so a second of its frames is a second.
    await socket.until(() => socket.audio.length > frames + 15);
    const paused = socket.reportsOf(1).at(-1)?.samples ?? 0;
    await socket.until(() => socket.audio.length > frames + 50);
    assert.equal(socket.reportsOf(1).at(-1)?.samples, paused);
    socket.send({ type: 'resume', utterance: 1 });
    await socket.next('played', ({ samples }) => samples > paused + 4_800);
    const before = socket.reportsOf(1).length;
    socket.send({ type: 'clear', utterance: 1 });
    await opened.page.waitForFunction(() =>
      window.events.some(([, value]) => (value as { state?: string }).state === 'cleared'),
    );
    const after = socket.audio.length;
    await socket.until(() => socket.audio.length > after + 25);
    const reports = socket.reportsOf(1);
    assert.ok(reports.length > before && reports.length <= before + 3);
    assert.ok((reports.at(-1)?.samples ?? 0) < 72_000);
    socket.speak(2);
    socket.play(tone(200));
    await socket.next('played', ({ utterance, samples }) => utterance === 2 && samples === 4_800);
    assert.equal(socket.reportsOf(1).length, reports.length);
    assert.deepEqual(opened.double.problems, []);
  });

  it('sends silence while it is muted', async () => {
    const opened = await open();
    const joining = opened.double.nextSocket();
    await join(opened);
    const socket = await joining;
    await socket.until(() => socket.audio.some(({ samples }) => peak(samples) > 1_000));
    await opened.page.evaluate(() => window.call.mute());
    // A few frames may be on their way.
    const from = socket.audio.length + 10;
    await socket.until(() => socket.audio.length > from + 75);
    assert.equal(Math.max(...socket.audio.slice(from).map(({ samples }) => peak(samples))), 0);
    await opened.page.evaluate(() => window.call.unmute());
    const later = socket.audio.length;
    await socket.until(() => socket.audio.slice(later).some(({ samples }) => peak(samples) > 1_000));
    assert.deepEqual(opened.double.problems, []);
  });

  it('resumes after the connection was lost, and plays what follows', async () => {
    const opened = await open();
    const joining = opened.double.nextSocket();
    await join(opened);
    const socket = await joining;
    socket.speak(1);
    socket.play(tone(3_000));
    await socket.next('played', ({ samples }) => samples > 4_800);
    const resuming = opened.double.nextSocket();
    socket.drop();
    const resumed = await resuming;
    await waitForEvent(opened.page, 'reconnected');
    resumed.speak(2);
    resumed.play(tone(300));
    await resumed.next('played', ({ utterance, samples }) => utterance === 2 && samples === 7_200);
    await resumed.until(() => resumed.audio.length > 20);
    assert.deepEqual(resumed.reportsOf(1), [], 'the rest of the lost utterance is not played');
    assert.deepEqual(opened.double.problems, []);
    const ending = opened.page.evaluate(() => window.call.end());
    await resumed.next('end');
    resumed.send({ type: 'ended', reason: 'caller_hangup' });
    await ending;
    assert.deepEqual(await eventsOf(opened.page, 'ended'), [{ reason: 'caller_hangup', error: null }]);
  });

  it('works without a microphone', async () => {
    const opened = await open();
    const joining = opened.double.nextSocket();
    await join(opened, { microphone: false });
    const socket = await joining;
    await opened.page.waitForFunction(() => window.call !== undefined);
    await opened.page.evaluate(() => window.call.send('Hello.'));
    await socket.next('text', ({ text }) => text === 'Hello.');
    await opened.page.evaluate(() => window.call.sendDtmf('12#'));
    await socket.next('dtmf', ({ digits }) => digits === '12#');
    socket.speak(1);
    socket.play(tone(300));
    await socket.next('played', ({ samples }) => samples === 7_200);
    assert.equal(socket.audio.length, 0);
    assert.equal(await opened.page.evaluate(() => window.call.hasMicrophone), false);
    assert.deepEqual(opened.double.problems, []);
  });

  it('sends no audio to a service that does not understand speech', async () => {
    const opened = await open({ capabilities: { speechIn: false } });
    const joining = opened.double.nextSocket();
    await join(opened);
    const socket = await joining;
    await opened.page.waitForFunction(() => window.events.filter(([name]) => name === 'level').length > 20);
    assert.equal(socket.audio.length, 0);
    assert.equal(await opened.page.evaluate(() => window.call.capabilities.speechIn), false);
  });

  it('ends the call when the page is left', async () => {
    const opened = await open();
    const joining = opened.double.nextSocket();
    await join(opened);
    const socket = await joining;
    await opened.page.waitForFunction(() => window.call !== undefined);
    await opened.page.goto('about:blank');
    await socket.next('end');
  });

  it('works under a strict policy with the worklet as a file, and names it otherwise', async () => {
    const policy =
      "default-src 'none'; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'";
    const opened = await open({ policy });
    const joining = opened.double.nextSocket();
    await join(opened, { workletUrl: '/worklet.js' });
    const socket = await joining;
    await socket.until(() => socket.audio.length > 10);
    assert.deepEqual([opened.double.problems, opened.complaints], [[], []]);

    const blocked = await open({ policy });
    await join(blocked);
    assert.equal(await failureOf(blocked.page), 'worklet_blocked');
    assert.equal(blocked.double.sockets.length, 0);
  });

  it('sends what the browser recognizes', async () => {
    const opened = await open({
      language: 'ja-JP',
      prepare: (page) =>
        page.addInitScript(() => {
          class Recognition {
            lang = '';
            onresult: ((event: unknown) => void) | null = null;
            onend: (() => void) | null = null;
            onerror: ((event: unknown) => void) | null = null;
            start() {
              (window as { recognizer?: unknown }).recognizer = this;
            }
            abort() {
              this.onend?.();
            }
          }
          Object.assign(window, { SpeechRecognition: Recognition });
        }),
    });
    const joining = opened.double.nextSocket();
    await join(opened, { recognition: 'browser' });
    const socket = await joining;
    const recognize = (text: string, isFinal: boolean) =>
      opened.page.evaluate(
        ([text, isFinal]) => {
          const { recognizer } = window as unknown as { recognizer: { onresult(event: unknown): void } };
          recognizer.onresult({ resultIndex: 0, results: [Object.assign([{ transcript: text }], { isFinal })] });
        },
        [text, isFinal] as const,
      );
    await opened.page.waitForFunction(() => 'recognizer' in window);
    assert.equal(
      await opened.page.evaluate(() => (window as unknown as { recognizer: { lang: string } }).recognizer.lang),
      'ja-JP',
    );
    await recognize('予約を', false);
    await recognize('予約をお願いします', true);
    await socket.next('recognized', ({ isFinal }) => isFinal);
    assert.deepEqual(
      socket.frames.filter(({ type }) => type === 'recognized'),
      [
        { type: 'recognized', text: '予約を', isFinal: false },
        { type: 'recognized', text: '予約をお願いします', isFinal: true },
      ],
    );
    await opened.page.evaluate(() => {
      const { recognizer } = window as unknown as { recognizer: { onerror(event: unknown): void } };
      recognizer.onerror({ error: 'language-not-supported' });
    });
    assert.equal(((await waitForEvent(opened.page, 'error')) as { code: string }).code, 'recognition_failed');
    assert.deepEqual(opened.double.problems, []);
  });
});

describe('a web call without a microphone', withBrowser, () => {
  const open = usePages('--deny-permission-prompts');

  it('says that it is denied, and uses no token', async () => {
    const opened = await open();
    await join(opened);
    assert.equal(await failureOf(opened.page), 'microphone_denied');
    assert.equal(opened.double.sockets.length, 0);
  });

  it('says what else is missing', async () => {
    for (const [name, code] of [
      ['NotFoundError', 'no_microphone'],
      ['NotReadableError', 'microphone_failed'],
    ] as const) {
      const opened = await open({
        prepare: (page) =>
          page.addInitScript((failure) => {
            navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('No.', failure));
          }, name),
      });
      await join(opened);
      assert.equal(await failureOf(opened.page), code);
    }
  });
});

describe('a web call that a page starts by itself', withBrowser, () => {
  // Chromium without a window allows sound in any page.
  const open = usePages('--autoplay-policy=document-user-activation-required');

  it('reports that the browser plays no sound without a click, and plays after one', async () => {
    const body = `<script type="module">
      import { joinCall } from '/client.js';
      const on = { error: ({ code }) => events.push(['error', code]) };
      const access = async () => (await fetch('/call', { method: 'POST', body: '{}' })).json();
      window.events = [];
      window.call = await joinCall({ access, microphone: false, on });
    </script>`;
    const opened = await open({ body });
    await opened.page.waitForFunction(() => window.events?.length > 0);
    assert.deepEqual(await eventsOf(opened.page, 'error'), ['audio_suspended']);
    const [socket] = opened.double.sockets;
    assert.ok(socket !== undefined);
    socket.speak(1);
    socket.play(tone(300));
    await opened.page.mouse.click(5, 300);
    await socket.next('played', ({ samples }) => samples === 7_200);
    assert.deepEqual(opened.double.problems, []);
  });
});
