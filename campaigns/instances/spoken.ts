import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { liveProtocol, resumeProtocol, tokenProtocol } from '../../src/contract/calls/live.ts';
import { testFrame, testFrameSamples } from '../../src/voice/providers/test/frames.ts';
import { Connection } from '../connection.ts';
import type { Random } from '../random.ts';
import type { Instances } from '../repeat/instances.ts';
import { maxReplyMs, maxResumeMs, maxSilentMs, maxWords } from './settings.ts';

export interface SpokenCounts {
  words: number;
  replies: number;
  connections: number;
  resumed: number;
  refused: number;
  longestResumeMs: number;
}

export interface SpeakerParts {
  readonly instances: Instances;
  readonly random: Random;
  readonly key: string;
  readonly agentId: string;
  readonly calls: SpokenCall[];
  readonly counts: SpokenCounts;
  /** Takes the number of the next call; null if there are enough. */
  readonly nextNumber: () => number | null;
  readonly found: (what: string) => void;
}

/** A call as its caller knows it. */
export interface SpokenCall {
  readonly id: string;
  /** In the order in which they were said. Some are lost with a process. */
  readonly words: string[];
  /** The words that were answered, as the page was told. */
  readonly answered: Set<string>;
}

const frameMs = 20;
const wordFrames = 10;
const silence = Buffer.alloc(testFrameSamples * 2);
const retryMs = 200;
const requestMs = 5000;
/** The end of a call waits for the database. Then the page tries again at another instance. */
const maxEndMs = 15_000;

/** A word that is nowhere else, without digits, which would be spoken as numbers. */
export function wordOf(prefix: string, number: number): string {
  const letters = [...String(number)].map((digit) => 'abcdefghij'[Number(digit)]);
  return `${prefix}${letters.join('')}`;
}

/** A page with a microphone, which resumes its call at any instance until it gets through. */
export class Speaker {
  readonly #parts: SpeakerParts;
  readonly #random: Random;

  constructor(parts: SpeakerParts) {
    this.#parts = parts;
    this.#random = parts.random.fork();
  }

  async run(): Promise<void> {
    for (let number = this.#parts.nextNumber(); number !== null; number = this.#parts.nextNumber()) {
      await this.#call(number);
    }
  }

  async #call(number: number): Promise<void> {
    const { agentId, calls, found, counts } = this.#parts;
    const body = { type: 'web', agentId, agentVersion: 'latest' };
    const created = await this.#must(
      'POST',
      '/api/v1/calls',
      body,
      `spoken ${number} of ${this.#random.int(0, 2 ** 31)}`,
    );
    const call: SpokenCall = { id: created.id, words: [], answered: new Set() };
    calls.push(call);
    let credential = `${tokenProtocol}${created.access.token}`;
    let lostAt = performance.now();
    let left = this.#random.int(2, maxWords);
    while (true) {
      const joined = await this.#connect(call.id, credential);
      if (joined === 'over') return;
      if (joined === null || joined.resumeKey === '') {
        joined?.close();
        if (performance.now() - lostAt > maxResumeMs)
          return found('a caller who goes on trying does not get into the call again');
        // A token joins once, although the page may never have heard that it did.
        if (credential.startsWith(tokenProtocol)) credential = await this.#newToken(call.id);
        await delay(retryMs);
        continue;
      }
      if (credential.startsWith(resumeProtocol)) {
        counts.resumed += 1;
        counts.longestResumeMs = Math.max(counts.longestResumeMs, performance.now() - lostAt);
      }
      credential = `${resumeProtocol}${joined.resumeKey}`;
      while (left > 0 && joined.isOpen) {
        const word = wordOf(`w${wordOf('', number)}x`, call.words.length);
        call.words.push(word);
        left -= 1;
        counts.words += 1;
        joined.say(word);
        if (await joined.untilAnswered(word)) {
          counts.replies += 1;
          call.answered.add(word);
        }
      }
      if (joined.isOpen) joined.hangUp();
      await Promise.race([joined.closed, delay(maxEndMs)]);
      joined.close();
      if (joined.hasEnded) return;
      lostAt = performance.now();
    }
  }

  /** Null if it was not possible now. */
  async #connect(id: string, credential: string): Promise<LiveLine | 'over' | null> {
    const { instances, counts, found } = this.#parts;
    const port = instances.port(await instances.pick(this.#random));
    counts.connections += 1;
    const answer = await LiveLine.open(port, id, credential);
    if (answer instanceof LiveLine) return answer;
    counts.refused += 1;
    if (answer.status === 0 || answer.status === 503) return null;
    if (answer.status === 409 && answer.reason !== 'joined_elsewhere') return 'over';
    // A token may have joined in a connection that was lost at once.
    if (answer.status === 409 || credential.startsWith(tokenProtocol)) return null;
    found(`a caller who resumes a call was answered ${answer.status} ${answer.code}`);
    return 'over';
  }

  async #newToken(id: string): Promise<string> {
    const { token } = await this.#must('POST', `/api/v1/calls/${id}/tokens`, {}, undefined);
    return `${tokenProtocol}${token ?? ''}`;
  }

  // biome-ignore lint/suspicious/noExplicitAny: campaigns read few fields of their own requests.
  async #must(method: string, path: string, body: object, repeatKey: string | undefined): Promise<any> {
    const { instances, key, found } = this.#parts;
    for (;;) {
      const connection = new Connection(instances.port(await instances.pick(this.#random)), { timeoutMs: requestMs });
      const headers = repeatKey === undefined ? {} : { 'Idempotency-Key': repeatKey };
      const reply = await connection.request(method, path, { key, body, headers }).catch(() => null);
      connection.close();
      if (reply !== null && reply.status < 300) return JSON.parse(reply.body.toString());
      const code = /"code":"(\w+)"/.exec(reply?.body.toString() ?? '')?.[1];
      // The call may be over by now, which the next connection is told.
      if (code === 'STATE_CONFLICT') return {};
      const isTemporary = reply === null || code === 'SERVICE_UNAVAILABLE' || code === 'IDEMPOTENCY_IN_PROGRESS';
      if (!isTemporary) found(`${method} ${path.replace(/call_\w+/, '{id}')} was answered ${reply.status} ${code}`);
      await delay(retryMs);
    }
  }
}

interface RefusedLine {
  readonly status: number;
  readonly code: string;
  readonly reason: string | undefined;
}

/** One connection of a page: its microphone never stops, and everything is played at once. */
class LiveLine {
  resumeKey = '';
  hasEnded = false;
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  readonly #frames: Buffer[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #said: string[] = [];
  #utterance = 0;
  #received = 0;
  #reported = 0;
  #heardAt = performance.now();
  readonly #openedAt = performance.now();
  #sent = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      this.#heardAt = performance.now();
      if (isBinary) this.#received += data.length / 2;
      else this.#take(JSON.parse(data.toString()));
    });
    socket.on('pong', () => {
      this.#heardAt = performance.now();
    });
    const timer = setInterval(() => this.#tick(), frameMs);
    const pings = setInterval(() => {
      if (this.isOpen) socket.ping();
      // A process that was stopped accepts bytes and says nothing.
      if (performance.now() - this.#heardAt > maxSilentMs) socket.terminate();
    }, 500);
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        clearInterval(timer);
        clearInterval(pings);
        this.#wake();
        resolve();
      });
    });
  }

  static async open(port: number, id: string, credential: string): Promise<LiveLine | RefusedLine> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/live/v1/calls/${id}`, [liveProtocol, credential], {
      handshakeTimeout: requestMs,
    });
    const answer = await new Promise<LiveLine | RefusedLine>((resolve) => {
      socket.once('open', () => resolve(new LiveLine(socket)));
      socket.once('unexpected-response', (request, response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('close', () => {
          const text = Buffer.concat(chunks).toString();
          const reason = /"reason":"(\w+)"/.exec(text)?.[1];
          request.destroy();
          resolve({ status: response.statusCode ?? 0, code: /"code":"(\w+)"/.exec(text)?.[1] ?? '', reason });
        });
      });
      socket.on('error', () => resolve({ status: 0, code: '', reason: undefined }));
    });
    if (!(answer instanceof LiveLine)) return answer;
    answer.#send({ type: 'start', input: { rate: 16_000 }, output: { rate: 16_000 } });
    await answer.#until(() => answer.resumeKey !== '', requestMs);
    return answer;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  say(word: string): void {
    for (let frame = 0; frame < wordFrames; frame += 1) {
      const samples = testFrame(frame === 0 ? word : '');
      this.#frames.push(Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength));
    }
  }

  /** False if there was no reply in time, or the connection was lost. */
  async untilAnswered(word: string): Promise<boolean> {
    return this.#until(() => this.#said.some((text) => text.includes(word)), maxReplyMs);
  }

  hangUp(): void {
    this.#send({ type: 'end' });
  }

  close(): void {
    this.#socket.terminate();
  }

  #tick(): void {
    if (!this.isOpen || this.resumeKey === '') return;
    // A timer that fires late is made up for.
    const due = Math.floor((performance.now() - this.#openedAt) / frameMs);
    for (; this.#sent < due; this.#sent += 1) this.#socket.send(this.#frames.shift() ?? silence);
    if (this.#reported === this.#received) return;
    this.#reported = this.#received;
    this.#send({ type: 'played', utterance: this.#utterance, samples: this.#received });
  }

  #take(frame: {
    type: string;
    utterance?: number;
    resumeKey?: string;
    role?: string;
    isFinal?: boolean;
    text?: string;
  }) {
    if (frame.type === 'ready') this.resumeKey = frame.resumeKey ?? '';
    if (frame.type === 'ended') this.hasEnded = true;
    if (frame.type === 'speech') {
      this.#utterance = frame.utterance ?? 0;
      this.#received = 0;
      this.#reported = 0;
    }
    if (frame.type === 'transcript' && frame.role === 'agent' && frame.isFinal === true)
      this.#said.push(frame.text ?? '');
    this.#wake();
  }

  #send(frame: object): void {
    if (this.isOpen) this.#socket.send(JSON.stringify(frame));
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  async #until(isTrue: () => boolean, maxMs: number): Promise<boolean> {
    const deadline = performance.now() + maxMs;
    while (!isTrue() && this.#socket.readyState <= WebSocket.OPEN && performance.now() < deadline) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          this.#waiting.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, deadline - performance.now());
        this.#waiting.add(wake);
      });
    }
    return isTrue();
  }
}
