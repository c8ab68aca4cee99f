import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { samplesOf } from '../../src/voice/audio/pcm.ts';
import { createFrameCutter, readTestFrame } from '../../src/voice/providers/test/frames.ts';
import { sendJson } from './socket-double.ts';

export const openAiSpeechKey = 'sk-oa-3c8e6f1d0b';

export type SpeechFault =
  | 'none'
  | { readonly status: number; readonly headers?: Record<string, string> }
  | 'hangs up'
  | 'closes midway'
  | 'never ends'
  | 'silent';

export interface OpenAiSpeechDouble {
  readonly baseUrl: string;
  readonly speech: Record<string, unknown>[];
  readonly transcriptions: Record<string, string>[];
  fail(...faults: SpeechFault[]): void;
  close(): Promise<void>;
}

/**
 * A double of OpenAI's speech and transcription, written from its published documentation as of November 2026. It says a
 * word in 200 ms, and understands the words inside test audio.
 */
export async function startOpenAiSpeechDouble(): Promise<OpenAiSpeechDouble> {
  const speech: Record<string, unknown>[] = [];
  const transcriptions: Record<string, string>[] = [];
  let faults: readonly SpeechFault[] = ['none'];
  const server = createServer(async (request, response) => {
    const [fault = 'none', ...rest] = faults;
    if (rest.length > 0) faults = rest;
    const body = await bytesOf(request);
    // https://platform.openai.com/docs/guides/error-codes: the message repeats a part of the key.
    if (request.headers.authorization !== `Bearer ${openAiSpeechKey}`) {
      return sendError(response, 401, `Incorrect API key provided: ${request.headers.authorization}`);
    }
    if (typeof fault === 'object') {
      response.writeHead(fault.status, fault.headers).end('{"error":{"message":"rejected"}}');
      return;
    }
    if (fault === 'hangs up') return request.socket.destroy();
    if (fault === 'silent') return;
    if (fault === 'never ends') return sendEndlessly(response);
    if (request.url === '/v1/audio/speech') {
      const given = JSON.parse(String(body)) as Record<string, unknown>;
      speech.push(given);
      return speak(response, given, fault === 'closes midway');
    }
    if (request.url === '/v1/audio/transcriptions') {
      return await transcribe(request, response, body, transcriptions);
    }
    sendError(response, 404, `Invalid URL (${request.method} ${request.url})`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    speech,
    transcriptions,
    fail: (...given) => {
      faults = given;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function sendError(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, { error: { message, type: 'invalid_request_error', param: null, code: null } });
}

function sendEndlessly(response: ServerResponse): void {
  const part = Buffer.alloc(1024 * 1024);
  const send = () => {
    while (!response.destroyed && response.write(part));
  };
  response.on('drain', send).writeHead(200);
  send();
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** https://platform.openai.com/docs/api-reference/audio/createSpeech: `pcm` is 24 kHz, 16 bits, without a header. */
function speak(response: ServerResponse, given: Record<string, unknown>, isCut: boolean) {
  const { input, model, voice, speed = 1, response_format: format, instructions } = given;
  if (typeof input !== 'string' || input === '' || input.length > 4096) return sendError(response, 400, 'input');
  if (typeof model !== 'string' || typeof voice === 'undefined' || format !== 'pcm')
    return sendError(response, 400, 'model');
  if (Number(speed) < 0.25 || Number(speed) > 4) return sendError(response, 400, 'speed');
  if (/^tts-1/.test(model) && instructions !== undefined) return sendError(response, 400, 'instructions');
  response.writeHead(200, { 'content-type': 'audio/pcm' });
  const words = input.trim().split(/\s+/);
  const sound = Buffer.alloc(words.length * 9600, 7);
  // Cut in the middle of a sample, as a network does.
  response.write(sound.subarray(0, 4801), () => {
    if (isCut) setTimeout(() => response.destroy(), 50);
    else response.end(sound.subarray(4801));
  });
}

/** https://platform.openai.com/docs/api-reference/audio/createTranscription */
async function transcribe(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  seen: Record<string, string>[],
) {
  const form = await new Response(new Uint8Array(body), {
    headers: { 'content-type': request.headers['content-type'] ?? '' },
  }).formData();
  const file = form.get('file');
  if (!(file instanceof File) || typeof form.get('model') !== 'string')
    return sendError(response, 400, 'file and model');
  const wav = new Uint8Array(await file.arrayBuffer());
  const fields = [...form.entries()].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  seen.push({ ...Object.fromEntries(fields), bytes: String(wav.length) });
  if (Buffer.from(wav.subarray(0, 4)).toString() !== 'RIFF') return sendError(response, 400, 'Invalid file format.');
  // Audio has to be longer than 0.1 s.
  if (wav.length < 44 + 3200) return sendError(response, 400, 'Audio file is too short.');
  const words: string[] = [];
  createFrameCutter((frame) => {
    const word = readTestFrame(frame);
    if (word !== null && word !== '') words.push(word.trim());
  })(samplesOf(wav.slice(44)));
  sendJson(response, 200, { text: words.join(' ') });
}
