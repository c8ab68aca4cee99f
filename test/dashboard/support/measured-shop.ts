import assert from 'node:assert/strict';
import { createAgent, send } from '../../support/client.ts';
import type { Service } from '../../support/service.ts';
import { measuredCalls, storeMeasured } from './measured-calls.ts';

/** The key of a workspace with a year of calls, views, alerts and prices, for screenshots. */
export async function openMeasuredShop(service: Service): Promise<string> {
  const { key, workspaceId } = await service.newKey({ workspace: 'Sakura Hotels' });
  const agentIds: string[] = [];
  for (const name of ['Sakura Salon, bookings', 'Hotel Miyabi, front desk', 'Delivery call-backs', 'Survey']) {
    agentIds.push((await createAgent(service, key, { name })).id);
  }
  const until = Date.now();
  const measures = { workspaceId, agentIds, until, days: 365, perDay: 40, hasCosts: true };
  await storeMeasured(service.database, measuredCalls(measures));
  const call = async (method: string, path: string, body: object) => {
    const { status, text } = await send(service, method, `/api/v1/analytics/${path}`, { key, body });
    assert.ok(status < 300, text);
  };
  const week = { range: { last: '1w' }, compare: 'previous', metrics: ['calls', 'successRate', 'latency.e2eMs.p95'] };
  const byAgent = {
    range: { last: '12w' },
    interval: 'week',
    metrics: ['latency.e2eMs.p95'],
    groupBy: ['agentId'],
  };
  await call('POST', 'views', { name: 'This week', chart: 'number', query: week });
  await call('POST', 'views', { name: 'Reply time by agent', chart: 'line', query: byAgent });
  const slow = { name: 'Slow replies', metric: 'latency.e2eMs.p95', window: '1h', op: 'gt', value: 1500 };
  await call('POST', 'alerts', slow);
  await call('POST', 'alerts', { name: 'No calls', metric: 'calls', window: '15m', op: 'lt', value: 1 });
  const model = { capability: 'llm', provider: 'openai', model: 'gpt-5.4-mini' };
  await call('PUT', 'prices/2026-01-01T00:00:00Z', {
    currency: 'USD',
    items: [
      { ...model, unit: 'million_prompt_tokens', price: '0.25' },
      { ...model, unit: 'million_completion_tokens', price: '2' },
      { capability: 'stt', provider: 'deepgram', model: '*', unit: 'minute', price: '0.0058' },
    ],
  });
  return key;
}
