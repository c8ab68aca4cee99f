import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { cartesiaKey, cartesiaVoices, startCartesiaDouble } from './cartesia-double.ts';
import { deepgramKey, startDeepgramDouble } from './deepgram-double.ts';
import { elevenLabsKey, elevenLabsVoices, startElevenLabsDouble } from './elevenlabs-double.ts';
import { type OpenAiSpeechDouble, openAiSpeechKey, startOpenAiSpeechDouble } from './openai-speech-double.ts';
import type { SocketDouble } from './socket-double.ts';

type Headers = Readonly<Record<string, string>>;

/** A double that accepted everything would prove nothing about an adapter. These requests are not made by ours. */

function useDouble<Double extends { close(): Promise<void> }>(start: () => Promise<Double>): { double: Double } {
  const parts = {} as { double: Double };
  before(async () => {
    parts.double = await start();
  });
  after(() => parts.double.close());
  return parts;
}

function open({ baseUrl }: SocketDouble, path: string, headers: Headers): WebSocket {
  return new WebSocket(`${baseUrl.replace('http', 'ws')}${path}`, { headers: { ...headers } });
}

/** The status of a handshake; 101 if it is accepted. */
function handshake(double: SocketDouble, path: string, headers: Headers): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = open(double, path, headers);
    socket.on('unexpected-response', (request, response) => {
      request.destroy();
      resolve(response.statusCode ?? 0);
    });
    socket.on('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.on('error', reject);
  });
}

/** What is answered to messages, until the double closes the connection or has sent `count` answers. */
function answers(double: SocketDouble, path: string, headers: Headers, count: number, ...messages: object[]) {
  return new Promise<{ readonly received: Record<string, unknown>[]; readonly code: number | null }>(
    (resolve, reject) => {
      const received: Record<string, unknown>[] = [];
      const socket = open(double, path, headers);
      const end = (code: number | null) => {
        resolve({ received, code });
        socket.terminate();
      };
      socket.on('open', () => {
        for (const message of messages) socket.send(JSON.stringify(message));
      });
      socket.on('message', (data) => {
        received.push(JSON.parse(String(data)) as Record<string, unknown>);
        if (received.length === count) end(null);
      });
      socket.on('close', end);
      socket.on('error', reject);
    },
  );
}

describe('The double of Deepgram rejects', () => {
  const parts = useDouble(startDeepgramDouble);
  const key = { authorization: `Token ${deepgramKey}` };
  const good = '/v1/listen?model=nova-3&encoding=linear16&sample_rate=16000';

  it('nothing of a request that is right', async () => {
    assert.equal(await handshake(parts.double, good, key), 101);
  });

  for (const [about, path, headers, status] of [
    ['a missing key', good, {}, 401],
    ['a key in the form of another vendor', good, { authorization: `Bearer ${deepgramKey}` }, 401],
    ['an unknown parameter', `${good}&voice=aura`, key, 400],
    ['an unknown model', good.replace('nova-3', 'nova-9'), key, 400],
    ['raw audio without a rate', '/v1/listen?model=nova-3&encoding=linear16', key, 400],
    ['too many keyterms', `${good}&keyterm=${'k'.repeat(2001)}`, key, 400],
    ['another route', '/v1/speak', key, 404],
  ] as const) {
    it(about, async () => assert.equal(await handshake(parts.double, path, headers), status));
  }

  it('a message of an unknown type', async () => {
    assert.equal((await answers(parts.double, good, key, 1, { type: 'Configure' })).code, 1008);
  });
});

describe('The double of ElevenLabs rejects', () => {
  const parts = useDouble(startElevenLabsDouble);
  const key = { 'xi-api-key': elevenLabsKey };
  const good = `/v1/text-to-speech/${elevenLabsVoices[0]}/multi-stream-input?output_format=pcm_16000`;
  const start = { text: ' ', context_id: 'c1' };

  it('nothing of a request that is right', async () => {
    const { received } = await answers(parts.double, good, key, 1, start, {
      text: 'Hello. ',
      context_id: 'c1',
      flush: true,
    });
    assert.equal(typeof received[0]?.audio, 'string');
  });

  for (const [about, path, headers, status] of [
    ['a missing key', good, {}, 401],
    ['an unknown parameter', `${good}&speed=2`, key, 422],
    ['an unknown format', good.replace('pcm_16000', 'pcm_48000'), key, 422],
    ['a longer inactivity than it allows', `${good}&inactivity_timeout=181`, key, 422],
    ['a language for a model without one', `${good}&model_id=eleven_multilingual_v2&language_code=ja`, key, 400],
  ] as const) {
    it(about, async () => assert.equal(await handshake(parts.double, path, headers), status));
  }

  for (const [error, ...messages] of [
    ['input_stream_not_initialized', { text: 'Hello. ', context_id: 'c1' }],
    ['text_must_end_with_space', start, { text: 'Hello.', context_id: 'c1' }],
    ['invalid_voice_settings', { ...start, voice_settings: { speed: 2 } }],
    ['max_active_conversations', ...['c1', 'c2', 'c3', 'c4', 'c5', 'c6'].map((id) => ({ ...start, context_id: id }))],
  ] as [string, ...object[]][]) {
    it(`messages in a wrong order or with wrong values: ${error}`, async () => {
      const { received, code } = await answers(parts.double, good, key, 2, ...messages);
      assert.deepEqual([received.map((each) => each.error), code], [[error], 1008]);
    });
  }
});

describe('The double of Cartesia rejects', () => {
  const parts = useDouble(startCartesiaDouble);
  const headers = { 'cartesia-version': '2026-03-01', authorization: `Bearer ${cartesiaKey}` };
  const path = '/tts/websocket';
  const request = {
    model_id: 'sonic-3',
    voice: { mode: 'id', id: cartesiaVoices[0] },
    context_id: 'c1',
    output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 16_000 },
    transcript: 'Hello.',
    continue: true,
  };

  it('nothing of a request that is right', async () => {
    const { received } = await answers(parts.double, path, headers, 2, request);
    assert.deepEqual(
      received.map(({ type }) => type),
      ['timestamps', 'chunk'],
    );
  });

  for (const [about, given, status] of [
    ['a missing key', { 'cartesia-version': '2026-03-01' }, 401],
    ['a missing version', { authorization: headers.authorization }, 400],
  ] as const) {
    it(about, async () => assert.equal(await handshake(parts.double, path, given as Headers), status));
  }

  for (const [about, status, code, ...messages] of [
    ['text before the configuration', 404, 'model_not_found', { context_id: 'c1', transcript: 'Hello.' }],
    ['an unknown voice', 404, 'voice_not_found', { ...request, voice: { mode: 'id', id: 'nanami' } }],
    ['another container', 400, 'invalid_output_format', { ...request, output_format: { container: 'wav' } }],
    ['an empty text that goes on', 400, 'transcript_empty', { ...request, transcript: '' }],
    ['a speed that is out of range', 400, 'invalid_speed', { ...request, generation_config: { speed: 2 } }],
  ] as [string, number, string, object][]) {
    it(about, async () => {
      const { received } = await answers(parts.double, path, headers, 1, ...messages);
      assert.deepEqual([received[0]?.type, received[0]?.status_code, received[0]?.error_code], ['error', status, code]);
    });
  }

  it('settings that change within a context', async () => {
    const changed = { ...request, language: 'ja' };
    const { received } = await answers(parts.double, path, headers, 3, request, changed);
    assert.equal(received.at(-1)?.error_code, 'context_changed');
  });
});

describe('The double of OpenAI’s speech rejects', () => {
  const parts = useDouble<OpenAiSpeechDouble>(startOpenAiSpeechDouble);
  const key = { authorization: `Bearer ${openAiSpeechKey}` };
  const speech = { model: 'tts-1', voice: 'alloy', input: 'Hello.', response_format: 'pcm' };
  const post = async (path: string, body: string | FormData, headers: Headers = key): Promise<number> => {
    const response = await fetch(`${parts.double.baseUrl}${path}`, { method: 'POST', headers: { ...headers }, body });
    await response.arrayBuffer();
    return response.status;
  };
  const form = (fields: Readonly<Record<string, string | Blob>>): FormData => {
    const data = new FormData();
    for (const [name, value] of Object.entries(fields)) data.set(name, value);
    return data;
  };

  it('nothing of a request that is right', async () => {
    assert.equal(await post('/audio/speech', JSON.stringify(speech)), 200);
  });

  for (const [about, body, status] of [
    ['a text that is empty', { ...speech, input: '' }, 400],
    ['a text that is too long', { ...speech, input: 'a'.repeat(4097) }, 400],
    ['a missing voice', { ...speech, voice: undefined }, 400],
    ['a speed that is out of range', { ...speech, speed: 5 }, 400],
    ['instructions for a model without them', { ...speech, instructions: 'calm' }, 400],
  ] as const) {
    it(about, async () => assert.equal(await post('/audio/speech', JSON.stringify(body)), status));
  }

  it('a missing key, and another route', async () => {
    assert.equal(await post('/audio/speech', JSON.stringify(speech), {}), 401);
    assert.equal(await post('/audio/voices', '{}'), 404);
  });

  it('a transcription without a model, of something else than audio, and of almost nothing', async () => {
    const file = new Blob([new Uint8Array(5000)]);
    const short = new Blob([Buffer.from('RIFF'), new Uint8Array(100)]);
    assert.equal(await post('/audio/transcriptions', form({ file })), 400);
    assert.equal(await post('/audio/transcriptions', form({ file, model: 'whisper-1' })), 400);
    assert.equal(await post('/audio/transcriptions', form({ file: short, model: 'whisper-1' })), 400);
  });
});
