import assert from 'node:assert/strict';
import { WebSocket } from 'ws';
import type { Call } from '../../../../src/contract/calls/call.ts';
import { serverFrames } from '../../../../src/contract/calls/live.ts';
import type { Service } from '../../../support/service.ts';
import { create, on, testAgent } from '../support.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests check the fields they read.
export type Frame = { type: string } & Record<string, any>;
type Target = Pick<Service, 'url' | 'port'>;

export const audioStart = { type: 'start', input: { rate: 16_000 }, output: { rate: 16_000 } };

/** A client that can make every mistake. */
export class LiveClient {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  readonly binary: Buffer[] = [];
  /** The close code, once it is closed. */
  readonly closed: Promise<number>;
  #wake: () => void = () => {};
  #isClosed = false;
  #taken = 0;

  constructor(socket: WebSocket) {
    this.socket = socket;
    const { promise, resolve } = Promise.withResolvers<number>();
    this.closed = promise;
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) this.binary.push(data);
      else this.frames.push(checked(JSON.parse(data.toString())));
      this.#wake();
    });
    socket.on('close', (code: number) => {
      this.#isClosed = true;
      resolve(code);
      this.#wake();
    });
    socket.on('error', () => {});
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame));
  }

  /** The next frame of this kind that was not taken yet; others before it are skipped. */
  async next(type: string, matches: (frame: Frame) => boolean = () => true, maxMs = 60_000): Promise<Frame> {
    const deadline = performance.now() + maxMs;
    for (;;) {
      const index = this.frames.findIndex(
        (frame, place) => place >= this.#taken && frame.type === type && matches(frame),
      );
      if (index !== -1) {
        this.#taken = index + 1;
        return this.frames[index] as Frame;
      }
      assert.ok(!this.#isClosed, `closed before ${type}: ${JSON.stringify(this.frames)}`);
      const left = deadline - performance.now();
      assert.ok(left > 0, `no ${type} within ${maxMs} ms: ${JSON.stringify(this.frames)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** What the agent said next. */
  said(text: string): Promise<Frame> {
    return this.next('transcript', (frame) => frame.role === 'agent' && frame.isFinal && frame.text === text);
  }

  async start(frame: object = audioStart): Promise<Frame> {
    this.send(frame);
    return this.next('ready');
  }

  async drop(): Promise<void> {
    this.socket.terminate();
    await this.closed;
  }
}

/** Every frame of the service matches its schema. */
function checked(frame: Frame): Frame {
  const schema = serverFrames[frame.type as keyof typeof serverFrames];
  assert.ok(schema, `the type ${frame.type} is known`);
  schema.parse(frame);
  return frame;
}

export interface Refused {
  readonly status: number;
  readonly code: string;
}

/** Offers these subprotocols. Resolves to the client, or to how it was refused. */
export function connect(
  service: Target,
  id: string,
  protocols: readonly string[],
  { origin }: { origin?: string } = {},
): Promise<LiveClient | Refused> {
  const socket = new WebSocket(`ws://127.0.0.1:${service.port}/live/v1/calls/${id}`, [...protocols], {
    ...(origin !== undefined && { origin }),
  });
  const client = new LiveClient(socket);
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(client));
    socket.once('unexpected-response', (request, response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk;
      });
      response.on('end', () => {
        request.destroy();
        const { code } = JSON.parse(text).error;
        resolve({ status: response.statusCode ?? 0, code });
      });
      response.on('error', reject);
    });
    socket.once('error', (error) => setTimeout(() => reject(error), 1000));
  });
}

export async function joined(answer: Promise<LiveClient | Refused>): Promise<LiveClient> {
  const client = await answer;
  if (client instanceof LiveClient) return client;
  return assert.fail(`refused: ${JSON.stringify(client)}`);
}

export async function refused(answer: Promise<LiveClient | Refused>): Promise<string> {
  const result = await answer;
  assert.ok(!(result instanceof LiveClient), 'it was not refused');
  return `${result.status} ${result.code}`;
}

export const withToken = (token: string) => ['voice-agents.v1', `token.${token}`];
export const withResume = (key: string) => ['voice-agents.v1', `resume.${key}`];

export interface WebCallOptions {
  readonly model?: string;
  readonly agent?: object;
  readonly call?: object;
}

/** A web call with an agent of its own, and ways to act in it. */
export async function newWebCall(service: Target, key: string, options: WebCallOptions = {}) {
  const { id: agentId } = await testAgent(service, key, options.model, options.agent);
  const answer = await create(service, key, { type: 'web', agentId, ...options.call });
  assert.equal(answer.status, 201, answer.text);
  const call: Call = answer.json;
  return { ...on(service, key, call.id), created: call, accessToken: call.access?.token ?? '' };
}

/** A web call whose caller has joined. */
export async function ongoing(service: Target, key: string, options: WebCallOptions = {}) {
  const call = await newWebCall(service, key, options);
  const client = await joined(connect(service, call.id, withToken(call.accessToken)));
  const ready = await client.start();
  return { ...call, client, ready, resumeKey: String(ready.resumeKey) };
}
