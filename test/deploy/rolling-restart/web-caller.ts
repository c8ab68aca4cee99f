import { setTimeout as delay } from 'node:timers/promises';
import { wordOf } from '../../../campaigns/instances/spoken.ts';
import type { VoiceAgents } from '../../../sdk/src/index.ts';
import { Connection } from '../../../sdk/src/web/connection.ts';
import type { ServerFrame } from '../../../sdk/src/web/frames.ts';
import { testFrame } from '../../../src/voice/providers/test/frames.ts';

const rate = 16_000;
const frameMs = 20;
const framesOfWord = 10;
/** Until a word is said again in other words: it was lost with its process. */
const maxReplyMs = 5000;
const pauseMs = 600;
const silence = bufferOf(new Int16Array((rate * frameMs) / 1000));

/** A page in a spoken call: the connection is that of the SDK, with test speech in place of a microphone. */
export class WebCaller {
  id = '';
  /** In the order in which they were said. */
  readonly words: string[] = [];
  /** Those that were answered, as the page was told. */
  readonly answered: string[] = [];
  /** How many words were answered when the connection was lost. */
  readonly answeredAtLoss: number[] = [];
  /** From the loss of a connection until the call went on. */
  readonly resumesMs: number[] = [];
  failure: string | null = null;
  readonly #number: number;
  readonly #frames: ArrayBuffer[] = [];
  #connection: Connection | null = null;
  #lostAt: number | null = null;
  #utterance = 0;
  #received = 0;
  #isOver = false;

  constructor(number: number) {
    this.#number = number;
  }

  get isConnected(): boolean {
    return this.#lostAt === null && this.failure === null;
  }

  /** Talks until it is told to hang up. */
  async run(client: VoiceAgents, agentId: string): Promise<void> {
    const { id, access } = await client.calls.create({ type: 'web', agentId, agentVersion: 'latest' });
    if (!access) throw new Error('a web call has an access token');
    this.id = id;
    const start = { type: 'start', input: { rate }, output: { rate } } as const;
    const connection = new Connection({ liveUrl: access.liveUrl as string, token: access.token }, start, {
      onFrame: (frame) => this.#take(frame),
      onAudio: (audio) => this.#play(audio),
      onReconnecting: (attempt) => {
        if (attempt > 1) return;
        this.#lostAt = performance.now();
        this.answeredAtLoss.push(this.answered.length);
      },
      onResumed: () => {
        this.resumesMs.push(performance.now() - (this.#lostAt as number));
        this.#lostAt = null;
      },
      onClosed: (error) => {
        this.failure = error?.message ?? (this.#isOver ? null : 'the call was ended');
      },
    });
    this.#connection = connection;
    await connection.open();
    const microphone = setInterval(() => connection.sendAudio(this.#frames.shift() ?? silence), frameMs);
    try {
      while (!this.#isOver && this.failure === null) {
        await this.#say();
        await delay(pauseMs);
      }
      if (this.failure !== null) throw new Error(`a page: ${this.failure}`);
      await connection.end();
    } finally {
      clearInterval(microphone);
    }
  }

  hangUp(): void {
    this.#isOver = true;
  }

  async #say(): Promise<void> {
    const word = wordOf(`w${wordOf('', this.#number)}x`, this.words.length);
    this.words.push(word);
    for (let index = 0; index < framesOfWord; index += 1)
      this.#frames.push(bufferOf(testFrame(index === 0 ? word : '')));
    const deadline = performance.now() + maxReplyMs;
    while (this.answered.at(-1) !== word && performance.now() < deadline) await delay(frameMs);
  }

  #take(frame: ServerFrame): void {
    if (frame.type === 'speech') {
      this.#utterance = frame.utterance;
      this.#received = 0;
    }
    if (frame.type !== 'transcript' || frame.role !== 'agent' || !frame.isFinal) return;
    const word = /w[a-j]+x[a-j]+/.exec(frame.text)?.[0];
    if (word !== undefined && !this.answered.includes(word)) this.answered.push(word);
  }

  /** Everything is played at once. */
  #play(audio: ArrayBuffer): void {
    this.#received += audio.byteLength / 2;
    this.#connection?.send({ type: 'played', utterance: this.#utterance, samples: this.#received });
  }
}

function bufferOf(samples: Int16Array): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = samples;
  return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
}
