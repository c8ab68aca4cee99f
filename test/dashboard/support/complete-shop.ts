import assert from 'node:assert/strict';
import { knowledgeClient } from '../../areas/knowledge/client.ts';
import { phoneClient } from '../../areas/phone/resources.ts';
import { send } from '../../support/client.ts';
import type { Service } from '../../support/service.ts';
import { openShop, type Shop } from './shop.ts';
import { openShopCalls, type ShopCalls } from './shop-calls.ts';
import { openShopWorkflows, type ShopWorkflows } from './shop-workflows.ts';

/** A workspace in which no page is empty. */
export interface CompleteShop extends Shop, ShopCalls, ShopWorkflows {
  readonly numberId: string;
  readonly knowledgeBaseId: string;
}

/** `goBack` sets the clock of the service back by this many milliseconds, so that creation times differ. */
export async function openCompleteShop(
  service: Service,
  mediaFolder: string,
  goBack: (ms: number) => void,
): Promise<CompleteShop> {
  const shop = await openShop(service, goBack);
  const { key } = shop;
  const put = async (method: string, path: string, body: object) => {
    const { status, text } = await send(service, method, `/api/v1/${path}`, { key, body });
    assert.ok(status < 300, text);
  };
  await put('PUT', 'secrets/BOOKING_TOKEN', {
    value: 'x',
    hosts: ['booking.example.com', 'booking-test.example.com'],
  });
  await put('PUT', 'secrets/MAIL_PASSWORD', { value: 'x', hosts: ['mail.example.com'] });
  await put('POST', 'analytics/views', {
    name: 'This week',
    chart: 'number',
    query: { range: { last: '1w' }, compare: 'previous', metrics: ['calls', 'successRate', 'latency.e2eMs.p95'] },
  });
  await put('POST', 'analytics/alerts', { name: 'No calls', metric: 'calls', window: '15m', op: 'lt', value: 1 });
  const model = { capability: 'llm', provider: 'openai', model: 'gpt-5-mini' };
  await put('PUT', 'analytics/prices/2026-01-01T00:00:00Z', {
    currency: 'USD',
    items: [{ ...model, unit: 'million_prompt_tokens', price: '0.25' }],
  });
  const numberId = await openNumber(service, shop);
  const knowledgeBaseId = await openKnowledge(service, key);
  const calls = await openShopCalls(service, shop, mediaFolder);
  const workflows = await openShopWorkflows(service, shop, calls.chatId);
  const close = async () => {
    await calls.close();
    await workflows.close();
  };
  return { ...shop, ...calls, ...workflows, numberId, knowledgeBaseId, close };
}

async function openNumber(service: Service, { key, agentId }: Shop): Promise<string> {
  const phone = phoneClient(service, key);
  const { id: carrierId } = await phone.testCarrier();
  await phone.call(200, 'POST', `/carriers/${carrierId}/verify`);
  const { id } = await phone.importNumber(carrierId, '+99910000001', {
    name: 'Sakura Salon',
    inbound: { agentId },
    outbound: { enabled: true },
  });
  await phone.checked(id);
  return id;
}

/** Two documents, and one that cannot be read. */
async function openKnowledge(service: Service, key: string): Promise<string> {
  const knowledge = knowledgeClient(service, key);
  const { id } = await knowledge.base({ name: '店舗の案内', language: 'ja', synonyms: [['予約', 'ご予約']] });
  for (const document of [
    { name: '営業時間', text: '火曜日から日曜日の10時から19時まで営業しています。月曜日は定休日です。' },
    { name: 'キャンセル', text: '予約のキャンセルは前日の18時までにお電話ください。当日は料金の半額をいただきます。' },
    { url: 'https://does-not-exist.invalid/menu' },
  ]) {
    const added = await knowledge.add(id, document);
    await knowledge.settled(id, added.id);
  }
  return id;
}
