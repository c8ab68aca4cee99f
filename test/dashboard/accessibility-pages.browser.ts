import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { createConnectedProviders } from '../../src/voice/providers/connected.ts';
import { createOpenAiLlm } from '../../src/voice/providers/openai/llm.ts';
import { startOpenAiDouble } from '../providers/openai-double.ts';
import { testSpeech } from '../support/service.ts';
import { everyLook } from './support/accessibility.ts';
import { useDashboard, withBrowser } from './support/browser.ts';
import { type CompleteShop, openCompleteShop } from './support/complete-shop.ts';
import { tryByChat } from './support/panel.ts';
import { replyOfShop } from './support/shop-calls.ts';

interface State {
  readonly path: (shop: CompleteShop) => string;
  /** What is opened on the page. */
  readonly prepare?: (page: Page) => Promise<unknown>;
  /** Limits the check to what was opened, on a page that is checked by itself. */
  readonly within?: string;
}

const dialog = '[role=dialog]';
const menu = '[role=menu]';
const at =
  (path: string): State['path'] =>
  () =>
    path;

/** The first button whose name begins with one of these, in English or Japanese. */
const button = (place: Page | Locator, en: string, ja: string) =>
  place.getByRole('button', { name: new RegExp(`^(${en}|${ja})`) }).first();
const press =
  (en: string, ja: string, within = dialog) =>
  async (page: Page) => {
    await button(page, en, ja).click();
    await page.locator(within).last().waitFor();
  };
const opened = (path: State['path'], en: string, ja: string, within = dialog): State => ({
  path,
  prepare: press(en, ja, within),
  within,
});
const simulate = async (page: Page) => {
  await page.locator('.react-flow__node').first().waitFor();
  await page.getByText(/^(Simulate|シミュレーション)$/).click();
};
const openStep = async (page: Page) => {
  const steps = page.locator('.react-flow__node');
  await steps.nth(1).waitFor();
  await steps.nth(1).click({ force: true });
};
const callAt =
  (id: 'chatId' | 'spokenId' | 'recordedId', view: string): State['path'] =>
  (shop) =>
    `/calls/${shop[id]}?view=${view}`;
const agentAt =
  (tab: string): State['path'] =>
  ({ agentId }) =>
    `/agents/${agentId}/${tab}`;
const flowEditor: State['path'] = ({ flowAgentId }) => `/agents/${flowAgentId}/flow`;
const workflow: State['path'] = ({ crmId }) => `/workflows/${crmId}`;
const knowledgeAt =
  (view: string): State['path'] =>
  ({ knowledgeBaseId }) =>
    `/knowledge/${knowledgeBaseId}?view=${view}`;

const agentStates: Record<string, State> = {
  agents: { path: at('/agents') },
  'selected agents': {
    path: at('/agents'),
    prepare: (page) => page.getByRole('checkbox').nth(1).check(),
    within: 'main',
  },
  'menu of an agent': opened(at('/agents'), 'Actions for', '.*の操作$', menu),
  'new agent': { path: at('/agents/new?template=salon') },
  'agent, prompt': { path: agentAt('') },
  'agent, a tool': {
    path: agentAt(''),
    prepare: async (page) => {
      await page.locator('[data-tools] button[aria-expanded]').first().click();
      await button(page, 'Send test', 'テストを送信').waitFor();
    },
    within: '[data-tools]',
  },
  'agent, a variable': {
    path: agentAt(''),
    prepare: (page) => button(page, 'Add a variable', '変数を追加').click(),
    within: '[data-field=agentVariables]',
  },
  'agent, voice': { path: agentAt('voice') },
  'agent, analysis': { path: agentAt('analysis') },
  'agent, webhook': { path: agentAt('webhook') },
  'agent, calls': { path: agentAt('calls') },
  'agent, versions': { path: agentAt('versions') },
  'agent, code': { path: agentAt('code') },
  'publish dialog': opened(agentAt(''), 'Publish', '公開'),
  'Try, before the start': opened(agentAt(''), 'Try', '試す', 'aside'),
  'Try, a chat': {
    path: agentAt(''),
    prepare: async (page) => {
      await tryByChat(page);
      await page.getByRole('log').getByText('さくらサロン').waitFor();
    },
    within: 'aside',
  },
};

const flowStates: Record<string, State> = {
  'agent, flow': {
    path: ({ flowAgentId }) => `/agents/${flowAgentId}`,
    prepare: (page) => page.locator('main g[data-type] rect').first().waitFor(),
  },
  'flow editor': { path: flowEditor, prepare: openStep },
  'flow editor, a script': { path: flowEditor, prepare: simulate },
  'flow editor, explored': {
    path: flowEditor,
    prepare: async (page) => {
      await simulate(page);
      await page.getByText(/^(Explore all routes|すべての分岐を探索)$/).click();
      await page.getByRole('button', { name: /^(Explore|探索)$/ }).click();
      await page.getByText(/routes can be taken|に到達可能/).waitFor();
    },
  },
  workflows: { path: at('/workflows') },
  'runs of workflows': { path: at('/workflows?view=runs') },
  'new workflow': { path: at('/workflows/new') },
  'new workflow, from a template': { path: at('/workflows/new?template=crm') },
  'workflow editor': { path: workflow, prepare: openStep },
  'workflow editor, YAML': {
    path: workflow,
    prepare: async (page) => {
      await page.getByText('YAML', { exact: true }).click();
      await page.locator('textarea').waitFor();
    },
    within: 'main',
  },
  'workflow test': {
    path: workflow,
    prepare: async (page) => {
      await button(page, 'Test on a call', '通話でテスト').click();
      await page.getByRole('dialog').getByRole('status').waitFor();
    },
    within: dialog,
  },
  'versions of a workflow': { path: ({ crmId }) => `/workflows/${crmId}?view=versions` },
  'failed run': { path: ({ failedRunId }) => `/workflows/runs/${failedRunId}` },
  'waiting run': { path: ({ waitingRunId }) => `/workflows/runs/${waitingRunId}` },
};

const callStates: Record<string, State> = {
  calls: { path: at('/calls') },
  'calls, filtered': { path: at('/calls?status=ended,error&type=chat') },
  'calls, nothing found': { path: at('/calls?agentVersion=99') },
  'columns of calls': opened(at('/calls'), 'Columns', '列'),
  'selected calls': {
    path: at('/calls'),
    prepare: async (page) => {
      await page.getByRole('checkbox', { name: /^(Select all|すべて選択)$/ }).check();
      await button(page, 'Run analysis', '分析を実行').waitFor();
    },
    within: 'main',
  },
  'export of calls': opened(at('/calls'), 'Export', 'エクスポート'),
  'call, transcript': { path: callAt('spokenId', 'transcript') },
  'call, recording': {
    path: callAt('recordedId', 'transcript'),
    prepare: (page) => page.waitForFunction(() => document.querySelector('audio')?.readyState === 4),
  },
  'call, analysis': { path: callAt('chatId', 'analysis') },
  'call, reply times': { path: callAt('spokenId', 'replies') },
  'call, events': { path: callAt('spokenId', 'events') },
  'call, deliveries': { path: callAt('spokenId', 'deliveries') },
  'call, workflows': { path: callAt('chatId', 'workflows') },
  'call, details': { path: callAt('spokenId', 'details') },
  'call, JSON': { path: callAt('spokenId', 'json') },
  'call in progress': { path: ({ liveId }) => `/calls/${liveId}` },
  'call without content': { path: ({ unstoredId }) => `/calls/${unstoredId}` },
  'menu of a call': opened(callAt('chatId', 'transcript'), 'More actions', 'その他の操作', menu),
  analytics: { path: at('/analytics?period=24h') },
  'values and definitions': {
    path: at('/analytics?period=24h'),
    prepare: async (page) => {
      await page.locator('section[aria-label] [aria-haspopup=menu]').nth(1).click();
      await page.getByRole('menuitem').first().click();
      await page.getByRole('dialog').getByRole('table').waitFor();
    },
    within: dialog,
  },
  'analytics, views': { path: at('/analytics?view=views') },
  'analytics, alerts': { path: at('/analytics?view=alerts') },
  'new alert': opened(at('/analytics?view=alerts'), 'Create alert', 'アラートを作成'),
};

const connectionStates: Record<string, State> = {
  numbers: { path: at('/numbers') },
  carriers: { path: at('/numbers?view=carriers') },
  'do-not-call list': { path: at('/numbers?view=do-not-call') },
  number: { path: ({ numberId }) => `/numbers/${numberId}` },
  'import of a number': opened(at('/numbers'), 'Import number', '番号を追加'),
  'knowledge bases': { path: at('/knowledge') },
  'new knowledge base': opened(at('/knowledge'), 'Create knowledge base', 'ナレッジを作成'),
  'documents of a base': { path: knowledgeAt('documents') },
  'chunks of a document': {
    path: knowledgeAt('documents'),
    prepare: press('営業時間', '営業時間'),
    within: dialog,
  },
  'search in a base': {
    path: knowledgeAt('search'),
    prepare: async (page) => {
      await page.getByRole('search').getByRole('textbox').fill('予約のキャンセル');
      await page.keyboard.press('Enter');
      await page.locator('mark').first().waitFor();
    },
  },
  'evaluation of a base': { path: knowledgeAt('evaluation') },
  'settings of a base': { path: knowledgeAt('settings') },
  webhooks: { path: at('/webhooks') },
  'new webhook': opened(at('/webhooks'), 'Add webhook', 'Webhookを追加'),
  webhook: {
    path: at('/webhooks'),
    prepare: async (page) => {
      await page.locator('main table a').first().click();
      await button(page, 'Send test', 'テスト').waitFor();
    },
  },
  keys: { path: at('/keys') },
  'new key': opened(at('/keys'), 'Create key', 'APIキーを作成'),
  secrets: { path: at('/secrets') },
  'new secret': opened(at('/secrets'), 'Add secret', 'シークレットを追加'),
  audit: { path: at('/audit') },
  providers: { path: at('/settings/providers') },
  'account at a provider': opened(at('/settings/providers'), 'Set key', 'キーを設定'),
  prices: { path: at('/settings/prices') },
  'prices, edited': opened(at('/settings/prices'), 'Edit prices', '.*の料金を編集'),
  service: { path: at('/settings/service') },
  overview: { path: at('/overview') },
  palette: {
    path: at('/overview'),
    prepare: async (page) => {
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('option').first().waitFor();
    },
    within: dialog,
  },
};

describe('every page, in English and Japanese, light and dark, wide and narrow', withBrowser, () => {
  const mediaFolder = mkdtempSync(join(tmpdir(), 'voice-agents-accessibility-'));
  let closeModel: () => Promise<void>;
  const dashboard = useDashboard(async () => {
    const double = await startOpenAiDouble({ replyTo: replyOfShop });
    const llm = createOpenAiLlm({ apiKey: null, baseUrl: double.baseUrl, modelMap: new Map() });
    closeModel = async () => {
      await llm.close();
      await double.close();
    };
    const nothing = { deepgram: null, elevenlabs: null, cartesia: null };
    const openai = { apiKey: 'none', baseUrl: 'http://127.0.0.1:9', modelMap: new Map() };
    const speech = testSpeech(...(await createConnectedProviders({ ...nothing, openai }, null)));
    return { calls: { llm }, speech, mediaFolder, workflowRunning: { pollMs: 50 } };
  });
  let shop: CompleteShop;
  before(async () => {
    shop = await openCompleteShop(dashboard.service, mediaFolder, () => {});
  });
  after(async () => {
    await shop.close();
    await closeModel();
    rmSync(mediaFolder, { recursive: true, force: true });
  });

  const groups = {
    'agents and Try': agentStates,
    'flows and workflows': flowStates,
    'calls and analytics': callStates,
    'connections and settings': connectionStates,
  };
  /** What is wrong in these states, in one language. */
  const faultsOf = async (states: Record<string, State>, locale: string): Promise<readonly string[]> => {
    const { page } = await dashboard.visit('/overview', { key: shop.key, locale });
    const found: string[] = [];
    for (const [name, { path, prepare, within }] of Object.entries(states)) {
      try {
        await page.goto(dashboard.service.url + path(shop));
        await page.locator('main h1').first().waitFor();
        await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
        await prepare?.(page);
      } catch (error) {
        throw new Error(`${name}, ${locale}, cannot be opened`, { cause: error });
      }
      found.push(...(await everyLook(page, within)).map((text) => `${name}, ${locale}, ${text}`));
    }
    await page.context().close();
    return found;
  };

  for (const [group, states] of Object.entries(groups)) {
    it(`has no axe violation and fits the screen: ${group}`, { timeout: 900_000 }, async () => {
      const faults = await Promise.all(['en-GB', 'ja-JP'].map((locale) => faultsOf(states, locale)));
      assert.deepEqual(faults.flat(), []);
    });
  }
});
