import assert from 'node:assert/strict';
import { allScopes } from '../../../src/contract/scopes.ts';
import { createAgent, send } from '../../support/client.ts';
import type { Service } from '../../support/service.ts';

/** A realistic workspace after a few months of use, for screenshots. */
export interface Shop {
  readonly key: string;
  readonly workspaceId: string;
  /** Published, changed since, with three versions. */
  readonly agentId: string;
}

const voices = ['ja-JP-Nanami', 'ja-JP-Keita', 'en-GB-Sonia', 'en-US-Guy', 'de-DE-Katja', 'fr-FR-Denise'];

const agents: readonly [name: string, language: string, voice: number, engine: string, isPublished: boolean][] = [
  ['Restaurant Kiku, table bookings', 'en-GB', 2, 'conversation_flow', true],
  ['ホテル雅 フロント', 'ja-JP', 0, 'conversation_flow', true],
  ['Zahnarztpraxis Lehmann', 'de-DE', 4, 'single_prompt', true],
  ['夜間の緊急連絡', 'ja-JP', 1, 'custom_llm', true],
  ['Bicycle repairs, status line', 'en-US', 3, 'single_prompt', false],
  ['Garage Dupont', 'fr-FR', 5, 'conversation_flow', true],
  ['宅配の再配達受付', 'ja-JP', 0, 'conversation_flow', true],
  ['Insurance claims, first call', 'en-GB', 2, 'conversation_flow', true],
  ['美容室さくら 予約変更', 'ja-JP', 0, 'single_prompt', false],
  ['Weekend hotline', 'en-US', 3, 'custom_llm', true],
  ['Physiotherapie am Markt', 'de-DE', 4, 'single_prompt', false],
  ['アンケート調査', 'ja-JP', 1, 'conversation_flow', true],
  ['Delivery call-backs', 'en-GB', 2, 'conversation_flow', true],
  ['Florist, order line', 'en-GB', 2, 'single_prompt', true],
];

const day = 86_400_000;

/** `goBack` sets the clock of the service back by this many milliseconds, so that creation times differ. */
export async function openShop(service: Service, goBack: (ms: number) => void): Promise<Shop> {
  goBack(90 * day);
  const { key: owner, workspaceId } = await service.newKey({ workspace: 'Sakura Group' });
  const first = await send(service, 'POST', '/api/v1/api-keys', {
    key: owner,
    body: { name: 'Aiko', scopes: allScopes },
  });
  const key: string = first.json.key;
  const call = async (method: string, path: string, body: object) => {
    const { status, json } = await send(service, method, `/api/v1/${path}`, { key, body });
    assert.ok(status < 300, JSON.stringify(json));
    return json;
  };
  for (const [place, [name, language, voice, responseEngineType, isPublished]] of agents.toReversed().entries()) {
    goBack((agents.length - place) ** 1.7 * day * 0.9);
    const { id } = await createAgent(service, key, {
      name,
      language,
      voiceId: voices[voice],
      responseEngineType,
      responseEngine:
        responseEngineType === 'custom_llm'
          ? { llmWebsocketUrl: 'wss://llm.example.com/agent' }
          : { prompt: 'You answer the phone of the shop.', model: 'gpt-5-mini' },
    });
    if (isPublished) await call('POST', `agents/${id}/publish`, { versionDescription: 'First version' });
  }
  goBack(0.9 * day);
  await call('POST', 'api-keys', { name: 'Website', scopes: ['agents:read'] });
  await call('POST', 'api-keys', { name: 'CI', scopes: ['agents:read', 'agents:write'] });
  const rotated = await call('POST', 'api-keys', { name: '店舗タブレット', scopes: ['agents:read'] });
  await call('POST', `api-keys/${rotated.id}/rotate`, { graceSeconds: 86_400 });
  const revoked = await call('POST', 'api-keys', { name: 'Old laptop', scopes: ['agents:read', 'audit:read'] });
  await call('POST', `api-keys/${revoked.id}/revoke`, {});
  goBack(0.8 * day);
  const { id } = await createAgent(service, key, {
    name: '予約受付 Sakura Salon',
    language: 'ja-JP',
    voiceId: 'ja-JP-Nanami',
    fallbackVoiceIds: ['ja-JP-Keita'],
    responseEngineType: 'single_prompt',
    beginMessage: 'お電話ありがとうございます。さくらサロンでございます。',
    responseEngine: {
      model: 'gpt-5-mini',
      prompt: [
        'You answer the phone of Sakura Salon in Kyoto.',
        'Ask for the day, the time and the treatment.',
        'The salon is closed on Mondays.',
        'Repeat the booking before you end the call.',
      ].join('\n'),
    },
    boostedKeywords: ['縮毛矯正', 'balayage', 'ヘッドスパ'],
    pronunciationDictionary: [{ find: 'Sakura', replace: 'さくら' }],
    postCallAnalysisData: [
      { name: 'booked', type: 'boolean', description: 'Whether a booking was made.' },
      { name: 'treatment', type: 'enum', description: 'What was booked.', options: ['cut', 'colour', 'spa'] },
    ],
    webhookUrl: 'https://hooks.example.com/calls',
  });
  await call('POST', `agents/${id}/publish`, { versionDescription: 'Opening hours of autumn' });
  goBack(0.3 * day);
  await call('PATCH', `agents/${id}`, { voiceSpeed: 1.1, boostedKeywords: ['縮毛矯正', 'balayage'] });
  await call('POST', `agents/${id}/publish`, { versionDescription: 'A little faster' });
  goBack(0.004 * day);
  await call('PATCH', `agents/${id}`, {
    voiceSpeed: 1.2,
    language: 'ja',
    responseEngine: {
      prompt: [
        'You answer the phone of Sakura Salon in Kyoto.',
        'Ask for the day, the time and the treatment.',
        'The salon is closed on Mondays and from 29 December to 4 January.',
        'Repeat the booking before you end the call.',
      ].join('\n'),
    },
  });
  goBack(0);
  await addTraffic(service, workspaceId);
  return { key, workspaceId, agentId: id };
}

/** A day of a shop: quiet at night, with peaks at eleven and at six. */
async function addTraffic({ database }: Service, workspaceId: string): Promise<void> {
  const second = Math.floor(Date.now() / 1000);
  for (const [stepSeconds, steps] of [
    [60, 60],
    [600, 144],
  ] as const) {
    for (let back = 0; back < steps; back += 1) {
      const at = second - (second % stepSeconds) - back * stepSeconds;
      const hour = (at / 3600) % 24;
      const busy = 0.15 + Math.exp(-(((hour - 11) / 2.5) ** 2)) + 0.8 * Math.exp(-(((hour - 18) / 2) ** 2));
      // Looks random, but is the same every time.
      const chance = (Math.abs(Math.sin(at) * 43_758.5453) % 1) * 2 - 1;
      const noise = 1 + 0.12 * Math.sin(at / 970) + 0.1 * chance;
      const lasted = Math.min(stepSeconds, second - at);
      const requests = Math.round(lasted * 4 * busy * noise);
      const refusals = Math.round(requests * 0.012 * (1 + chance));
      const shares = [0.35, 0.3, 0.18, 0.09, 0.045, 0.02, 0.009 * (1 + chance), 0.006];
      const latencies = shares.flatMap((share, bucket) => [bucket, Math.round(share * requests)]);
      await database.run(
        `INSERT INTO request_figures (workspace_id, step_seconds, at, instance, doc) VALUES ($1, $2, $3, 'shop', $4)`,
        [workspaceId, stepSeconds, at, JSON.stringify([requests, refusals, 0, ...latencies])],
      );
    }
  }
}
