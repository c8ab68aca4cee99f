import type { IncomingMessage, ServerResponse } from 'node:http';
import { testFrames } from '../../src/voice/providers/test/frames.ts';
import { type DoubleSocket, type Rejection, type SocketDouble, sendJson, startSocketDouble } from './socket-double.ts';

export const cartesiaKey = 'sk_car_7a1d3e9b2c';
export const cartesiaVoices = [
  'a0e99841-438c-4a64-b679-ae501e7d6091',
  '2b568345-1d48-4047-b25f-7baccf842eb0',
  '6ccbfb76-1fc6-48f7-b71d-91ac6298247b',
] as const;

/** A double of Cartesia, written from its published documentation as of November 2026. It says a word in 200 ms. */
export function startCartesiaDouble(): Promise<SocketDouble> {
  return startSocketDouble({ rejectionOf, connected, respond });
}

/** https://docs.cartesia.ai/use-the-api/api-errors */
function errorOf({ headers }: IncomingMessage): Rejection | undefined {
  if (headers['cartesia-version'] !== '2026-03-01') {
    return {
      status: 400,
      body: { error_code: 'version_invalid', title: 'Invalid version', message: '', request_id: 'r1' },
    };
  }
  if (headers.authorization !== `Bearer ${cartesiaKey}`) {
    const message = `Invalid API key ${headers.authorization}`;
    return { status: 401, body: { error_code: 'unauthorized', title: 'Unauthorized', message, request_id: 'r1' } };
  }
  return undefined;
}

/** https://docs.cartesia.ai/api-reference/voices/list */
function respond(request: IncomingMessage, response: ServerResponse, url: URL) {
  const error = errorOf(request);
  if (error !== undefined) return sendJson(response, error.status, error.body);
  if (request.method !== 'GET' || url.pathname !== '/voices') return sendJson(response, 404, { error_code: null });
  const after = url.searchParams.get('starting_after');
  const all = [
    { id: cartesiaVoices[0], name: 'Barbershop Man', language: 'en', is_owner: false, is_public: true },
    { id: cartesiaVoices[1], name: 'Yumiko', language: 'ja', is_owner: false, is_public: true },
  ];
  const data = after === null ? all.slice(0, 1) : all.slice(1);
  sendJson(response, 200, { data, has_more: after === null });
}

function rejectionOf(request: IncomingMessage, { pathname }: URL): Rejection | undefined {
  return pathname === '/tts/websocket' ? errorOf(request) : { status: 404, body: {} };
}

interface WireRequest {
  readonly context_id?: string;
  readonly model_id?: string;
  readonly transcript?: string;
  readonly continue?: boolean;
  readonly voice?: { readonly mode?: string; readonly id?: string };
  readonly output_format?: { readonly container?: string; readonly encoding?: string; readonly sample_rate?: number };
  readonly generation_config?: { readonly speed?: number; readonly emotion?: string };
}

/** https://docs.cartesia.ai/api-reference/tts/websocket */
function connected(socket: DoubleSocket): void {
  /** What the inputs of a context must repeat, and the seconds that it has said. */
  const contexts = new Map<string, { readonly settings: string; seconds: number }>();
  socket.onText((message) => {
    const id = String(message.context_id);
    if (message.cancel === true) {
      contexts.delete(id);
      return;
    }
    const request = message as WireRequest;
    const fail = (status: number, code: string) => {
      contexts.delete(id);
      const about = { error_code: code, title: code, message: 'It failed.', request_id: 'r1' };
      socket.send({ type: 'error', done: true, status_code: status, context_id: id, ...about });
    };
    const problem = problemWith(request);
    if (problem !== undefined) return fail(...problem);
    // https://docs.cartesia.ai/api-reference/tts/working-with-web-sockets/contexts: all other fields stay the same.
    const { transcript = '', continue: isContinued = false, ...rest } = request;
    const settings = JSON.stringify(rest);
    const context = contexts.get(id) ?? { settings, seconds: 0 };
    if (context.settings !== settings) return fail(400, 'context_changed');
    contexts.set(id, context);
    context.seconds = speak(socket, id, transcript, request.output_format?.sample_rate ?? 0, context.seconds);
    if (isContinued) return;
    contexts.delete(id);
    socket.send({ type: 'done', done: true, status_code: 206, context_id: id });
  });
}

function problemWith(request: WireRequest): [status: number, code: string] | undefined {
  const { voice, output_format: format, model_id: model = '', generation_config: config, transcript } = request;
  if (!/^sonic/.test(model)) return [404, 'model_not_found'];
  if (voice?.mode !== 'id' || !(cartesiaVoices as readonly (string | undefined)[]).includes(voice.id))
    return [404, 'voice_not_found'];
  if (format?.container !== 'raw' || format.encoding !== 'pcm_s16le') return [400, 'invalid_output_format'];
  if (transcript === undefined || (transcript === '' && request.continue === true)) return [400, 'transcript_empty'];
  // https://docs.cartesia.ai/build-with-cartesia/capability-guides/volume-speed-emotion
  const { speed = 1 } = config ?? {};
  return speed < 0.6 || speed > 1.5 ? [400, 'invalid_speed'] : undefined;
}

function speak(socket: DoubleSocket, id: string, transcript: string, rate: number, from: number): number {
  let seconds = from;
  for (const word of transcript
    .trim()
    .split(/\s+/)
    .filter((each) => each !== '')) {
    const samples = testFrames(word, 10);
    const scaled = rate === 16_000 ? samples : new Int16Array(Math.round((samples.length * rate) / 16_000));
    const audio = Buffer.from(scaled.buffer, scaled.byteOffset, scaled.byteLength);
    const common = { done: false, status_code: 206, context_id: id };
    const end = seconds + 0.2;
    const stamps = { words: [word], start: [seconds], end: [end] };
    socket.send({ type: 'timestamps', ...common, word_timestamps: stamps });
    socket.send({ type: 'chunk', ...common, data: audio.toString('base64'), step_time: 20 });
    seconds = end;
  }
  return seconds;
}
