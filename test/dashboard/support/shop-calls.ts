import type { Turn } from '../../../src/contract/turn.ts';
import { CallServer } from './call-server.ts';
import { distribution, latencyOf, usageOf } from './sample-calls.ts';

/** The calls of the shop, for screenshots. */
export interface ShopCalls {
  readonly server: CallServer;
  readonly chatId: string;
  readonly spokenId: string;
  readonly liveId: string;
  readonly unstoredId: string;
}

const booking: readonly Partial<Turn>[] = [
  { source: 'begin', text: 'お電話ありがとうございます。さくらサロンでございます。' },
  { role: 'caller', text: '明日の15時にカットの予約はできますか。' },
  {
    role: 'tool',
    toolCall: {
      id: 'tcl_01m2k7qv3h0000x4t9w8c5n1r6ybdz',
      name: 'find_free_times',
      arguments: { day: '2026-11-17', treatment: 'cut' },
      result: { free: ['15:00', '16:30'] },
      isError: false,
      durationMs: 312,
    },
  },
  { text: 'はい、明日の15時が空いております。お名前をお願いできますか。', latency: latencyOf(940, 7) },
  { role: 'caller', text: '山本です。' },
  { text: '山本様、11月17日15時にカットで承りました。', latency: latencyOf(610, 5) },
  { role: 'caller', text: 'ありがとうございます。' },
  { text: 'ご来店をお待ちしております。失礼いたします。', latency: latencyOf(480, 4) },
];

const spoken = (
  e2eMs: number,
  endpointingMs: number,
  sttMs: number,
  llmFirstTokenMs: number,
  ttsFirstAudioMs: number,
) => ({
  e2eMs,
  endpointingMs,
  sttMs,
  knowledgeMs: null,
  llmFirstTokenMs,
  ttsFirstAudioMs,
  ownMs: e2eMs - endpointingMs - sttMs - llmFirstTokenMs - ttsFirstAudioMs,
});

const spokenTurns: readonly Partial<Turn>[] = [
  { source: 'begin', text: 'Sakura Salon, good afternoon. How can I help you?' },
  { role: 'caller', text: 'Hi, I would like to move my appointment to Friday.' },
  { source: 'waiting', text: 'One moment, please.' },
  {
    role: 'tool',
    toolCall: {
      id: 'tcl_01m2k7qv3h0000x4t9w8c5n1r6ybdy',
      name: 'find_booking',
      arguments: { phone: '+81312345678' },
      result: { error: 'The booking system did not respond.' },
      isError: true,
      durationMs: 5000,
    },
  },
  {
    text: 'I am sorry, I cannot see your booking at the moment. May I take',
    unspokenText: ' your name and call you back within the hour?',
    interrupted: true,
    latency: spoken(1830, 320, 140, 1120, 130),
  },
  { role: 'caller', text: 'It is under Tanaka, on the 20th.' },
  { text: 'Thank you. A colleague will call you back.', latency: spoken(910, 320, 140, 310, 130) },
  { role: 'caller', text: 'Great, thanks.' },
  { source: 'reminder', text: 'Are you still there?' },
  { text: 'Goodbye.', latency: spoken(720, 260, 120, 220, 112) },
];

export async function openShopCalls(agentId: string): Promise<ShopCalls> {
  const server = await CallServer.start();
  const of = { agentId };
  const reasons = ['agent_hangup', 'caller_hangup', 'silence_timeout', 'api_end', 'caller_hangup'] as const;
  for (let place = 0; place < 8; place += 1) {
    const endReason = reasons[place % reasons.length] as (typeof reasons)[number];
    const durationMs = 40_000 + place * 23_400;
    server.add({ ...of, endReason, durationMs, agentVersion: 1 + (place % 3), isDraft: place % 4 === 2 });
  }
  server.add({
    ...of,
    status: 'not_connected',
    endReason: 'not_joined',
    startedAt: null,
    durationMs: null,
    latency: null,
    type: 'web',
    transcriptStatus: 'none',
  });
  server.add({ ...of, status: 'error', endReason: 'llm_failed', endDetail: 'HTTP 429 of the model', durationMs: 9300 });
  const unstored = server.add({
    ...of,
    dataStorageSetting: 'basic_attributes_only',
    transcriptStatus: 'not_stored',
  });
  const chat = server.add(
    { ...of, agentVersion: 2, externalId: 'visit-2981', variables: { shop: '銀座店' }, metadata: { page: '/booking' } },
    booking,
  );
  const talk = server.add(
    {
      ...of,
      type: 'web',
      agentVersion: 2,
      durationMs: 64_000,
      endReason: 'agent_hangup',
      collectedVariables: { name: 'Tanaka', day: '2026-11-20' },
      latency: {
        turns: 6,
        e2eMs: distribution(910, 1830),
        endpointingMs: distribution(320, 320),
        sttMs: distribution(140, 140),
        knowledgeMs: null,
        llmFirstTokenMs: distribution(310, 1120),
        ttsFirstAudioMs: distribution(130, 130),
        ownMs: distribution(10, 120),
      },
      notApplied: [
        { field: 'voiceTemperature', reason: 'not_supported' },
        { field: 'voiceSpeed', reason: 'clamped' },
        { field: 'agentSettings.calls.recordingEnabled', reason: 'data_storage_setting' },
      ],
    },
    spokenTurns,
  );
  talk.usage.breakdown.push(usageOf('stt', 'deepgram', 'nova-3'), usageOf('tts', 'elevenlabs', 'flash-v2.5'));
  server.tell(talk.id, 'warning', { code: 'unknown_variable', message: 'The variable “caller” has no value.' });
  server.tell(talk.id, 'latency_exceeded', { turnIndex: 4, e2eMs: 1830, budgetMs: 1500 });
  server.tell(talk.id, 'state_changed', { from: 'ongoing', to: 'ended', endReason: 'agent_hangup' });
  const live = server.add({ ...of, status: 'ongoing', type: 'web' }, booking.slice(0, 4));
  server.add({ ...of, status: 'registered', startedAt: null, isDraft: true, latency: null, transcriptStatus: 'none' });
  return { server, chatId: chat.id, spokenId: talk.id, liveId: live.id, unstoredId: unstored.id };
}
