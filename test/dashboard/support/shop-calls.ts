import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';
import type { Call } from '../../../src/contract/calls/call.ts';
import type { DoubleReply } from '../../providers/openai-double.ts';
import { createAgent, send } from '../../support/client.ts';
import type { Service } from '../../support/service.ts';
import { analysisWith, callWith } from '../../support/stored-calls.ts';
import { measuredDetails, storeMeasured } from './measured-calls.ts';
import { japaneseTurns, storeRecordedCall } from './recorded-call.ts';
import type { Shop } from './shop.ts';
import { storeSpokenCall } from './spoken-call.ts';

/** The calls of the shop, for screenshots. */
export interface ShopCalls {
  readonly chatId: string;
  readonly spokenId: string;
  readonly recordedId: string;
  readonly liveId: string;
  readonly unstoredId: string;
  readonly rehearsedId: string;
  /** A conversation flow. */
  readonly flowAgentId: string;
  close(): Promise<void>;
}

/** What the language model of the shop says. */
export async function replyOfShop({ messages, response_format }: Record<string, unknown>): Promise<DoubleReply> {
  // Only the analysis of a call asks for JSON.
  if (response_format !== undefined) return { text: JSON.stringify(booking) };
  const last = (messages as { role: string; content: string }[]).at(-1);
  await delay(last?.role === 'tool' ? 420 : 310);
  if (last?.role === 'tool') return { text: 'はい、明日の15時が空いております。お名前をお願いできますか。' };
  const said = last?.content ?? '';
  if (said.includes('パーマ')) return { status: 400 };
  if (said.includes('予約')) {
    return { tools: [{ name: 'find_free_times', arguments: '{"day": "2026-11-17", "treatment": "cut"}' }] };
  }
  if (said.includes('山本')) return { text: '山本様、11月17日15時にカットで承りました。' };
  return {
    text: 'ご来店をお待ちしております。失礼いたします。',
    tools: [{ name: 'end_call', arguments: '{}' }],
  };
}

const booked = {
  turns: [5],
  quote: '11月17日15時にカットで承りました。',
  rationale: 'The agent confirms the booking.',
};
const booking = {
  summary: '山本様が11月17日15時のカットを予約しました。',
  successful: true,
  sentiment: 'positive',
  data: { booked: true, treatment: 'cut' },
  evidence: {
    successful: booked,
    sentiment: { turns: [6], quote: 'ありがとうございます。', rationale: null },
    data: {
      booked,
      treatment: { turns: [1], quote: 'カットの予約', rationale: null },
    },
  },
};

const ended: readonly [endReason: NonNullable<Call['endReason']>, status: Call['status'], durationMs: number | null][] =
  [
    ['agent_hangup', 'ended', 124_000],
    ['caller_hangup', 'ended', 63_400],
    ['silence_timeout', 'ended', 86_800],
    ['not_joined', 'not_connected', null],
    ['caller_disconnected', 'ended', 133_600],
    ['max_duration', 'ended', 900_000],
    ['stt_failed', 'error', 9300],
  ];

export async function openShopCalls(
  service: Service,
  { key, agentId, workspaceId }: Shop,
  mediaFolder: string,
): Promise<ShopCalls> {
  const tools = await bookingSystem();
  const call = async (method: string, path: string, body?: object) => {
    const { status, json } = await send(service, method, `/api/v1/${path}`, { key, ...(body && { body }) });
    assert.ok(status < 300, JSON.stringify(json));
    return json;
  };
  const chat = async (texts: readonly string[], body: object, isEnded: boolean): Promise<string> => {
    const { id } = await call('POST', 'calls', { type: 'chat', agentVersion: 'latest', ...body });
    await call('POST', `calls/${id}/messages`, {});
    for (const text of texts) await call('POST', `calls/${id}/messages`, { text });
    if (isEnded) await call('POST', `calls/${id}/end`);
    return id;
  };
  await call('PATCH', `agents/${agentId}`, { agentSettings: { tools: [tools.definition] } });
  const { items } = await call('GET', 'agents?limit=12');
  for (let place = 0; place < 60; place += 1) {
    const at = new Date(Date.now() - 8 * 3_600_000 - (60 - place) * 900_000).toISOString();
    const times = { createdAt: at, startedAt: at, endedAt: at, updatedAt: at };
    const analysis = analysisWith({ status: 'completed', revision: 1, successful: place % 7 !== 3, completedAt: at });
    const made = { workspaceId, agentId: items[place % items.length].id, type: 'web', status: 'ended', analysis };
    const durationMs = 30_000 + ((place * 7919) % 150) * 1000;
    const end = { endReason: place % 3 === 0 ? 'caller_hangup' : 'agent_hangup', durationMs };
    const call = callWith({ ...made, ...times, ...end, engine: 'prompt' } as Call);
    await storeMeasured(service.database, [{ call, details: measuredDetails(place) }]);
  }
  for (const [place, [endReason, status, durationMs]] of ended.entries()) {
    const at = new Date(Date.now() - (ended.length - place) * 3_600_000).toISOString();
    const type = durationMs === null ? 'web' : 'chat';
    const times = { createdAt: at, startedAt: durationMs === null ? null : at, endedAt: at, updatedAt: at };
    const made = { workspaceId, agentId, agentVersion: 1 + (place % 3), isDraft: place % 4 === 2, engine: 'prompt' };
    const call = callWith({ ...made, type, endReason, status, durationMs, ...times } as Call);
    await storeMeasured(service.database, [{ call }]);
  }
  const spokenId = await storeSpokenCall(service, { workspaceId, agentId });
  const recordedId = await storeRecordedCall(service, { workspaceId, agentId }, mediaFolder, japaneseTurns);
  const unstored = await createAgent(service, key, {
    name: '夜間の予約',
    dataStorageSetting: 'basic_attributes_only',
    responseEngine: { model: 'test-echo', prompt: '' },
  });
  const unstoredId = await chat(['明日は空いていますか。'], { agentId: unstored.id }, true);
  const failing = await createAgent(service, key, {
    name: 'Booking line, new model',
    responseEngine: { model: 'test-fail', prompt: '' },
    beginMessage: '',
  });
  const failed = await call('POST', 'calls', { type: 'chat', agentId: failing.id, agentVersion: 'latest' });
  for (const text of ['Hello?', 'Hello?', 'Is anyone there?']) {
    await send(service, 'POST', `/api/v1/calls/${failed.id}/messages`, { key, body: { text } });
  }
  const unconnected = await createAgent(service, key, {
    name: 'Concierge',
    language: 'en-GB',
    responseEngine: { model: 'gpt-5.4-mini', prompt: 'You are a concierge.' },
    responseEngineType: 'single_prompt',
    beginMessage: 'Concierge desk, good evening.',
  });
  const rehearsedId = await chat(['Could you book a taxi for nine?'], { agentId: unconnected.id }, true);
  const flow = await createAgent(service, key, {
    name: 'Table bookings',
    language: 'en-GB',
    responseEngineType: 'conversation_flow',
    agentSettings: { flow: { skills: tableBooking } },
  });
  const chatId = await chat(
    ['明日の15時にカットの予約はできますか。', '山本です。', 'ありがとうございます。'],
    { agentId, externalId: 'visit-2981', variables: { shop: '銀座店' }, metadata: { page: '/booking' } },
    false,
  );
  const hours = await createAgent(service, key, parse(readFileSync('examples/opening-hours/agent.yaml', 'utf8')));
  const liveId = await chat(['明日の15時にカットの予約はできますか。'], { agentId }, false);
  await call('POST', 'calls', { type: 'chat', agentId: flow.id, agentVersion: 'latest' });
  const ids = { chatId, spokenId, recordedId, liveId, unstoredId, rehearsedId, flowAgentId: hours.id };
  return { ...ids, close: tools.close };
}

const tableBooking = [
  {
    id: 'day',
    type: 'ask',
    text: 'Restaurant Kiku, good evening. Which day would you like to come?',
    variable: 'day',
    as: 'date',
    next: 'bye',
    otherwise: 'bye',
  },
  { id: 'bye', type: 'end', text: 'Thank you. We look forward to seeing you on {{day}}.' },
];

/** The server behind the tool of the agent. */
async function bookingSystem() {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"free": ["15:00", "16:30"]}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const properties = { day: { type: 'string' }, treatment: { type: 'string' } };
  return {
    definition: {
      name: 'find_free_times',
      description: 'Finds the free times of a day.',
      parameters: { type: 'object', properties },
      url: `http://127.0.0.1:${port}/free-times`,
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
