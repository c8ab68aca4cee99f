import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { Agent } from '../../src/contract/agents/agent.ts';
import { createAgent, send } from '../support/client.ts';
import { intercept, useDashboard, withBrowser } from './support/browser.ts';

describe('the agent form in a browser', withBrowser, () => {
  const dashboard = useDashboard();
  const read = async (key: string, id: string): Promise<Agent> =>
    (await send(dashboard.service, 'GET', `/api/v1/agents/${id}`, { key })).json;
  const change = (key: string, id: string, body: object) =>
    send(dashboard.service, 'PATCH', `/api/v1/agents/${id}`, { key, body });
  const openNew = async (fields: Record<string, unknown> = {}, options: object = {}) => {
    const { key } = await dashboard.service.newKey();
    const agent = await createAgent(dashboard.service, key, fields);
    return { key, agent, ...(await dashboard.visit(`/agents/${agent.id}`, { key, ...options })) };
  };
  // By label instead of role, which is computed for every element of a long page.
  const field = (page: Page, name: string) =>
    page.locator('input[type=text], textarea').and(page.getByLabel(name, { exact: true }));
  const save = (page: Page) => page.locator('form button', { hasText: /^Save$/ }).click();
  const tab = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Agent views' }).getByText(name).click();

  it('shows each error at its field, and creates the agent once they are fixed', async () => {
    const { key } = await dashboard.service.newKey();
    const { page, asked, complaints } = await dashboard.visit('/agents/new?template=blank', { key });
    await page.locator('#field-name:focus').waitFor();
    await page.getByRole('button', { name: /^Advanced/ }).click();
    await field(page, 'Speed').fill('9');
    await page.locator('[data-field=voiceSpeed]').getByText('must be at most 2').waitFor();
    assert.equal(await page.locator('[role=alert]').count(), 0, 'nothing has been attempted');
    await page.getByRole('button', { name: /^Advanced/ }).click();
    await page.locator('button', { hasText: 'Create agent' }).click();
    await page.locator('[role=alert]', { hasText: '3 problems to fix' }).waitFor();
    await page.locator('#field-name:focus').waitFor();
    await page.locator('a', { hasText: 'Voice · Speed' }).click();
    await page.locator('#field-voiceSpeed:focus').waitFor();
    assert.equal(
      asked.some((url) => url.endsWith('/api/v1/agents')),
      false,
      'what cannot be right is not sent',
    );
    await field(page, 'Name').fill('予約受付');
    await field(page, 'Voice').fill('ja-JP-Nanami');
    await field(page, 'Speed').fill('1.25');
    await page.locator('[role=alert]', { hasText: 'to fix' }).waitFor({ state: 'detached' });

    // Errors that only the service can detect.
    await page.locator('#field-webhookUrl').fill('http://example.com/hook');
    await page.locator('button', { hasText: 'Add rule' }).click();
    await page.getByLabel('Rule 1: Text').fill('([a-z');
    await page.getByRole('checkbox', { name: /^Regular expression/ }).check();
    await page.locator('button', { hasText: 'Create agent' }).click();
    const address = page.locator('[data-field=webhookUrl]');
    await address.getByText('must be an https:// URL').waitFor();
    assert.equal(await page.locator('#field-webhookUrl').getAttribute('aria-invalid'), 'true');
    await page
      .locator('[data-field=pronunciationDictionary]')
      .getByText(/RE2 syntax/)
      .waitFor();
    await page.locator('[id="field-pronunciationDictionary.0.find"]:focus').waitFor();
    await page.locator('a', { hasText: 'Webhooks · URL' }).click();
    await page.locator('#field-webhookUrl:focus').waitFor();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('https://example.com/hook');
    await page.getByLabel('Rule 1: Text').fill('[a-z]+');
    await page.getByLabel('Rule 1: Spoken as').fill('文字');
    await page.locator('button', { hasText: 'Add analysis field' }).click();
    await page.getByRole('listitem', { name: 'Analysis field 1' }).getByLabel('Name').fill('booked');
    await page.getByLabel('Type', { exact: true }).selectOption('enum');
    await page.getByLabel('Add to Options').fill('yes');
    await page.keyboard.press('Enter');
    await page.keyboard.type('no');
    await page.keyboard.press('Enter');
    await page.locator('button', { hasText: 'Create agent' }).click();
    await page.locator('h1', { hasText: '予約受付' }).waitFor();
    const agent = await read(key, new URL(page.url()).pathname.split('/').at(-1) as string);
    assert.equal(agent.voiceSpeed, 1.25);
    assert.deepEqual(agent.pronunciationDictionary, [{ find: '[a-z]+', replace: '文字', isRegex: true }]);
    assert.deepEqual(agent.postCallAnalysisData, [
      { name: 'booked', type: 'enum', description: '', options: ['yes', 'no'] },
    ]);
    assert.deepEqual(complaints, []);
  });

  it('sends only what has changed, by keyboard alone', async () => {
    const { page, key, agent } = await openNew({ beginMessage: 'Hello', agentSettings: { a: 1, b: 2 } });
    await field(page, 'Name').waitFor();
    const patches: unknown[] = [];
    page.on('request', (request) => request.method() === 'PATCH' && patches.push(request.postDataJSON()));
    // From the control before it: the long tests walk all the way.
    const tabTo = async (id: string) => {
      await page.evaluate((target) => {
        const all = [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, [tabindex]')];
        const reachable = all.filter((element) => element.tabIndex >= 0 && element.checkVisibility());
        reachable[reachable.findIndex((element) => element.id === target) - 1]?.focus();
      }, id);
      for (let count = 0; count < 5; count += 1) {
        await page.keyboard.press('Tab');
        if ((await page.evaluate(() => document.activeElement?.id)) === id) return;
      }
      assert.fail(`${id} cannot be reached by keyboard`);
    };
    await tabTo('field-name');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('Desk');
    await tabTo('field-beginMessage');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ArrowUp');
    await tabTo('field-agentSettings');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText('{"a": 1, "c": [null]}');
    await page.getByRole('link', { name: 'Voice and listening' }).press('Enter');
    await page.locator('#field-voiceId').waitFor();
    await page.getByRole('link', { name: 'Voice and listening' }).and(page.locator(':focus')).waitFor();
    await tabTo('field-voiceSpeed');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ArrowRight');
    await tabTo('field-fallbackVoiceIds');
    await page.keyboard.type('voice-2');
    await page.keyboard.press('Enter');
    await tabTo('field-adaptiveSpeechRate');
    await page.keyboard.press('Space');
    await page.getByRole('link', { name: /^Flow ?, 3 unsaved changes$/ }).waitFor();
    await page.locator('form [role=status]', { hasText: 'Unsaved changes: 6 fields' }).waitFor();
    await page.keyboard.press('ControlOrMeta+s');
    await page.locator('form [role=status]', { hasText: 'No unsaved changes' }).waitFor();
    assert.deepEqual(patches, [
      {
        name: 'Desk',
        fallbackVoiceIds: ['voice-2'],
        voiceSpeed: 1.05,
        adaptiveSpeechRate: { enabled: true, minSpeed: 0.8, maxSpeed: 1.3, windowSize: 3 },
        beginMessage: '',
        agentSettings: { b: null, c: [null] },
      },
    ]);
    assert.deepEqual((await read(key, agent.id)).agentSettings, { a: 1, c: [null] });
    await page.getByRole('button', { name: 'Reset Adaptive speech rate to default' }).click();
    await save(page);
    await page.locator('form [role=status]', { hasText: 'No unsaved changes' }).waitFor();
    assert.equal('adaptiveSpeechRate' in (await read(key, agent.id)), false);
  });

  it('covers neither the title nor the buttons with a notification, wide or narrow', async () => {
    const { page } = await openNew();
    for (const [width, height] of [
      [1280, 800],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      await field(page, 'Name').fill(`Width ${width}`);
      await page.keyboard.press('ControlOrMeta+s');
      const notice = page.locator('.mantine-Notification-root').last();
      await notice.waitFor();
      const covered = await notice.evaluate((element) => {
        const one = element.getBoundingClientRect();
        const isCovered = (other: DOMRect) =>
          other.left < one.right && other.right > one.left && other.top < one.bottom && other.bottom > one.top;
        const others = document.querySelectorAll('main h1, main header button, [data-is-save-bar]');
        return [...others].filter((other) => isCovered(other.getBoundingClientRect())).map((other) => other.outerHTML);
      });
      assert.deepEqual(covered, [], `at ${width} px`);
      await notice.getByRole('button').click();
      await notice.waitFor({ state: 'detached' });
    }
  });

  it('keeps unsaved changes if a part of the page cannot be loaded, and offers to reload it', async () => {
    const { page, asked } = await openNew();
    await field(page, 'Name').fill('Not saved yet');
    await intercept(page, '**/assets/palette-*.js', (route) => route.fulfill({ status: 404, json: {} }));
    await intercept(page, '**/assets/versions-*.js', (route) => route.fulfill({ status: 404, json: {} }));
    const documents = asked.filter((url) => !url.includes('/assets/') && !url.includes('/api/')).length;
    await tab(page, 'Versions');
    const failed = page.getByRole('alert').filter({ hasText: 'This part of the page could not be loaded' });
    await failed.getByRole('button', { name: 'Reload' }).waitFor();
    await page.keyboard.press('ControlOrMeta+k');
    const reload = page.getByRole('dialog').getByRole('button', { name: 'Reload' });
    await reload.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('navigation', { name: 'Agent views' }).getByRole('link').first().click();
    assert.equal(await field(page, 'Name').inputValue(), 'Not saved yet');
    assert.equal(asked.filter((url) => !url.includes('/assets/') && !url.includes('/api/')).length, documents);
  });

  it('counts the time since the last update while it is open', async () => {
    const { key } = await dashboard.service.newKey();
    const { id } = await createAgent(dashboard.service, key);
    const { page } = await dashboard.visit('/docs/favicon.svg', { key, timezoneId: 'UTC' });
    await page.clock.install();
    await page.goto(`${dashboard.service.url}/agents/${id}`);
    await page.getByText(/^Updated (now|\d+ seconds? ago)$/).waitFor();
    await page.clock.runFor(5 * 60_000);
    await page.getByText(/^Updated 5 minutes ago$/).waitFor();
    await page.context().close();
  });

  it('warns before unsaved changes are lost: by a link, by going back, by closing', async () => {
    const { page, agent } = await openNew();
    await page.locator('a', { hasText: 'API keys' }).click();
    await page.evaluate((to) => history.pushState(null, '', to), `/agents/${agent.id}`);
    await field(page, 'Name').fill('Changed');
    // The tabs keep it, also by the back button.
    await tab(page, 'Versions');
    await page.waitForURL('**/versions');
    await page.getByText('There is only one version').waitFor();
    await page.evaluate(() => history.back());
    assert.equal(await field(page, 'Name').inputValue(), 'Changed');
    const dialog = page.locator('[role=dialog]', { hasText: 'Leave without saving?' });
    await page.locator('a', { hasText: 'API keys' }).click();
    await dialog.getByRole('button', { name: 'Keep editing' }).click();
    await page.evaluate(() => history.back());
    await dialog.waitFor();
    assert.equal(new URL(page.url()).pathname, `/agents/${agent.id}`);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    assert.equal(await field(page, 'Name').inputValue(), 'Changed');
    const asked = page.waitForEvent('dialog');
    const closing = page.evaluate(() => location.reload()).catch(() => {});
    const leaving = await asked;
    assert.equal(leaving.type(), 'beforeunload');
    await leaving.dismiss();
    await closing;
    await page.evaluate(() => history.back());
    await dialog.getByRole('button', { name: 'Leave without saving' }).click();
    await page.waitForURL('**/keys');
    await page.evaluate((to) => history.pushState(null, '', to), `/agents/${agent.id}`);
    assert.equal(await field(page, 'Name').inputValue(), agent.name);
    await field(page, 'Name').fill('Once more');
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await page.locator('[role=dialog]').getByRole('button', { name: 'Discard' }).click();
    await page.locator('form [role=status]', { hasText: 'No unsaved changes' }).waitFor();
    await page.locator('a', { hasText: 'API keys' }).click();
    await page.waitForURL('**/keys');
  });

  it('shows what someone else saved first, and merges it', async () => {
    const { page, key, agent } = await openNew({ language: 'ja' });
    await field(page, 'Name').fill('Mine');
    await field(page, 'Language').fill('en');
    await tab(page, 'Voice and listening');
    await field(page, 'Volume').fill('1.5');
    await change(key, agent.id, { name: 'Theirs', language: 'de', voiceSpeed: 2 });
    await save(page);
    const dialog = page.locator('[role=dialog]', { hasText: 'Someone else has updated this agent' });
    await dialog.getByText('Changed by both').waitFor();
    const name = dialog.locator('[data-conflict=name]');
    for (const text of [agent.name, 'Theirs', 'Mine']) await name.getByText(text, { exact: true }).waitFor();
    assert.equal(await dialog.locator('[data-conflict]').count(), 2);
    await name.getByRole('radio', { name: 'Use theirs' }).check();
    await dialog.getByRole('button', { name: 'Save merged' }).click();
    await page.locator('form [role=status]', { hasText: 'No unsaved changes' }).waitFor();
    const { name: saved, language, volume, voiceSpeed } = await read(key, agent.id);
    assert.deepEqual([saved, language, volume, voiceSpeed], ['Theirs', 'en', 1.5, 2]);
    await tab(page, 'Flow');
    assert.equal(await field(page, 'Name').inputValue(), 'Theirs');
  });

  it('overwrites or discards on request', async () => {
    const { page, key, agent } = await openNew();
    const name = field(page, 'Name');
    const dialog = page.locator('[role=dialog]');
    await name.fill('Mine');
    await change(key, agent.id, { name: 'Theirs', voiceSpeed: 2 });
    await save(page);
    await dialog.getByRole('button', { name: 'Overwrite with yours' }).click();
    await page.locator('form [role=status]', { hasText: 'No unsaved changes' }).waitFor();
    const { name: saved, voiceSpeed } = await read(key, agent.id);
    assert.deepEqual([saved, voiceSpeed], ['Mine', 1], 'their change is undone, too');

    await name.fill('Mine again');
    await change(key, agent.id, { name: 'Theirs again' });
    await save(page);
    await dialog.getByRole('button', { name: 'Discard your changes' }).click();
    await page.locator('form [role=status]', { hasText: 'No unsaved changes' }).waitFor();
    assert.equal(await name.inputValue(), 'Theirs again');
    await page.locator('h1', { hasText: 'Theirs again' }).waitFor();

    await name.fill('Too late');
    await send(dashboard.service, 'DELETE', `/api/v1/agents/${agent.id}`, { key });
    await save(page);
    await page.getByText('This agent has been deleted').waitFor();
    assert.equal(await name.inputValue(), 'Too late', 'the input is still there');
  });

  it('shows any text as plain text', async () => {
    const attack = '"><img src=x onerror="window.broken=1"><script>window.broken=1</script>{{7*7}}';
    const { page, key, agent, complaints } = await openNew({
      name: attack,
      voiceId: attack,
      voiceModel: attack,
      language: '"><img src=x onerror=broken=1>',
      beginMessage: attack,
      versionDescription: attack,
      responseEngine: {
        prompt: attack,
        model: attack,
        llmWebsocketUrl: `wss://example.com/?${encodeURIComponent(attack)}#javascript:broken=1`,
      },
      fallbackVoiceIds: [attack],
      backchannelWords: [attack],
      boostedKeywords: [attack],
      webhookEvents: [attack],
      sttProvider: attack,
      ttsProvider: attack,
      postCallAnalysisModel: attack,
      startSkillId: attack,
      agentGlobalPrompt: attack,
      agentVariables: [attack],
      agentSettings: { [attack]: attack },
      pronunciationDictionary: [{ find: attack, replace: attack }],
      postCallAnalysisData: [{ name: attack, type: 'enum', description: attack, options: [attack] }],
      webhookUrl: `https://example.com/?${encodeURIComponent(attack)}#javascript:broken=1`,
    });
    await page.locator('h1', { hasText: attack }).waitFor();
    let shown: string[] = [];
    for (const name of ['Flow', 'Voice and listening', 'Analysis', 'Webhook', 'Flow']) {
      await tab(page, name);
      await page.locator('nav a[aria-current]', { hasText: name }).waitFor();
      const inputs = page.locator('main').locator('input[type=text], textarea');
      await inputs.first().waitFor();
      shown = [...shown, ...(await inputs.evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value)))];
    }
    assert.ok(shown.filter((value) => value.includes('window.broken')).length >= 17);
    await field(page, 'Version description').fill(`${attack}!`);
    await change(key, agent.id, {
      versionDescription: `${attack}?`,
      responseEngine: { prompt: `${attack}\n${attack}` },
    });
    await save(page);
    await page.locator('[role=dialog]').getByText(`${attack}?`, { exact: true }).waitFor();
    await page.locator('button', { hasText: 'Save merged' }).click();
    await page.locator('form [role=status]', { hasText: 'No unsaved changes' }).waitFor();
    for (const view of ['Versions', 'Code']) {
      await tab(page, view);
      await page.getByText(attack.slice(0, 20)).first().waitFor();
    }
    assert.equal(await page.evaluate(() => 'broken' in window), false);
    assert.equal(await page.locator('main img, main script').count(), 0);
    assert.deepEqual(complaints, []);
  });

  it('is readable with a read-only key, and says why nothing can be changed', async () => {
    const owner = await dashboard.service.newKey({ workspace: 'shop of the reader' });
    const agent = await createAgent(dashboard.service, owner.key);
    const { key } = await dashboard.service.newKey({ workspace: 'shop of the reader', scopes: ['agents:read'] });
    const { page } = await dashboard.visit(`/agents/${agent.id}`, { key });
    const reason = /does not have the scope agents:write/;
    for (const name of ['Save', 'Publish']) {
      const button = page.getByRole('button', { name: new RegExp(`^${name}.*agents:write`) });
      assert.equal(await button.getAttribute('aria-disabled'), 'true');
    }
    await page.getByText(reason).first().waitFor();
    assert.equal(await field(page, 'Name').isEditable(), false);
    await tab(page, 'Voice and listening');
    assert.equal(await page.getByRole('switch', { name: 'Backchannel' }).isDisabled(), true);
    await page.getByRole('button', { name: 'More' }).click();
    const remove = page.getByRole('menuitem', { name: /^Delete/ });
    assert.match((await remove.textContent()) ?? '', reason);
    await remove.click({ force: true });
    assert.equal(await page.locator('[role=dialog]').count(), 0);
    const auditLog = page.getByRole('menuitem', { name: /^Audit log/ });
    assert.match((await auditLog.textContent()) ?? '', /does not have the scope audit:read/);
    assert.equal(await auditLog.getAttribute('href'), null);
    await page.goto(`${dashboard.service.url}/agents/new`);
    await page.getByText(reason).first().waitFor();
  });

  it('is available in Japanese, and fits a narrow screen, even with a conflict', async () => {
    const { page, key, agent } = await openNew(
      {
        name: 'あ'.repeat(255),
        adaptiveSpeechRate: { enabled: true, minSpeed: 0.8, maxSpeed: 1.3, windowSize: 3 },
        fallbackVoiceIds: ['a', 'b'],
      },
      { locale: 'ja-JP', viewport: { width: 360, height: 740 } },
    );
    const width = () => page.evaluate(() => document.documentElement.scrollWidth);
    await field(page, '名前').fill('自分');
    assert.equal(await width(), 360);
    await change(key, agent.id, { name: '相手', responseEngine: { prompt: 'a\nb' } });
    await page.keyboard.press('ControlOrMeta+s');
    await page.locator('[role=dialog]', { hasText: '他のユーザーがこのエージェントを更新しました' }).waitFor();
    assert.equal(await width(), 360);
  });
});
