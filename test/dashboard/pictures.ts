/**
 * `npm run pictures -- <folder>`: screenshots of every page of the dashboard, light and dark, wide and narrow, in
 * English and Japanese. `npm run pictures -- docs/images documented` takes those that the documentation shows.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { realClock } from '../../src/voice/clock.ts';
import { createConnectedProviders } from '../../src/voice/providers/connected.ts';
import { createOpenAiLlm } from '../../src/voice/providers/openai/llm.ts';
import { startOpenAiDouble } from '../providers/openai-double.ts';
import { send } from '../support/client.ts';
import { createSqliteEngine } from '../support/engines.ts';
import { startService, testSpeech } from '../support/service.ts';
import { launchChromium } from './support/chromium.ts';
import { type CompleteShop, openCompleteShop } from './support/complete-shop.ts';
import { documentedPictures } from './support/documented-pictures.ts';
import { openMeasuredShop } from './support/measured-shop.ts';
import { tryByChat } from './support/panel.ts';
import { replyOfShop } from './support/shop-calls.ts';
import { makeTestCall } from './support/test-call.ts';

interface Picture {
  readonly name: string;
  readonly path: (shop: CompleteShop) => string;
  readonly isSignedOut?: boolean;
  readonly prepare?: (page: Page, shop: CompleteShop) => Promise<unknown>;
}

const callWith = ({ chatId }: CompleteShop, view: string) => `/calls/${chatId}?view=${view}`;
const talkWith = ({ spokenId }: CompleteShop, view: string) => `/calls/${spokenId}?view=${view}`;

const pictures: readonly Picture[] = [
  { name: 'sign-in', path: () => '/sign-in', isSignedOut: true },
  { name: 'overview', path: () => '/overview' },
  {
    name: 'first-run',
    path: () => '/keys',
    prepare: async (page) => {
      newWorkspaces += 1;
      const number = newWorkspaces === 1 ? '' : ` ${newWorkspaces}`;
      const { key } = await service.newKey({ workspace: `Maple Street Dental${number}` });
      await page.addInitScript((own) => sessionStorage.setItem('voice-agents-key', own), key);
      await page.goto(`${service.url}/overview`);
      await page.getByRole('heading', { name: /^(Create an agent|エージェントを作成する)$/ }).waitFor();
    },
  },
  {
    name: 'palette',
    path: () => '/overview',
    prepare: async (page) => {
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('option').first().waitFor();
    },
  },
  {
    name: 'palette-search',
    path: () => '/overview',
    prepare: async (page) => {
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('combobox').fill('a');
      await page.getByRole('option').nth(5).waitFor();
    },
  },
  { name: 'service', path: () => '/settings/service' },
  {
    name: 'day',
    path: () => '/settings/service',
    prepare: async (page) => {
      await page.getByText(/^(Last 24 hours|過去24時間)$/).click();
      await page.locator('[role=slider][aria-valuemax="143"]').first().waitFor();
    },
  },
  { name: 'agents', path: () => '/agents' },
  { name: 'agents-changed', path: () => '/agents?sort=changed' },
  {
    name: 'agents-menu',
    path: () => '/agents',
    prepare: (page) =>
      page
        .getByRole('button', { name: /^Actions for|の操作$/ })
        .first()
        .click(),
  },
  {
    name: 'agents-delete',
    path: () => '/agents',
    prepare: async (page) => {
      for (const index of [1, 2, 3]) await page.getByRole('checkbox').nth(index).check();
      await page.getByRole('button', { name: /^(Delete|削除)/ }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'new-agent', path: () => '/agents/new' },
  { name: 'agent', path: ({ agentId }) => `/agents/${agentId}` },
  {
    name: 'language-picker',
    path: ({ agentId }) => `/agents/${agentId}`,
    prepare: async (page) => {
      await page.locator('#field-language').click();
      await page.locator('[role=option]').first().waitFor();
    },
  },
  {
    name: 'voice',
    path: ({ agentId }) => `/agents/${agentId}/voice`,
    prepare: async (page) => {
      await page.locator('#field-voiceSpeed').fill('1.25');
      await page.mouse.move(0, 0);
    },
  },
  {
    name: 'voice-replaced',
    path: ({ agentId }) => `/agents/${agentId}/voice`,
    prepare: async (page) => {
      await onlyEmbeddedVoices(page);
      await page.reload();
      await page.getByRole('group', { name: /^(Choose a voice|音声を選ぶ)$/ }).waitFor();
    },
  },
  {
    name: 'try-replaced',
    path: ({ agentId }) => `/agents/${agentId}`,
    prepare: async (page) => {
      await onlyEmbeddedVoices(page);
      await page.reload();
      await page.getByRole('button', { name: /^(Try|試す)$/ }).click();
      await page.getByRole('button', { name: /^(Make a call|通話する)$/ }).click();
      await page.getByRole('link', { name: /^(Choose a voice|音声を選ぶ)$/ }).waitFor();
    },
  },
  { name: 'new-agent-custom', path: () => '/agents/new?template=custom-llm' },
  ...['analysis', 'webhook', 'calls'].map((tab) => ({
    name: `agent-${tab}`,
    path: ({ agentId }: CompleteShop) => `/agents/${agentId}/${tab}`,
  })),
  {
    name: 'new-agent-salon',
    path: () => '/agents/new?template=salon',
    prepare: (page) => page.getByRole('button', { name: /^(Advanced|詳細設定)/ }).click(),
  },
  { name: 'flow', path: ({ flowAgentId }) => `/agents/${flowAgentId}/flow`, prepare: (page) => openSkill(page) },
  {
    name: 'flow-preview',
    path: ({ flowAgentId }) => `/agents/${flowAgentId}`,
    prepare: (page) => page.locator('main g[data-type] rect').first().waitFor(),
  },
  {
    name: 'flow-list',
    path: ({ flowAgentId }) => `/agents/${flowAgentId}/flow`,
    prepare: async (page) => {
      await page.getByText(/^(List|リスト)$/).click();
      await page.locator('ol button').first().click();
    },
  },
  {
    name: 'agent-whole',
    path: ({ agentId }) => `/agents/${agentId}`,
    prepare: (page) => page.setViewportSize({ width: page.viewportSize()?.width ?? 0, height: 6000 }),
  },
  { name: 'versions', path: ({ agentId }) => `/agents/${agentId}/versions` },
  { name: 'code', path: ({ agentId }) => `/agents/${agentId}/code` },
  {
    name: 'faults',
    path: () => '/agents/new?template=blank',
    prepare: async (page) => {
      await page.getByRole('button', { name: /^(Advanced|詳細設定)/ }).click();
      await page.locator('#field-voiceSpeed').fill('9');
      await page.getByRole('button', { name: /^(Create agent|エージェントを作成)/ }).click();
    },
  },
  {
    name: 'conflict',
    path: ({ agentId }) => `/agents/${agentId}`,
    prepare: async (page, { agentId, key }) => {
      await page.locator('#field-name').fill('予約受付 Sakura');
      await page.locator('#field-language').fill('ja');
      await rename(key, agentId, '予約受付 Sakura Salon Kyoto');
      await page.keyboard.press('ControlOrMeta+s');
      await page.getByRole('dialog').waitFor();
      // Restored for the following screenshots.
      await rename(key, agentId, '予約受付 Sakura Salon');
    },
  },
  {
    name: 'publish',
    path: ({ agentId }) => `/agents/${agentId}`,
    prepare: (page) => page.getByRole('button', { name: /^(Publish|公開)/ }).click(),
  },
  { name: 'draft-problems', path: () => '/agents', prepare: (page, { key }) => openBroken(page, key) },
  {
    name: 'publish-problems',
    path: () => '/agents',
    prepare: async (page, { key }) => {
      await openBroken(page, key);
      await page.getByRole('button', { name: /prevent publishing|件の問題があ/ }).click();
      await page
        .getByRole('dialog')
        .getByText(/^day · /)
        .first()
        .waitFor();
    },
  },
  {
    name: 'publish-unsaved',
    path: () => '/agents',
    prepare: async (page, { key }) => {
      await openBroken(page, key);
      await page.locator('#field-name').fill('Kiku');
      await page.getByRole('button', { name: /in the saved draft|件の問題があ/ }).click();
      await page
        .getByRole('dialog')
        .getByText(/^day · /)
        .first()
        .waitFor();
    },
  },
  {
    name: 'publish-warning',
    path: () => '/agents',
    prepare: async (page, { key }) => {
      await openBroken(page, key, { webhookEvents: [], agentSettings: { flow: { skills: sound } } });
      await page.getByRole('button', { name: /^(Publish|公開)/ }).click();
      await page
        .getByRole('dialog')
        .getByText(/^greet · /)
        .first()
        .waitFor();
    },
  },
  {
    name: 'publish-unchecked',
    path: ({ agentId }) => `/agents/${agentId}/versions`,
    prepare: async (page, { agentId }) => {
      await page.route('**/check', (route) => route.abort());
      await page.goto(`${service.url}/agents/${agentId}`);
      await page.getByRole('button', { name: /^(Publish|公開)/ }).click();
      await page.getByRole('dialog').getByRole('region').first().waitFor();
    },
  },
  {
    name: 'publish-checking',
    path: ({ agentId }) => `/agents/${agentId}/versions`,
    prepare: async (page, { agentId }) => {
      // Never answered.
      await page.route('**/check', () => {});
      await page.goto(`${service.url}/agents/${agentId}`);
      await page.getByRole('button', { name: /^(Publish|公開)/ }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'problem-place',
    path: () => '/agents',
    prepare: async (page, { key }) => {
      await openBroken(page, key);
      await page.getByRole('button', { name: /prevent publishing|件の問題があ/ }).click();
      await page.getByRole('link', { name: /^party · / }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    },
  },
  {
    name: 'code-drawer',
    path: () => '/agents/new?template=salon',
    prepare: (page) => page.getByRole('button', { name: /^(Code|コード)/ }).click(),
  },
  { name: 'try', path: ({ agentId }) => `/agents/${agentId}`, prepare: (page) => chat(page) },
  {
    name: 'try-speak',
    path: ({ agentId }) => `/agents/${agentId}`,
    prepare: async (page) => {
      // The service in these pictures has a provider that recognizes Japanese; in this picture, none does.
      const items = [
        { name: 'embedded', configured: true, capabilities: ['stt', 'tts'], languages: ['en'], automatic: true },
      ];
      const json = { items, pagination: { nextCursor: null } };
      await page.route('**/api/v1/providers', (route) => route.fulfill({ json }));
      await page.reload();
      await page.getByRole('button', { name: /^(Try|試す)$/ }).click();
      await page.getByRole('button', { name: /^(Make a call|通話する)$/ }).click();
      await page.getByText(/This service has no speech recognition|の音声認識がありません/).waitFor();
    },
  },
  {
    name: 'recording',
    path: ({ recordedId }) => `/calls/${recordedId}`,
    prepare: async (page) => {
      await page.waitForFunction(() => document.querySelector('audio')?.readyState === 4);
      await page.evaluate(() => {
        (document.querySelector('audio') as HTMLAudioElement).currentTime = 9.2;
      });
      await page.waitForFunction(() => document.querySelectorAll('[data-is-heard]').length === 2);
    },
  },
  {
    name: 'try-list',
    path: () => '/agents',
    prepare: async (page) => {
      await tryByChat(page, /^(Try Table bookings|「Table bookings」を試す)/);
      await page.getByRole('log').getByText('Which day').waitFor();
      await say(page, 'The 24th of December, please.');
      await page.getByText(/ended the conversation|会話を終了しました/).waitFor();
    },
  },
  {
    name: 'try-failed',
    path: ({ agentId }) => `/agents/${agentId}`,
    prepare: async (page) => {
      await chat(page);
      await say(page, 'パーマはできますか。');
      await page.getByRole('alert').waitFor();
    },
  },
  {
    name: 'try-ended',
    path: ({ agentId }) => `/agents/${agentId}`,
    prepare: async (page) => {
      await chat(page);
      await say(page, 'ありがとう。');
      await page.getByText(/ended the conversation|会話を終了しました/).waitFor();
    },
  },
  {
    name: 'try-refused',
    path: () => '/agents',
    prepare: async (page, { key }) => {
      await openBroken(page, key);
      await tryByChat(page);
      await page.getByRole('complementary').getByRole('alert').getByRole('listitem').first().waitFor();
    },
  },
  { name: 'calls', path: () => '/calls' },
  {
    name: 'calls-filters',
    path: () => '/calls?status=ended,error&type=chat',
    prepare: async (page) => {
      const toggle = page.getByRole('button', { name: /^(Filters|絞り込み(（|$))/ });
      if (await toggle.isVisible()) await toggle.click();
      await page.getByRole('button', { name: /^(Status|状態)/ }).click();
      await page.getByRole('checkbox').first().waitFor();
    },
  },
  { name: 'calls-nothing', path: () => '/calls?agentVersion=99' },
  {
    name: 'calls-empty',
    path: () => '/agents',
    prepare: async (page) => {
      await page.route(/api.v1.calls/, (route) =>
        route.fulfill({ json: { items: [], pagination: { nextCursor: null } } }),
      );
      await page.goto(`${service.url}/calls`, { waitUntil: 'networkidle' });
      await page.locator('main h2').waitFor();
    },
  },
  ...Object.entries({
    analytics: '/analytics?compare=previous',
    'analytics-day': '/analytics?period=24h',
    'analytics-year': '/analytics?period=12mo',
    'analytics-views': '/analytics?view=views',
    'analytics-alerts': '/analytics?view=alerts',
    prices: '/settings/prices',
  }).map(([name, path]) => ({ name, path: () => '/keys', prepare: (page: Page) => openMeasured(page, path) })),
  {
    name: 'analytics-whole',
    path: () => '/keys',
    prepare: async (page) => {
      await page.setViewportSize({ width: page.viewportSize()?.width ?? 0, height: 4800 });
      await openMeasured(page, '/analytics');
    },
  },
  {
    name: 'analytics-figures',
    path: () => '/keys',
    prepare: async (page) => {
      await openMeasured(page, '/analytics');
      await page.locator('section[aria-label] [aria-haspopup=menu]').nth(1).click();
      await page.getByRole('menuitem').first().click();
      await page.getByRole('dialog').getByRole('table').waitFor();
    },
  },
  {
    name: 'alert-new',
    path: () => '/keys',
    prepare: async (page) => {
      await openMeasured(page, '/analytics?view=alerts');
      await page.getByRole('button', { name: /^(Create alert|アラートを作成)$/ }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'prices-edit',
    path: () => '/keys',
    prepare: async (page) => {
      await openMeasured(page, '/settings/prices');
      await page.getByRole('button', { name: /^Edit prices|の料金を編集$/ }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'analytics-empty',
    path: () => '/keys',
    prepare: async (page) => {
      const { key } = await service.newKey({ workspace: `Empty ${Date.now()}` });
      await page.addInitScript((own) => sessionStorage.setItem('voice-agents-key', own), key);
      await page.goto(`${service.url}/analytics`);
      await page.getByRole('heading', { name: /^(No calls in|この期間の通話は)/ }).waitFor();
    },
  },
  {
    name: 'call-chat',
    path: (shop) => callWith(shop, 'transcript'),
    prepare: (page) => page.locator('summary').first().click(),
  },
  { name: 'call-voice', path: (shop) => talkWith(shop, 'transcript') },
  { name: 'call-voice-times', path: (shop) => talkWith(shop, 'replies') },
  { name: 'call-chat-times', path: (shop) => callWith(shop, 'replies') },
  {
    name: 'call-analysis',
    path: (shop) => callWith(shop, 'analysis'),
    prepare: async (page) => {
      await page.locator('main button[aria-pressed]').first().click();
      await page.locator('[data-is-quoted]').first().waitFor();
    },
  },
  { name: 'call-events', path: (shop) => talkWith(shop, 'events') },
  { name: 'call-details', path: (shop) => talkWith(shop, 'details') },
  { name: 'call-deliveries', path: (shop) => talkWith(shop, 'deliveries') },
  { name: 'call-json', path: (shop) => talkWith(shop, 'json') },
  { name: 'call-live', path: ({ liveId }) => `/calls/${liveId}` },
  { name: 'call-rehearsed', path: ({ rehearsedId }) => `/calls/${rehearsedId}?view=details` },
  { name: 'call-unstored', path: ({ unstoredId }) => `/calls/${unstoredId}` },
  { name: 'call-not-found', path: () => '/calls/call_none' },
  {
    name: 'call-redact',
    path: (shop) => callWith(shop, 'transcript'),
    prepare: async (page) => {
      await page.getByRole('button', { name: /^(More actions|その他の操作)/ }).click();
      await page.getByRole('menuitem').first().click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'call-phone',
    path: () => '/numbers',
    prepare: async (page) => {
      testCall ??= makeTestCall(engine, mediaFolder);
      const { address, key } = await testCall;
      await page.addInitScript((own) => sessionStorage.setItem('voice-agents-key', own), key);
      await page.goto(address);
      await page.waitForFunction(() => document.querySelector('audio')?.readyState === 4);
    },
  },
  { name: 'numbers', path: () => '/numbers' },
  { name: 'carriers', path: () => '/numbers?view=carriers' },
  {
    name: 'number',
    path: () => '/numbers',
    prepare: async (page) => {
      await page.locator('main table a').first().click();
      await page
        .getByText(/^(Passed|正常)$/)
        .first()
        .waitFor();
    },
  },
  {
    name: 'number-import',
    path: () => '/numbers',
    prepare: async (page) => {
      await page.getByRole('button', { name: /^(Import number|番号を追加)$/ }).click();
      await page.getByRole('dialog').getByRole('radio').first().waitFor();
    },
  },
  {
    name: 'try-phone',
    path: ({ agentId }) => `/agents/${agentId}`,
    prepare: async (page) => {
      await page.getByRole('button', { name: /^(Try|試す)$/ }).click();
      await page
        .getByText(/^(Call a phone|電話をかける|Phone|電話)$/)
        .first()
        .click();
      await page.locator('input[type=tel]').fill('+99900000001');
    },
  },
  { name: 'webhooks', path: () => '/webhooks' },
  {
    name: 'webhook',
    path: () => '/webhooks',
    prepare: async (page) => {
      await page.locator('main table a').first().click();
      await page.getByRole('button', { name: /^(Send test|テスト)/ }).waitFor();
      await page.waitForLoadState('networkidle');
    },
  },
  {
    name: 'webhook-new',
    path: () => '/webhooks',
    prepare: async (page) => {
      await page.getByRole('button', { name: /^(Add webhook|Webhookを追加)/ }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'workflows', path: () => '/workflows' },
  {
    name: 'workflows-empty',
    path: () => '/keys',
    prepare: async (page) => {
      const { key } = await service.newKey({ workspace: `Empty ${Date.now()}` });
      await page.addInitScript((own) => sessionStorage.setItem('voice-agents-key', own), key);
      await page.goto(`${service.url}/workflows`);
      await page.getByRole('heading', { name: /^(No workflows yet|ワークフローはまだありません)$/ }).waitFor();
    },
  },
  { name: 'workflows-runs', path: () => '/workflows?view=runs' },
  {
    name: 'workflow-new',
    path: () => '/workflows/new?template=crm',
    prepare: (page) => page.locator('.react-flow__node, ol[aria-label] button').first().waitFor(),
  },
  { name: 'workflow', path: ({ crmId }) => `/workflows/${crmId}`, prepare: (page) => openStep(page, 0) },
  { name: 'workflow-step', path: ({ crmId }) => `/workflows/${crmId}`, prepare: (page) => openStep(page, 1) },
  { name: 'workflow-condition', path: ({ crmId }) => `/workflows/${crmId}`, prepare: (page) => openStep(page, 2) },
  {
    name: 'workflow-completion',
    path: ({ crmId }) => `/workflows/${crmId}`,
    prepare: async (page) => {
      await openStep(page, 1);
      await page.locator('[id="workflow-steps.0.url"]').press('End');
      await page.keyboard.type('/{{ana');
      await page.locator('[role=option]').first().waitFor();
    },
  },
  {
    name: 'workflow-yaml',
    path: ({ crmId }) => `/workflows/${crmId}`,
    prepare: async (page) => {
      await page.getByText('YAML', { exact: true }).click();
      await page.locator('textarea').waitFor();
    },
  },
  {
    name: 'workflow-problem',
    path: ({ crmId }) => `/workflows/${crmId}`,
    prepare: async (page) => {
      await openStep(page, 1);
      await page.locator('[id="workflow-steps.0.url"]').fill('https://{{call.from}}/leads');
      await page.keyboard.press('ControlOrMeta+s');
      await page.getByRole('alert').first().waitFor();
    },
  },
  {
    name: 'workflow-test',
    path: ({ crmId }) => `/workflows/${crmId}`,
    prepare: async (page) => {
      await page.getByRole('button', { name: /^(Test on a call|通話でテスト)$/ }).click();
      await page.getByRole('dialog').getByRole('status').waitFor();
    },
  },
  { name: 'workflow-versions', path: ({ crmId }) => `/workflows/${crmId}?view=versions` },
  { name: 'workflow-run', path: ({ failedRunId }) => `/workflows/runs/${failedRunId}` },
  { name: 'workflow-run-waiting', path: ({ waitingRunId }) => `/workflows/runs/${waitingRunId}` },
  { name: 'call-workflows', path: (shop) => callWith(shop, 'workflows') },
  { name: 'secrets', path: () => '/secrets' },
  { name: 'providers', path: () => '/settings/providers' },
  {
    name: 'secret-new',
    path: () => '/secrets',
    prepare: async (page) => {
      await page.getByRole('button', { name: /^(Add secret|シークレットを追加)/ }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox').first().fill('shop_token');
      await dialog.getByRole('combobox').fill('booking.example.com,https://shop.example.com/,');
      await dialog.getByRole('button', { name: /^(Save secret|保存)/ }).click();
    },
  },
  {
    name: 'secret-in-use',
    path: () => '/secrets',
    prepare: async (page, { agentId }) => {
      const details = { usedBy: [agentId] };
      await page.route('**/api/v1/secrets/*', (route) =>
        route.fulfill({ status: 409, json: { error: { code: 'RESOURCE_IN_USE', message: 'x', details } } }),
      );
      await page
        .getByRole('button', { name: /^(Delete|削除)/ })
        .first()
        .click();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^(Delete|削除)$/ })
        .click();
      await page.getByRole('dialog').getByRole('alert').waitFor();
    },
  },
  { name: 'keys', path: () => '/keys' },
  {
    name: 'create-key',
    path: () => '/keys',
    prepare: (page) => page.getByRole('button', { name: /^(Create key|APIキーを作成)/ }).click(),
  },
  {
    name: 'rotate-key',
    path: () => '/keys',
    prepare: (page) =>
      page
        .getByRole('button', { name: /^(Rotate|ローテーション)/ })
        .nth(1)
        .click(),
  },
  {
    name: 'account',
    path: () => '/overview',
    prepare: async (page) => {
      const burger = page.locator('header button[aria-expanded]').first();
      if (await burger.isVisible()) await burger.click();
      await page
        .getByRole('button', { name: /^(Workspace|ワークスペース)/ })
        .first()
        .click();
    },
  },
  { name: 'nothing-found', path: () => '/agents?q=zzz' },
  { name: 'not-found', path: () => '/agents/a/b/c' },
  { name: 'audit', path: () => '/audit' },
  { name: 'audit-filtered', path: () => '/audit?routeId=agents.publish' },
  { name: 'sign-in-link', path: () => '/#sign-in=used', isSignedOut: true },
];

/** On a narrow screen, the flow is a list. */
async function openSkill(page: Page): Promise<void> {
  const skills = page.locator('.react-flow__node, ol button');
  await skills.first().waitFor();
  await skills.first().click({ force: true });
}

/** On a narrow screen, the steps are a list. */
async function openStep(page: Page, position: number): Promise<void> {
  const steps = page.locator('.react-flow__node, ol[aria-label] button');
  await steps.first().waitFor();
  await steps.nth(position).click({ force: true });
}

/** Reads a variable that nothing sets. */
const sound = [
  { id: 'greet', type: 'say', text: 'Restaurant Kiku, good evening, {{caller}}.', next: 'bye' },
  { id: 'bye', type: 'end', text: 'Goodbye.' },
];
const broken = {
  name: 'Restaurant Kiku, table bookings',
  voiceId: 'en-GB-Sonia',
  responseEngineType: 'conversation_flow',
  webhookEvents: ['call_started', 'call_stopped'],
  agentSettings: {
    flow: {
      skills: [
        { id: 'greet', type: 'say', text: 'Restaurant Kiku, good evening, {{caller}}.', next: 'day' },
        { id: 'day', type: 'ask', text: 'Which day?', variable: 'day', as: 'date', next: 'hour', otherwise: 'person' },
        {
          id: 'party',
          type: 'choose',
          text: 'How many are you?',
          routes: [{ when: ['two', 'three'], next: 'table' }],
          otherwise: 'person',
        },
        { id: 'person', type: 'end', text: 'A colleague will call you back. Goodbye.' },
      ],
    },
  },
};

const wide = { width: 1280, height: 800 };
const narrow = { width: 390, height: 844 };

const folder = process.argv[2];
if (folder === undefined) throw new Error('Usage: npm run pictures -- <folder>');
mkdirSync(folder, { recursive: true });
const only = process.argv[3];
const documented = only === 'documented' ? documentedPictures(join(import.meta.dirname, '..', '..')) : null;
for (const { name } of documented ?? []) {
  if (!pictures.some((picture) => picture.name === name)) throw new Error(`There is no picture with the name ${name}.`);
}
const temporaryIds: string[] = [];
let newWorkspaces = 0;

// The service runs in this process and uses this clock.
const { now } = Date;
let behindMs = 0;
Date.now = () => now() - behindMs;
const engine = createSqliteEngine();
const double = await startOpenAiDouble({ replyTo: replyOfShop });
const llm = createOpenAiLlm({ apiKey: null, baseUrl: double.baseUrl, modelMap: new Map() });
const mediaFolder = mkdtempSync(join(tmpdir(), 'voice-agents-pictures-'));
// Two of them are connected, to an address where nothing answers.
const nowhere = { apiKey: 'none', baseUrl: 'http://127.0.0.1:9' };
const connected = { deepgram: nowhere, elevenlabs: null, cartesia: null, openai: { ...nowhere, modelMap: new Map() } };
const speech = testSpeech(...(await createConnectedProviders(connected, null)));
const service = await startService(engine, {
  calls: { llm, clock: realClock },
  speech,
  mediaFolder,
  workflowRunning: { pollMs: 50 },
});
const browser = await launchChromium();
let shop: CompleteShop | undefined;
let testCall: ReturnType<typeof makeTestCall> | undefined;
let measuredKey: ReturnType<typeof openMeasuredShop> | undefined;
try {
  shop = await openCompleteShop(service, mediaFolder, (ms) => {
    behindMs = Math.round(ms);
  });
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, viewport] of Object.entries({ wide, narrow })) {
      for (const locale of ['en-GB', 'ja-JP']) {
        // One for all, because a page loads twice as fast with a cache.
        const context = await browser.newContext({
          colorScheme,
          viewport,
          locale,
          reducedMotion: 'reduce',
          deviceScaleFactor: 1,
        });
        context.setDefaultTimeout(60_000);
        for (const picture of pictures) {
          const name = [picture.name, colorScheme, size, locale.slice(0, 2)].join('-');
          if (documented !== null && !documented.some(({ file }) => file === `${name}.webp`)) continue;
          if (documented === null && only !== undefined && !new RegExp(only).test(name)) continue;
          const file = join(folder, `${name}.${documented === null ? 'png' : 'webp'}`);
          await take(context, picture, shop, file).catch((error: Error) => {
            process.exitCode = 1;
            process.stderr.write(`${name}: ${error.message}\n`);
          });
        }
        await context.close();
      }
    }
  }
} finally {
  await browser.close();
  await service.close();
  await (await testCall)?.close();
  await shop?.close();
  await llm.close();
  await double.close();
  await engine.remove();
  rmSync(mediaFolder, { recursive: true, force: true });
}

/** A page of a workspace with a year of calls. */
async function openMeasured(page: Page, path: string): Promise<void> {
  measuredKey ??= openMeasuredShop(service);
  await page.addInitScript((own) => sessionStorage.setItem('voice-agents-key', own), await measuredKey);
  await page.goto(`${service.url}${path}`, { waitUntil: 'networkidle' });
  await page.waitForFunction(() => document.querySelector('main [aria-busy=true]') === null);
}

/** A conversation in the panel, with a tool. */
async function chat(page: Page): Promise<void> {
  await tryByChat(page);
  await page.getByRole('log').getByText('さくらサロン').waitFor();
  await say(page, '明日の15時にカットの予約はできますか。');
  await page.getByRole('log').getByText('空いております').waitFor();
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: /^(Message|メッセージ)$/ }).fill(text);
  await page.keyboard.press('Enter');
}

/** Opens a draft that cannot be published. It is deleted after the screenshot. */
async function openBroken(page: Page, key: string, more: object = {}): Promise<void> {
  const { json } = await send(service, 'POST', '/api/v1/agents', { key, body: { ...broken, ...more } });
  temporaryIds.push(json.id);
  await page.goto(`${service.url}/agents/${json.id}`, { waitUntil: 'networkidle' });
}

/** A quarter of the size of a PNG, for pictures that are kept in the repository. */
async function webpOf(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  return Buffer.from(data, 'base64');
}

/** As in a new installation with the Japanese voice: the voices of the agents in these pictures do not exist. */
async function onlyEmbeddedVoices(page: Page): Promise<void> {
  const provider = { name: 'embedded', configured: true, capabilities: ['stt', 'tts'], automatic: true };
  const voice = { provider: 'embedded', voiceId: 'mei', name: 'Mei, Japanese, female', languages: ['ja'] };
  const lists = { providers: [{ ...provider, languages: ['en', 'ja'] }], voices: [voice] };
  for (const [name, items] of Object.entries(lists)) {
    const json = { items, pagination: { nextCursor: null } };
    await page.route(`**/api/v1/${name}*`, (route) => route.fulfill({ json }));
  }
}

async function rename(key: string, id: string, name: string): Promise<void> {
  await send(service, 'PATCH', `/api/v1/agents/${id}`, { key, body: { name } });
}

async function take(
  context: BrowserContext,
  { path, isSignedOut = false, prepare }: Picture,
  shop: CompleteShop,
  file: string,
): Promise<void> {
  const page = await context.newPage();
  try {
    // What earlier pictures have chosen in the panel or the lists.
    await page.addInitScript(() => localStorage.clear());
    if (!isSignedOut) await page.addInitScript((key) => sessionStorage.setItem('voice-agents-key', key), shop.key);
    await page.goto(service.url + path(shop));
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    // A page that follows a call, or refreshes itself, is never idle for long.
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => {});
    await prepare?.(page, shop);
    if (file.endsWith('.webp')) writeFileSync(file, await webpOf(page));
    else await page.screenshot({ path: file });
  } finally {
    await page.close();
    for (const id of temporaryIds.splice(0)) await send(service, 'DELETE', `/api/v1/agents/${id}`, { key: shop.key });
  }
}
