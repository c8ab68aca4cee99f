import { WebSocket } from 'ws';

/**
 * A client of live calls that knows nothing but the AsyncAPI document: addresses, subprotocols and the schemas of all
 * frames come from it, and what it does is what the document says. It imports nothing of the service.
 */

// biome-ignore lint/suspicious/noExplicitAny: a document is walked as it comes.
type Json = Record<string, any>;

interface Utterance {
  audio: Buffer[];
  received: number;
  played: number;
  isCleared: boolean;
}

const frameMs = 20;
const bytesPerSample = 2;

export class DocumentClient {
  /** Every frame that was sent or received, and everything that does not match the document. */
  readonly sent: Json[] = [];
  readonly received: Json[] = [];
  readonly issues: string[] = [];
  readonly utterances = new Map<number, Utterance>();
  /** Plays nothing beyond this many samples of an utterance. */
  playsUpTo = Number.POSITIVE_INFINITY;
  resumeKey = '';
  private readonly document: Json;
  private readonly base: string;
  private readonly rate: number;
  private socket: WebSocket | null = null;
  private current = 0;
  private microphone: NodeJS.Timeout | undefined;
  private speech: Buffer[] = [];
  private wake = (): void => {};

  /** `base` is the address of the API. */
  constructor(document: Json, base: string, rate = 16_000) {
    this.document = document;
    this.base = base;
    this.rate = rate;
  }

  /** The status of a refused handshake, or 101. */
  connect(liveUrl: string, credential: { readonly 'access token': string } | { readonly resumeKey: string }) {
    const { channels } = this.document;
    const [name, value] = Object.entries(credential)[0] as [string, string];
    const { examples } = channels.call.bindings.ws.headers.properties['Sec-WebSocket-Protocol'];
    const example = examples.find((text: string) => text.includes(`<${name}>`)) as string;
    const url = new URL(liveUrl, this.base.replace(/^http/, 'ws'));
    const address = new RegExp(`^${channels.call.address.replace(/\{\w+\}/, '[^/]+')}$`);
    if (!address.test(url.pathname)) this.issues.push(`${url.pathname} is not ${channels.call.address}`);
    const socket = new WebSocket(url, example.replace(`<${name}>`, value).split(', '));
    return new Promise<number>((resolve) => {
      socket.once('unexpected-response', (request, { statusCode = 0 }) => {
        request.destroy();
        resolve(statusCode);
      });
      socket.on('error', () => {});
      socket.once('open', () => {
        this.use(socket);
        resolve(101);
      });
    });
  }

  private use(socket: WebSocket): void {
    this.socket = socket;
    // Audio that was received before and not played is discarded.
    this.current = 0;
    this.utterances.clear();
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) this.hear(data);
      else this.receive(JSON.parse(data.toString()));
      this.wake();
    });
    socket.on('close', () => {
      clearInterval(this.microphone);
      this.wake();
    });
  }

  /** Sends `start`, and speaks once the call is ready. */
  async start(): Promise<Json> {
    this.send({ type: 'start', input: { rate: this.rate }, output: { rate: this.rate } });
    const ready = await this.next('ready');
    this.resumeKey = ready.resumeKey;
    const startedAt = performance.now();
    let sent = 0;
    const silence = Buffer.alloc((this.rate * bytesPerSample * frameMs) / 1000);
    this.microphone = setInterval(() => {
      for (; sent < (performance.now() - startedAt) / frameMs; sent += 1) {
        this.socket?.send(this.speech.shift() ?? silence);
      }
    }, frameMs);
    return ready;
  }

  /** The caller says this: frames of 20 ms. */
  say(frames: readonly Buffer[]): void {
    this.speech.push(...frames);
  }

  send(frame: Json): void {
    this.check(frame, 'receive');
    this.sent.push(frame);
    this.socket?.send(JSON.stringify(frame));
  }

  /** The next frame like this after `from`. */
  async next(type: string, matches: (frame: Json) => boolean = () => true, from = 0): Promise<Json> {
    for (;;) {
      const found = this.received.find((frame, place) => place >= from && frame.type === type && matches(frame));
      if (found !== undefined) return found;
      if (this.socket?.readyState === WebSocket.CLOSED) {
        throw new Error(`closed before ${type}: ${JSON.stringify(this.received)}`);
      }
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** Resolves with the code with which the service closes the connection. */
  closed(): Promise<number> {
    return new Promise((resolve) => void this.socket?.once('close', resolve));
  }

  /** The network is gone. */
  async drop(): Promise<void> {
    const closed = this.closed();
    this.socket?.terminate();
    await closed;
  }

  /** Plays on what has arrived. */
  play(upTo: number): void {
    this.playsUpTo = upTo;
    for (const number of this.utterances.keys()) this.advance(number);
  }

  private hear(data: Buffer): void {
    const utterance = this.utterances.get(this.current);
    if (utterance === undefined) {
      this.issues.push('audio without a speech frame');
      return;
    }
    utterance.audio.push(data);
    utterance.received += data.length / bytesPerSample;
    this.advance(this.current);
  }

  private receive(frame: Json): void {
    this.check(frame, 'send');
    this.received.push(frame);
    const { type, utterance: number } = frame;
    if (type === 'speech') {
      if (number <= Math.max(0, ...this.numbers)) this.issues.push(`utterance ${number} is not a new number`);
      this.numbers.push(number);
      this.current = number;
      this.utterances.set(number, { audio: [], received: 0, played: 0, isCleared: false });
    }
    const utterance = this.utterances.get(number);
    if (type !== 'clear' || utterance === undefined) return;
    utterance.isCleared = true;
    this.send({ type: 'played', utterance: number, samples: utterance.played });
  }

  /** The numbers of all utterances of the call. */
  readonly numbers: number[] = [];

  private advance(number: number): void {
    const utterance = this.utterances.get(number);
    if (utterance === undefined || utterance.isCleared) return;
    const played = Math.min(utterance.received, this.playsUpTo);
    if (played <= utterance.played) return;
    utterance.played = played;
    this.send({ type: 'played', utterance: number, samples: played });
  }

  /** A frame must be one of the messages of the operation. */
  private check(frame: Json, operation: 'send' | 'receive'): void {
    const { operations } = this.document;
    const messages = operations[operation].messages.map(({ $ref }: Json) => this.resolved(this.resolved({ $ref })));
    const message = messages.find(({ name }: Json) => name === frame.type);
    if (message === undefined) this.issues.push(`${operation}: ${frame.type} is not in the document`);
    else for (const issue of this.issuesOf(message.payload, frame, frame.type)) this.issues.push(issue);
  }

  private resolved(value: Json): Json {
    if (typeof value.$ref !== 'string') return value;
    const path = value.$ref.slice(2).split('/');
    return path.reduce((part: Json, name: string) => part[name], this.document);
  }

  /** JSON Schema, as far as the document uses it. */
  private issuesOf(given: Json, value: unknown, place: string): string[] {
    const schema = this.resolved(given);
    const issues: string[] = [];
    const fail = (what: string) => issues.push(`${place} ${what}: ${JSON.stringify(value)?.slice(0, 100)}`);
    if (schema.anyOf !== undefined) {
      const isAny = schema.anyOf.some((one: Json) => this.issuesOf(one, value, place).length === 0);
      if (!isAny) fail('matches no alternative');
    }
    if (schema.not !== undefined && this.issuesOf(schema.not, value, place).length === 0) fail('is excluded');
    if (schema.const !== undefined && value !== schema.const) fail(`is not ${schema.const}`);
    if (schema.enum !== undefined && !schema.enum.includes(value)) fail('is not in the list');
    if (schema.type !== undefined && ![schema.type].flat().some((type: string) => isOfType(value, type))) {
      fail(`is not of type ${schema.type}`);
    } else if (typeof value === 'number') {
      if (value < (schema.minimum ?? value) || value > (schema.maximum ?? value)) fail('is out of range');
    } else if (typeof value === 'string') {
      const length = [...value].length;
      if (length < (schema.minLength ?? 0) || length > (schema.maxLength ?? length)) fail('has a wrong length');
      if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) fail('has a wrong form');
    } else if (Array.isArray(value)) {
      value.forEach((item, index) => {
        if (schema.items !== undefined) issues.push(...this.issuesOf(schema.items, item, `${place}[${index}]`));
      });
    } else if (typeof value === 'object' && value !== null) issues.push(...this.memberIssues(schema, value, place));
    return issues;
  }

  private memberIssues({ properties = {}, required = [], additionalProperties }: Json, value: Json, place: string) {
    const missing = required
      .filter((name: string) => !(name in value))
      .map((name: string) => `${place}.${name} is missing`);
    const members = Object.entries(value).flatMap(([name, member]) => {
      const schema = properties[name] ?? additionalProperties;
      if (schema === false) return [`${place}.${name} is not in the document`];
      return typeof schema === 'object' ? this.issuesOf(schema, member, `${place}.${name}`) : [];
    });
    return [...missing, ...members];
  }
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'integer') return Number.isSafeInteger(value);
  return typeof value === type;
}
