import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createAgent, send } from '../support/client.ts';
import { embeddedSpeech, withSpeech } from '../support/service.ts';
import { newAudit } from './support/accessibility.ts';
import { useDashboard, withBrowser } from './support/browser.ts';
import { logOf, panelOf, say, tryByChat } from './support/panel.ts';

const root = join(import.meta.dirname, '..', '..');

describe('the templates of a new agent', withBrowser, () => {
  const dashboard = useDashboard(async () => ({ speech: embeddedSpeech() }));

  const faq = {
    en: { text: 'What are your opening hours?', answer: /Wednesday|from ten/ },
    ja: { text: '営業時間を教えてください', answer: /十時/ },
  };

  /** The first reply to a question in a chat. */
  async function ask(key: string, agentId: string, text: string, answer: RegExp): Promise<void> {
    const post = (path: string, body: object) => send(dashboard.service, 'POST', `/api/v1/calls${path}`, { key, body });
    const { json: call } = await post('', { type: 'chat', agentId, agentVersion: 'latest' });
    await post(`/${call.id}/messages`, {});
    const { json: reply } = await post(`/${call.id}/messages`, { text });
    assert.match(reply.turns.map(({ text: said }: { text: string }) => said).join(' '), answer);
  }

  it('are offered in both languages, and each creates an agent that can be published', async () => {
    const { key } = await dashboard.service.newKey();
    const titles = {
      en: ['Receptionist', 'Order status', 'FAQ desk', 'Survey', 'Custom LLM'],
      ja: ['予約受付', '配送状況の案内', 'FAQデスク', 'アンケート', 'カスタムLLM'],
    };
    const names = ['reception', 'order-status', 'faq-desk', 'survey', 'custom-llm'];
    for (const language of ['en', 'ja'] as const) {
      const locale = { en: 'en-GB', ja: 'ja-JP' }[language];
      const { page, complaints } = await dashboard.visit('/agents/new', { key, locale });
      for (const title of titles[language])
        await page.getByRole('radio', { name: title, exact: false }).first().waitFor();
      for (const name of names) {
        await page.goto(`${dashboard.service.url}/agents/new?template=${name}`);
        await page.locator(`input[value=${name}]:checked`).waitFor();
        await page
          .getByRole('button', { name: /^(Create agent|エージェントを作成)$/ })
          .first()
          .click();
        await page.waitForURL(/\/agents\/agt_/);
        const id = new URL(page.url()).pathname.split('/')[2];
        const { json: agent } = await send(dashboard.service, 'GET', `/api/v1/agents/${id}`, { key });
        assert.equal(agent.language.slice(0, 2), language, name);
        if (language === 'en') assert.equal(agent.voiceId, 'slt');
        const { json: check } = await send(dashboard.service, 'GET', `/api/v1/agents/${id}/check`, { key });
        assert.deepEqual(check.errors, [], name);
        if (name === 'faq-desk') await ask(key, agent.id, faq[language].text, faq[language].answer);
      }
      assert.deepEqual(complaints, []);
    }
  });

  it('switch their language, keep what was typed, and leave the choice if it is there', async () => {
    const { key } = await dashboard.service.newKey();
    const { page } = await dashboard.visit('/agents/new?template=survey', { key });
    await page.locator('#field-name').fill('My survey');
    const languages = page.getByRole('radiogroup', { name: 'Language of the templates' });
    await languages.getByText('日本語').click();
    await page.locator('input[value=survey]:checked').waitFor();
    assert.equal(await page.locator('#field-name').inputValue(), 'My survey');
    assert.match(await page.locator('#field-beginMessage').inputValue(), /ノースウィンド運輸/);
    assert.equal(await page.getByRole('radio', { name: /Opening hours/ }).count(), 0);
    await languages.getByText('English').click();
    assert.match(await page.locator('#field-beginMessage').inputValue(), /Northwind Parcels/);
  });

  it('work with the example server of a custom LLM, which answers in the language of the agent', async () => {
    const { key } = await dashboard.service.newKey();
    const server = spawn(process.execPath, [join(root, 'examples/custom-llm/server.ts'), '0'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const [line] = await once(server.stdout, 'data');
      const llmWebsocketUrl = String(line).trim();
      for (const [language, said, reply] of [
        ['en', 'A table, please.', 'For which day?'],
        ['ja', '席を予約したいのですが。', 'ご予約のお日にちを教えてください。'],
      ] as const) {
        const { page } = await dashboard.visit(`/agents/new?template=custom-llm&language=${language}`, { key });
        await page.getByText('node examples/custom-llm/server.ts').waitFor();
        await page.locator('[id="field-responseEngine.llmWebsocketUrl"]').fill(llmWebsocketUrl);
        await page.getByRole('button', { name: 'Create agent' }).first().click();
        await page.waitForURL(/\/agents\/agt_/);
        await tryByChat(page);
        await say(page, said);
        await logOf(page).getByText(reply).waitFor();
        await panelOf(page).getByRole('button', { name: 'End', exact: true }).click();
        await panelOf(page).getByText('You ended the chat.').waitFor();
      }
    } finally {
      server.kill();
    }
  });

  it('have no serious axe violation, and no sideways scrolling, in both languages, light and dark', async () => {
    const { key } = await dashboard.service.newKey();
    const audit = newAudit();
    for (const locale of ['en-GB', 'ja-JP']) {
      const { page } = await dashboard.visit('/agents/new?template=custom-llm', { key, locale });
      await page.getByText('node examples/custom-llm/server.ts').waitFor();
      await audit.look(page, `templates, ${locale}`);
      await page.setViewportSize({ width: 390, height: 844 });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 390, `${width} wide`);
    }
    audit.assertClean();
  });
});

describe('a voice that the service does not have', { ...withBrowser, ...withSpeech }, () => {
  const dashboard = useDashboard(async () => ({ speech: embeddedSpeech() }));

  it('is shown with the one that is used instead, and replaced by a click', async () => {
    const { key } = await dashboard.service.newKey();
    const agent = await createAgent(dashboard.service, key, { voiceId: 'en-US-Ava', language: 'en-US' });
    const { page, complaints } = await dashboard.visit(`/agents/${agent.id}/voice`, { key });
    const field = page.locator('[data-field=voiceId]');
    await field.getByText('This service has no voice en-US-Ava: slt is used instead.').waitFor();
    const picker = field.getByRole('group', { name: 'Choose a voice' });
    assert.deepEqual(await picker.getByRole('button').allTextContents(), ['slt', 'rms', 'awb', 'kal']);
    await picker.getByRole('button', { name: 'rms' }).click();
    assert.equal(await page.locator('#field-voiceId').inputValue(), 'rms');
    assert.equal(await picker.count(), 0);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved').first().waitFor();
    const { json } = await send(dashboard.service, 'GET', `/api/v1/agents/${agent.id}`, { key });
    assert.equal(json.voiceId, 'rms');
    assert.deepEqual(complaints, []);
  });

  it('is not reported for providers that have more voices than they list', async () => {
    const { key } = await dashboard.service.newKey();
    const agent = await createAgent(dashboard.service, key, {
      voiceId: 'en-US-Ava',
      ttsProvider: 'test',
      language: 'en',
    });
    const { page } = await dashboard.visit(`/agents/${agent.id}/voice`, { key });
    await page.locator('#field-voiceId').waitFor();
    await page.locator('[data-field=ttsProvider]').waitFor();
    assert.equal(await page.getByText('is used instead').count(), 0);
  });

  it('is named in “Try”, with a link to the voices', async () => {
    const { key } = await dashboard.service.newKey();
    const agent = await createAgent(dashboard.service, key, { voiceId: 'ja-JP-Nanami', language: 'en' });
    for (const [locale, text, link] of [
      ['en-GB', 'This service has no voice ja-JP-Nanami: slt is used instead.', 'Choose a voice'],
      ['ja-JP', '音声「ja-JP-Nanami」はこのサービスにないため、代わりに「slt」を使います。', '音声を選ぶ'],
    ] as const) {
      const { page } = await dashboard.visit(`/agents/${agent.id}`, { key, locale });
      await page.getByRole('button', { name: /^(Try|試す)$/ }).click();
      const panel = page.getByRole('complementary');
      await panel.getByRole('button', { name: /^(Make a call|通話する)$/ }).click();
      await panel.getByText(text).waitFor();
      await panel.getByRole('link', { name: link }).click();
      await page.locator('#field-voiceId:focus').waitFor();
    }
  });

  it('has no serious axe violation, light and dark, wide and narrow', async () => {
    const { key } = await dashboard.service.newKey();
    const agent = await createAgent(dashboard.service, key, { voiceId: 'en-US-Ava', language: 'en-US' });
    const audit = newAudit();
    for (const locale of ['en-GB', 'ja-JP']) {
      const { page } = await dashboard.visit(`/agents/${agent.id}/voice`, { key, locale });
      await page.getByRole('group', { name: /Choose a voice|音声を選ぶ/ }).waitFor();
      await audit.look(page, `a replaced voice, ${locale}`);
    }
    audit.assertClean();
  });
});
