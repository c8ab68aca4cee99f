import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newAudit } from '../../dashboard/support/accessibility.ts';
import { withBrowser } from '../../dashboard/support/browser.ts';
import { type OpenedPage, type PageOptions, usePages } from './page.ts';

const shop = '<main><h1>Hair salon Hana</h1><p>Open from 10 to 19, closed on Mondays.</p></main>';
const element = (attributes: string) => `${shop}<voice-agent-call token-url="/call" ${attributes}></voice-agent-call>`;

describe('<voice-agent-call>', withBrowser, () => {
  const open = usePages();
  const opened = (attributes: string, options: PageOptions = {}) => open({ body: element(attributes), ...options });

  /** Starts the conversation, and returns the service's side of it. */
  async function started({ page, double }: OpenedPage, button = 'Start call') {
    const joining = double.nextSocket();
    await page.getByRole('button', { name: button }).click();
    return joining;
  }

  it('holds a spoken conversation: floor, transcript, mute, typing, end', async () => {
    const visit = await opened('layout="inline" language="en"');
    const { page, double, complaints, asked } = visit;
    const socket = await started(visit);
    assert.deepEqual(asked, [{ type: 'web' }]);
    await page.getByRole('heading', { name: 'Sakura' }).waitFor();
    const log = page.getByRole('log', { name: 'Conversation' });
    socket.send({ type: 'state', floor: 'agent' });
    await page.getByText('Speaking…').waitFor();
    socket.send({ type: 'transcript', role: 'agent', text: 'Salon Hana, hello.', isFinal: true, turn: 0 });
    await log.getByText('Sakura: Salon Hana, hello.').waitFor();
    socket.send({ type: 'state', floor: 'caller' });
    await page.getByText('Listening…').waitFor();
    socket.send({ type: 'transcript', role: 'caller', text: 'A cut', isFinal: false, turn: 1 });
    await log.locator('.open', { hasText: 'A cut' }).waitFor();
    socket.send({ type: 'transcript', role: 'caller', text: 'A cut on Friday.', isFinal: true, turn: 1 });
    await log.getByText('You: A cut on Friday.').waitFor();
    assert.equal(await log.locator('.line').count(), 2);

    await page.getByRole('button', { name: 'Mute', exact: true }).click();
    await page.getByText('Your microphone is muted').waitFor();
    await page.getByRole('button', { name: 'Unmute' }).click();
    await page.getByRole('button', { name: 'Mute', exact: true }).waitFor();

    await page.getByLabel('Message').fill('At three.');
    await page.keyboard.press('Enter');
    await socket.next('text', ({ text }) => text === 'At three.');
    socket.send({ type: 'transcript', role: 'caller', text: 'At three.', isFinal: true, turn: 2 });
    socket.send({ type: 'transcript', role: 'agent', text: 'Friday at three.', isFinal: true, turn: 3 });
    await log.getByText('Friday at three.').waitFor();
    assert.equal(await log.getByText('You: At three.').count(), 1, 'what was typed appears once');

    await page.getByRole('button', { name: 'End call' }).click();
    await socket.next('end');
    socket.send({ type: 'ended', reason: 'caller_hangup' });
    await log.getByText('The conversation has ended.').waitFor();
    await page.getByRole('button', { name: 'Start call' }).waitFor();
    assert.deepEqual([double.problems, complaints], [[], []]);
  });

  it('is a chat in writing, without a microphone', async () => {
    const visit = await opened('mode="chat" layout="floating" language="ja"', { mode: 'chat' });
    const { page, double, asked } = visit;
    await page.getByRole('button', { name: 'お問い合わせ' }).click();
    const socket = await started(visit, 'チャットを始める');
    assert.deepEqual(asked, [{ type: 'chat' }]);
    await socket.next('text', ({ text }) => text === undefined);
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('予約をお願いします');
    // While an input method is composing, Enter chooses a word, and the browser does not submit the form.
    await page.keyboard.press('Enter');
    await socket.next('text', ({ text }) => text === '予約をお願いします');
    socket.send({ type: 'transcript', role: 'agent', text: 'お日にちは', isFinal: false, turn: 1 });
    socket.send({
      type: 'transcript',
      role: 'agent',
      text: 'お日にちはいつがよろしいでしょうか。',
      isFinal: true,
      turn: 1,
    });
    await page.getByRole('log').getByText('お日にちはいつがよろしいでしょうか。').waitFor();
    assert.equal(await page.getByRole('button', { name: 'ミュート' }).count(), 0);
    assert.deepEqual(double.problems, []);
  });

  it('opens and closes with the keyboard, and the call goes on meanwhile', async () => {
    const visit = await opened('layout="floating" language="en"');
    const { page } = visit;
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('button:focus', { hasText: 'Start call' }).waitFor();
    const joining = visit.double.nextSocket();
    await page.keyboard.press('Enter');
    const socket = await joining;
    await page.locator('button:focus', { hasText: 'Mute' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('button:focus', { hasText: 'Talk to us' }).waitFor();
    const frames = socket.audio.length;
    await socket.until(() => socket.audio.length > frames + 10);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'End call' }).waitFor();
    await page.evaluate(() => document.querySelector('voice-agent-call')?.remove());
    await socket.next('end');
  });

  it('runs tools of the page, and tells it what happens', async () => {
    const visit = await opened('layout="inline" language="en"');
    const { page } = visit;
    await page.evaluate(() => {
      const call = document.querySelector('voice-agent-call') as HTMLElement & { tools: object };
      call.tools = { open_page: ({ path }: { path: string }) => `opened ${path}` };
      window.events = [];
      for (const name of ['call-started', 'call-ended', 'call-error']) {
        document.addEventListener(name, (event) => window.events.push([name, (event as CustomEvent).detail]));
      }
    });
    const socket = await started(visit);
    socket.send({ type: 'tool_call', toolCallId: 't1', name: 'open_page', arguments: { path: '/menu' } });
    const { toolCallId, ...outcome } = await socket.next('tool_result');
    assert.deepEqual([toolCallId, outcome], ['t1', { type: 'tool_result', result: 'opened /menu' }]);
    socket.send({ type: 'ended', reason: 'agent_hangup' });
    await page.getByText('The conversation has ended.').waitFor();
    assert.deepEqual(await page.evaluate(() => window.events), [
      ['call-started', { callId: visit.double.callId }],
      ['call-ended', { reason: 'agent_hangup', error: null }],
    ]);
  });

  it('says that it reconnects', async () => {
    const visit = await opened('layout="inline" language="en"');
    const socket = await started(visit);
    await visit.page.getByRole('button', { name: 'End call' }).waitFor();
    const resuming = visit.double.nextSocket();
    socket.drop();
    await visit.page.getByText('Connection lost. Reconnecting…').waitFor();
    await resuming;
    await visit.page.getByText('Connected', { exact: true }).waitFor();
  });

  it('says what the service cannot do, and what the page’s own server did not', async () => {
    const mute = await opened('layout="inline" language="en"', { capabilities: { speechOut: false } });
    await started(mute);
    await mute.page.getByText('Its replies appear as text.').waitFor();
    let status = 500;
    const failing = await opened('layout="inline" language="en"', { tokenStatus: () => status });
    await failing.page.getByRole('button', { name: 'Start call' }).click();
    await failing.page.getByRole('alert').getByText('The call could not be started.').waitFor();
    status = 200;
    await started(failing);
    await failing.page.getByRole('button', { name: 'End call' }).waitFor();
    assert.equal(await failing.page.getByRole('alert').count(), 0);
  });

  it('takes its texts, colors and worklet from the page, also under a strict policy', async () => {
    const labels = JSON.stringify({ title: 'Ask Hana', start: 'Ring' }).replaceAll('"', '&quot;');
    const policy =
      "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'";
    const visit = await opened(`layout="inline" language="en" labels="${labels}" worklet-url="/worklet.js"`, {
      policy,
    });
    await visit.page.getByRole('heading', { name: 'Ask Hana' }).waitFor();
    const button = visit.page.getByRole('button', { name: 'Ring' });
    await visit.page.evaluate(() => {
      document
        .querySelector<HTMLElement>('voice-agent-call')
        ?.style.setProperty('--voice-agent-accent', 'rgb(120, 0, 60)');
    });
    assert.equal(await button.evaluate((each) => getComputedStyle(each).backgroundColor), 'rgb(120, 0, 60)');
    const socket = await started(visit, 'Ring');
    await socket.until(() => socket.audio.length > 5);
    assert.deepEqual(visit.complaints, []);
  });

  it('has a comfortable width in a wide page, which the page can change', async () => {
    const { page } = await opened('language="en"', { context: { viewport: { width: 1440, height: 900 } } });
    const call = page.locator('voice-agent-call');
    assert.equal((await call.boundingBox())?.width, 440);
    await call.evaluate((each) => each.style.setProperty('--voice-agent-width', '600px'));
    assert.equal((await call.boundingBox())?.width, 600);
    await page.setViewportSize({ width: 390, height: 844 });
    assert.equal((await call.boundingBox())?.width, 374);
  });

  it('keeps the label of the page during a conversation', async () => {
    const visit = await opened('mode="button" language="en" label="Ask Hana"');
    await visit.page.getByRole('button', { name: 'Ask Hana' }).click();
    await started(visit);
    await visit.page.getByRole('button', { name: 'End call' }).waitFor();
    await visit.page.getByRole('dialog', { name: 'Ask Hana' }).getByRole('heading', { name: 'Ask Hana' }).waitFor();
    await visit.page.keyboard.press('Escape');
    await visit.page.getByRole('button', { name: 'Ask Hana. Call in progress' }).waitFor();
  });

  it('counts unread messages of a chat behind the button, and is opened by the page', async () => {
    const visit = await opened('mode="chat button" language="ja" position="left"', { mode: 'chat' });
    const { page } = visit;
    const box = await page.getByRole('button', { name: 'お問い合わせ' }).boundingBox();
    assert.equal(box?.x, 20);
    await page.evaluate(() => document.querySelector('voice-agent-call')?.setAttribute('open', ''));
    const socket = await started(visit, 'チャットを始める');
    await page.getByRole('button', { name: '閉じる' }).click();
    await page.getByRole('button', { name: 'チャット中' }).waitFor();
    for (const turn of [1, 2, 2]) {
      socket.send({ type: 'transcript', role: 'agent', text: `${turn}件目`, isFinal: true, turn });
    }
    await page.getByRole('button', { name: '新着メッセージ: 2' }).click();
    await page.getByText('2件目').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'チャット中' }).waitFor();
  });

  it('keeps the focus in a panel that fills the screen of a phone, and moves nothing for those who prefer that', async () => {
    const context = { viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' } as const;
    const visit = await opened('mode="button" language="en"', {
      context,
      body: `${element('mode="button" language="en"')}<a href="/">Home</a>`,
    });
    const { page } = visit;
    await page.getByRole('button', { name: 'Talk to us' }).click();
    const panel = page.getByRole('dialog', { name: 'Talk to us' });
    assert.deepEqual(await panel.boundingBox(), { x: 0, y: 0, width: 390, height: 844 });
    assert.equal(await panel.evaluate((each) => getComputedStyle(each).animationName), 'none');
    await page.locator('button:focus', { hasText: 'Start call' }).waitFor();
    await page.keyboard.press('Tab');
    await page.locator('button:focus[aria-label="Close"]').waitFor();
    await page.keyboard.press('Shift+Tab');
    await page.locator('button:focus', { hasText: 'Start call' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('button:focus', { hasText: 'Talk to us' }).waitFor();
  });

  it('writes what is missing or failed to the console, with the attribute to set', async () => {
    const attributes = `mode="vioce" theme="night" labels="{'title': 'x'}"`;
    const missing = await open({ body: `<voice-agent-call ${attributes} language="en"></voice-agent-call>` });
    const expected = [
      /mode="vioce" has no meaning\. Set mode to voice or chat or button/,
      /theme="night" has no meaning/,
      /The attribute token-url is missing\. Set the attribute token-url to a path of your server/,
      /labels is not JSON/,
    ];
    for (const [index, pattern] of expected.entries()) assert.match(missing.complaints[index] ?? '', pattern);
    await missing.page.getByRole('button', { name: 'Start call' }).click();
    await missing.page.getByRole('alert').waitFor();
    assert.deepEqual(missing.asked, [], 'the page itself is not asked for a call');
    const unnamed = await opened(`labels='{"titel": "x"}'`);
    assert.match(unnamed.complaints.join(), /labels has "titel", which is not a text/);
    const failing = await opened('language="en"', { tokenStatus: () => 500 });
    await failing.page.getByRole('button', { name: 'Start call' }).click();
    await failing.page.getByRole('alert').waitFor();
    assert.match(failing.complaints.join(), /token-url="\/call" responded with 500\. Set the attribute token-url/);
    const blocked = await opened('language="en"', { policy: "script-src 'self'" });
    await blocked.page.getByRole('button', { name: 'Start call' }).click();
    await blocked.page.getByRole('alert').waitFor();
    assert.match(blocked.complaints.join(), /Set worklet-url to where your server has/);
  });

  it('is accessible, in light and dark, wide and narrow', async () => {
    const audit = newAudit({ isQuick: true });
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [1280, 390]) {
        const context = { colorScheme, viewport: { width, height: 844 } };
        const inline = await opened('language="en"', { context });
        await audit.look(inline.page, `inline, ${colorScheme}, ${width}`);
        const visit = await opened('mode="button" language="ja" recognition="browser"', { context });
        await audit.look(visit.page, `closed, ${colorScheme}, ${width}`);
        await visit.page.getByRole('button', { name: 'お問い合わせ' }).click();
        await audit.look(visit.page, `open, ${colorScheme}, ${width}`);
        const socket = await started(visit, '通話を始める');
        socket.send({ type: 'transcript', role: 'agent', text: 'ヘアサロン花でございます。', isFinal: true, turn: 0 });
        socket.send({ type: 'transcript', role: 'caller', text: 'カットをお願いします', isFinal: true, turn: 1 });
        await visit.page.getByText('カットをお願いします').waitFor();
        await audit.look(visit.page, `in a call, ${colorScheme}, ${width}`);
        await visit.page.keyboard.press('Escape');
        await audit.look(visit.page, `a call behind the button, ${colorScheme}, ${width}`);
        const scrollWidth = await visit.page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(scrollWidth <= width, `${scrollWidth} wide at ${width}`);
      }
    }
    audit.assertClean();
  });
});

describe('<voice-agent-call> that does not work', withBrowser, () => {
  const open = usePages();

  interface Failure {
    readonly about: string;
    readonly code: string;
    readonly english: string;
    readonly japanese: string;
    readonly options?: PageOptions;
    /** In the call; absent if there is none. */
    readonly happens?: (visit: OpenedPage, socket: Awaited<ReturnType<OpenedPage['double']['nextSocket']>>) => unknown;
  }

  /** The upgrade is refused; the page learns why from the events of the call. */
  const refusedWith = (status: number, events: { status: number; json: object }): PageOptions => ({
    refusal: () => status,
    prepare: (page) => page.route('**/api/v1/**', (route) => route.fulfill(events)),
  });
  const error = (status: number) => ({ status, json: { error: { code: 'X', message: `Refused with ${status}.` } } });
  const over = {
    status: 200,
    json: {
      items: [{ type: 'state_changed', data: { endReason: 'expired' } }],
      pagination: { nextCursor: null },
    },
  };

  const failures: readonly Failure[] = [
    {
      about: 'the token was used or has expired',
      code: 'connection_refused',
      english: 'This call is no longer valid.',
      japanese: 'この通話は無効になりました。',
      options: refusedWith(401, error(401)),
    },
    {
      about: 'there is no such call',
      code: 'connection_refused',
      english: 'This call does not exist any more.',
      japanese: 'この通話は見つかりません。',
      options: refusedWith(404, error(404)),
    },
    {
      about: 'the call is over',
      code: 'connection_refused',
      english: 'This call is already over.',
      japanese: 'この通話はすでに終了しています。',
      options: refusedWith(409, over),
    },
    {
      about: 'there were too many attempts',
      code: 'connection_refused',
      english: 'There were too many attempts.',
      japanese: '接続の回数が多すぎます。',
      options: refusedWith(429, error(429)),
    },
    {
      about: 'the service is busy',
      code: 'connection_refused',
      english: 'All lines are busy at the moment.',
      japanese: 'ただいま混み合っています。',
      options: refusedWith(503, error(503)),
    },
    {
      about: 'the service does not say why it refuses the connection',
      code: 'connection_refused',
      english: 'The call could not be started. Please try again.',
      japanese: '通話を開始できませんでした。もう一度お試しください。',
      options: { refusal: () => 503, prepare: (page) => page.route('**/api/v1/**', (route) => route.abort()) },
    },
    {
      about: 'the browser has no AudioContext',
      code: 'not_supported',
      english: 'This browser cannot make calls.',
      japanese: 'このブラウザでは通話できません。',
      options: { prepare: (page) => page.addInitScript(() => Reflect.deleteProperty(window, 'AudioContext')) },
    },
    {
      about: 'the AudioContext cannot be created',
      code: 'not_supported',
      english: 'This browser cannot make calls.',
      japanese: 'このブラウザでは通話できません。',
      options: {
        prepare: (page) =>
          page.addInitScript(() => {
            window.AudioContext = class {
              constructor() {
                throw new DOMException('too many', 'NotSupportedError');
              }
            } as never;
          }),
      },
    },
    {
      about: 'the server of the page fails',
      code: 'access_failed',
      english: 'The call could not be started. Please try again later.',
      japanese: '通話を開始できませんでした。しばらくしてから',
      options: { tokenStatus: () => 500 },
    },
    {
      about: 'the server of the page cannot be reached',
      code: 'access_failed',
      english: 'The call could not be started. Please try again later.',
      japanese: '通話を開始できませんでした。しばらくしてから',
      options: { prepare: (page) => page.route('**/call', (route) => route.abort()) },
    },
    {
      about: 'the server of the page returns no call',
      code: 'access_failed',
      english: 'The call could not be started. Please try again later.',
      japanese: '通話を開始できませんでした。しばらくしてから',
      options: { prepare: (page) => page.route('**/call', (route) => route.fulfill({ body: '<html></html>' })) },
    },
    {
      about: 'something happens that nobody expected',
      code: 'unexpected_error',
      english: 'Something went wrong.',
      japanese: '問題が発生しました。',
      options: {
        prepare: (page) =>
          page.route('**/call', (route) => route.fulfill({ json: { liveUrl: 'http://', token: 'vat_x' } })),
      },
    },
    {
      about: 'the connection is lost and cannot be resumed',
      code: 'connection_lost',
      english: 'The connection was lost.',
      japanese: '接続が切れました。',
      happens: async ({ page }, socket) => {
        await page.route('**/api/v1/**', (route) => route.fulfill(error(401)));
        isRefused = true;
        socket.drop();
      },
    },
    {
      about: 'the service closes the connection',
      code: 'protocol_error',
      english: 'The call was interrupted.',
      japanese: '通話が中断されました。',
      happens: (_, socket) => socket.close(4400),
    },
    {
      about: 'the voice fails',
      code: 'call_failed',
      english: 'The call ended because of a technical problem.',
      japanese: '技術的な問題により通話が終了しました。',
      happens: (_, socket) => socket.send({ type: 'ended', reason: 'tts_failed' }),
    },
    {
      about: 'the service reports an error',
      code: 'service_error',
      english: 'That did not work.',
      japanese: '処理できませんでした。',
      happens: (_, socket) => socket.send({ type: 'error', code: 'reply_failed', message: 'No reply.' }),
    },
  ];
  let isRefused = false;

  for (const { about, code, english, japanese, options = {}, happens } of failures) {
    it(`says so in both languages, and tells the page: ${about}`, async () => {
      for (const [language, text, start] of [
        ['en', english, 'Start call'],
        ['ja', japanese, '通話を始める'],
      ] as const) {
        isRefused = false;
        const refusal = options.refusal ?? (() => (isRefused ? 401 : undefined));
        const body = element(`layout="inline" language="${language}"`);
        const visit = await open({ body, ...options, refusal });
        await recordErrors(visit);
        const joining = happens === undefined ? null : visit.double.nextSocket();
        await visit.page.getByRole('button', { name: start }).click();
        if (joining !== null && happens !== undefined) {
          const socket = await joining;
          await visit.page.getByRole('button', { name: language === 'en' ? 'End call' : '通話を終了' }).waitFor();
          await happens(visit, socket);
        }
        await visit.page.getByRole('alert').getByText(text).waitFor();
        const [seen] = await errorsOf(visit);
        assert.equal(seen?.code, code);
        assert.ok(seen.message.length > 5, seen.message);
        await visit.page.context().close();
      }
    });
  }

  it('tells the page that there is no speech, and says what to do', async () => {
    for (const capabilities of [{ speechIn: false }, { speechOut: false }]) {
      const visit = await open({ body: element('layout="inline" language="en"'), capabilities });
      await recordErrors(visit);
      await visit.page.getByRole('button', { name: 'Start call' }).click();
      await visit.page.getByText(/Please type\.|appear as text/).waitFor();
      assert.equal((await errorsOf(visit))[0]?.code, 'speech_unavailable');
    }
  });
});

async function recordErrors({ page }: OpenedPage): Promise<void> {
  await page.evaluate(() => {
    window.events = [];
    document.addEventListener('call-error', (event) => {
      const { code, message } = (event as CustomEvent).detail;
      window.events.push(['call-error', { code, message }]);
    });
  });
}

/** Once there is one. */
async function errorsOf({ page }: OpenedPage): Promise<readonly { code: string; message: string }[]> {
  await page.waitForFunction(() => window.events.length > 0);
  return page.evaluate(() => window.events.map(([, value]) => value as { code: string; message: string }));
}

describe('<voice-agent-call> without a microphone', withBrowser, () => {
  const open = usePages('--deny-permission-prompts');

  it('explains it, and goes on in writing', async () => {
    const { page, double, asked } = await open({ body: element('layout="inline" language="en"') });
    await page.getByRole('button', { name: 'Start call' }).click();
    await page.getByRole('alert').getByText('The microphone is blocked.').waitFor();
    assert.deepEqual(asked, [], 'no call is created for nothing');
    const joining = double.nextSocket();
    await page.getByRole('button', { name: 'Continue by typing' }).click();
    const socket = await joining;
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('Hello.');
    await page.keyboard.press('Enter');
    await socket.next('text', ({ text }) => text === 'Hello.');
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Mute' }).count(), 0);
    assert.deepEqual(double.problems, []);
  });
});
