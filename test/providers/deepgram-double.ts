import type { IncomingMessage } from 'node:http';
import { samplesOf } from '../../src/voice/audio/pcm.ts';
import { createFrameCutter, readTestFrame, testFrameSamples } from '../../src/voice/providers/test/frames.ts';
import { type DoubleSocket, type Rejection, type SocketDouble, startSocketDouble } from './socket-double.ts';

export const deepgramKey = 'dg-4f0c9d1e7b3a';

/** https://developers.deepgram.com/reference/speech-to-text/listen-streaming: the parameters, as far as they are sent. */
const parameters = new Set(
  'model language encoding sample_rate channels interim_results punctuate endpointing smart_format keyterm'.split(' '),
);

/**
 * A double of Deepgram's streaming recognition, written from its published documentation as of November 2026. What it
 * understands are the words inside test audio.
 */
export function startDeepgramDouble(): Promise<SocketDouble> {
  return startSocketDouble({ rejectionOf, connected });
}

function rejectionOf({ headers }: IncomingMessage, { pathname, searchParams }: URL): Rejection | undefined {
  const error = (status: number, code: string, message: string): Rejection => ({
    status,
    body: { err_code: code, err_msg: message, request_id: 'r1' },
  });
  if (pathname !== '/v1/listen') return error(404, 'NOT_FOUND', 'No such route.');
  // https://developers.deepgram.com/docs/authenticating
  if (headers.authorization !== `Token ${deepgramKey}`) {
    return error(401, 'INVALID_AUTH', `Invalid credentials: ${headers.authorization}`);
  }
  const unknown = [...searchParams.keys()].find((name) => !parameters.has(name));
  if (unknown !== undefined) return error(400, 'Bad Request', `Unknown parameter ${unknown}`);
  if (searchParams.get('model') !== 'nova-3') return error(400, 'Bad Request', 'No such model/language combination.');
  // https://developers.deepgram.com/docs/encoding: raw audio needs both.
  if (searchParams.get('encoding') !== 'linear16' || !/^\d+$/.test(searchParams.get('sample_rate') ?? '')) {
    return error(400, 'Bad Request', 'Failed to process the audio');
  }
  // https://developers.deepgram.com/docs/keyterm#key-term-limits
  if (searchParams.getAll('keyterm').join(' ').length > 2000)
    return error(400, 'Bad Request', 'Keyterm limit exceeded');
  return undefined;
}

interface Word {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

function connected(socket: DoubleSocket, url: URL): void {
  const rate = Number(url.searchParams.get('sample_rate'));
  let seconds = 0;
  let start = 0;
  let words: Word[] = [];
  /** https://developers.deepgram.com/docs/interim-results, https://developers.deepgram.com/docs/finalize. */
  const send = (isFinal: boolean, fromFinalize: boolean) => {
    socket.send({
      type: 'Results',
      channel_index: [0, 1],
      start,
      duration: seconds - start,
      is_final: isFinal,
      speech_final: false,
      ...(fromFinalize && { from_finalize: true }),
      channel: {
        alternatives: [
          {
            transcript: words.map(({ word }) => word).join(' '),
            confidence: 0.99,
            words: words.map((word) => ({ ...word, confidence: 0.98, punctuated_word: word.word })),
          },
        ],
      },
      metadata: { request_id: 'r1', model_info: { name: 'nova-3', version: '1', arch: 'nova-3' }, model_uuid: 'u1' },
    });
    if (!isFinal) return;
    start = seconds;
    words = [];
  };
  const cut = createFrameCutter((frame) => {
    const word = readTestFrame(frame);
    const from = seconds;
    seconds += testFrameSamples / rate;
    if (word === null || word === '') return;
    words.push({ word: word.trim(), start: from, end: seconds });
    send(false, false);
  });
  socket.onAudio((bytes) => cut(samplesOf(new Uint8Array(bytes))));
  socket.onText(({ type }) => {
    if (type === 'Finalize') {
      // "You may receive": not if there is almost nothing to say.
      if (seconds - start >= 0.1) send(true, true);
    } else if (type === 'CloseStream') {
      // https://developers.deepgram.com/docs/close-stream
      socket.send({ type: 'Metadata', request_id: 'r1', duration: seconds, channels: 1 });
      socket.close(1000, '');
    } else if (type !== 'KeepAlive') {
      // https://developers.deepgram.com/docs/stt-troubleshooting-websocket-data-and-net-errors
      socket.close(1008, 'DATA-0000');
    }
  });
}
