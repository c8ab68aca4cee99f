import type { IncomingMessage, ServerResponse } from 'node:http';
import { testFrames } from '../../src/voice/providers/test/frames.ts';
import { type DoubleSocket, type Rejection, type SocketDouble, sendJson, startSocketDouble } from './socket-double.ts';

export const elevenLabsKey = 'sk_el_5f2b8c0a9d';
export const elevenLabsVoices = ['21m00Tcm4TlvDq8ikWAM', 'pNInz6obpgDQGcFmaJgB', 'Xb7hH8MSUJpSbSDYk0k2'] as const;

/** https://elevenlabs.io/docs/api-reference/text-to-speech/v-1-text-to-speech-voice-id-multi-stream-input */
const parameters = new Set(
  'model_id language_code output_format inactivity_timeout sync_alignment auto_mode'.split(' '),
);
const formats = new Set('pcm_8000 pcm_16000 pcm_22050 pcm_24000 pcm_44100'.split(' '));
const maxContexts = 5;

/** A double of ElevenLabs, written from its published documentation as of November 2026. It says a word in 200 ms. */
export function startElevenLabsDouble(): Promise<SocketDouble> {
  return startSocketDouble({ rejectionOf, connected, respond });
}

/** https://elevenlabs.io/docs/api-reference/voices/search */
function respond({ headers, method }: IncomingMessage, response: ServerResponse, url: URL) {
  if (headers['xi-api-key'] !== elevenLabsKey) {
    return sendJson(response, 401, {
      detail: { status: 'invalid_api_key', message: `Invalid API key ${headers['xi-api-key']}` },
    });
  }
  if (method !== 'GET' || url.pathname !== '/v2/voices') return sendJson(response, 404, { detail: 'Not Found' });
  const isFirst = url.searchParams.get('next_page_token') === null;
  sendJson(response, 200, {
    voices: isFirst
      ? [{ voice_id: elevenLabsVoices[0], name: 'Rachel', verified_languages: [] }]
      : [{ voice_id: elevenLabsVoices[1], name: 'Adam', verified_languages: [{ language: 'ja' }, { language: 'en' }] }],
    has_more: isFirst,
    next_page_token: isFirst ? 'page-2' : null,
  });
}

function rejectionOf({ headers }: IncomingMessage, { pathname, searchParams }: URL): Rejection | undefined {
  if (!/^\/v1\/text-to-speech\/[^/]+\/multi-stream-input$/.test(pathname)) return { status: 404, body: {} };
  if (headers['xi-api-key'] !== elevenLabsKey) {
    return {
      status: 401,
      body: { detail: { status: 'invalid_api_key', message: `Invalid ${headers['xi-api-key']}` } },
    };
  }
  const isUnknown = [...searchParams.keys()].some((name) => !parameters.has(name));
  const timeout = Number(searchParams.get('inactivity_timeout') ?? 20);
  if (isUnknown || !formats.has(searchParams.get('output_format') ?? '') || timeout > 180)
    return { status: 422, body: {} };
  // https://elevenlabs.io/docs/api-reference/text-to-speech/convert: other models reject a language.
  if (searchParams.has('language_code') && !/_v2_5$/.test(searchParams.get('model_id') ?? ''))
    return { status: 400, body: {} };
  return undefined;
}

interface Context {
  text: string;
  isClosed: boolean;
}

function connected(socket: DoubleSocket, url: URL): void {
  const rate = Number((url.searchParams.get('output_format') ?? '').replace('pcm_', ''));
  const voiceId = url.pathname.split('/')[3] ?? '';
  const contexts = new Map<string, Context>();
  /** https://elevenlabs.io/docs/eleven-api/guides/how-to/websockets/multi-context-web-socket */
  const fail = (error: string) => {
    socket.send({ message: `It failed: ${error}`, error, code: 1008 });
    socket.close(1008, error);
  };
  socket.onText((message) => {
    const id = String(message.context_id ?? 'default');
    const text = typeof message.text === 'string' ? message.text : '';
    const known = contexts.get(id);
    if (message.close_context === true) {
      if (known === undefined) return;
      contexts.delete(id);
      socket.send({ isFinal: true, contextId: id });
      return;
    }
    if (known === undefined) {
      if (!(elevenLabsVoices as readonly string[]).includes(voiceId) && voiceId !== 'JBFqnCBsd6RMkjVDRZzb') {
        return fail('voice_id_does_not_exist');
      }
      if (contexts.size === maxContexts) return fail('max_active_conversations');
      // The text before the configuration of a context is rejected: it starts with a single space.
      if (text !== ' ') return fail('input_stream_not_initialized');
      const { speed = 1, stability = 0.5 } = (message.voice_settings ?? {}) as Record<string, number>;
      if (speed < 0.7 || speed > 1.2 || stability < 0 || stability > 1) return fail('invalid_voice_settings');
      contexts.set(id, { text: '', isClosed: false });
      return;
    }
    if (!text.endsWith(' ')) return fail('text_must_end_with_space');
    known.text += text;
    if (message.flush === true) speak(socket, id, known, rate);
  });
}

/** A chunk for each word, with the times of its characters since the start of the chunk. */
function speak(socket: DoubleSocket, contextId: string, context: Context, rate: number) {
  for (const word of context.text.trim().split(/\s+/)) {
    const samples = testFrames(word, 10);
    const scaled = rate === 16_000 ? samples : new Int16Array(Math.round((samples.length * rate) / 16_000));
    const chars = [...`${word} `];
    const ms = 200 / chars.length;
    socket.send({
      audio: Buffer.from(scaled.buffer, scaled.byteOffset, scaled.byteLength).toString('base64'),
      contextId,
      alignment: {
        chars,
        charStartTimesMs: chars.map((_, index) => Math.round(index * ms)),
        charDurationsMs: chars.map(() => Math.round(ms)),
      },
      normalizedAlignment: null,
    });
  }
  context.text = '';
}
