import type { Utterance } from '../../voice/engines/custom-llm/frames.ts';
import { Probe } from './probe.ts';

export interface Check {
  readonly name: string;
  readonly status: 'passed' | 'warning' | 'failed' | 'skipped';
  /** How long it took. */
  readonly tookMs: number;
  /** What was seen, in words. */
  readonly details: readonly string[];
}

/** Limits of the service: a caller waits no longer. */
const beginMs = 5000;
const firstTextMs = 15_000;
const completeMs = 30_000;
const pingMs = 5000;
/** From here on a caller hears that it takes a moment. */
const slowMs = 4000;
/** How long a server may go on with a response that is no longer wanted. */
const staleGraceMs = 1000;
const quietMs = 500;

interface Outcome {
  readonly failed?: readonly string[];
  readonly warned?: readonly string[];
  readonly seen?: readonly string[];
  readonly isSkipped?: boolean;
}

/** Plays a call with a server, and notes what it does wrong. */
export class LlmCheck {
  readonly checks: Check[] = [];
  private readonly url: string;
  private readonly isStrict: boolean;
  private readonly onCheck: (check: Check) => void;
  private probe!: Probe;
  private responseId = 0;
  private readonly transcript: Utterance[] = [];

  constructor(url: string, isStrict: boolean, onCheck: (check: Check) => void) {
    this.url = url;
    this.isStrict = isStrict;
    this.onCheck = onCheck;
  }

  async run(): Promise<readonly Check[]> {
    if (!(await this.check('connect', () => this.connect()))) return this.checks;
    await this.check('greeting', () => this.greet());
    await this.check('question', () => this.ask('response_required', 'What can you do for me?'));
    await this.check('slow tokens', async () => this.judgeSpeed());
    await this.check('barge-in', () => this.bargeIn());
    await this.check('reminder', () => this.remind());
    await this.check('unknown frames', () => this.sendUnknown());
    await this.check('pings', () => this.ping());
    await this.check('drop and reconnect', () => this.dropAndReturn());
    await this.check('tool events', async () => this.judgeTools());
    await this.check('stale ids', async () => this.judgeIds());
    await this.check('valid frames', async () => this.judgeFrames());
    this.probe.close();
    return this.checks;
  }

  /** Returns whether it has not failed. */
  private async check(name: string, run: () => Promise<Outcome>): Promise<boolean> {
    const start = performance.now();
    const { failed = [], warned = [], seen = [], isSkipped = false } = await run();
    const status = failed.length > 0 ? 'failed' : warned.length > 0 ? 'warning' : isSkipped ? 'skipped' : 'passed';
    const check = {
      name,
      status,
      tookMs: Math.round(performance.now() - start),
      details: [...failed, ...warned, ...seen],
    } as const;
    this.checks.push(check);
    this.onCheck(check);
    return status !== 'failed';
  }

  // The steps of the call

  private async connect(): Promise<Outcome> {
    try {
      this.probe = await Probe.open(this.url);
    } catch (error) {
      return { failed: [(error as Error).message] };
    }
    if (this.isStrict && !this.probe.isStrict) {
      return { failed: ['the server does not select the subprotocol voice-agents.llm.v1'] };
    }
    return { seen: [this.probe.isStrict ? 'strict' : 'not strict'] };
  }

  private async greet(): Promise<Outcome> {
    const { probe } = this;
    const config = await probe.until(() => probe.of('config')[0], quietMs);
    if (config?.frame.config.call_details === true) this.sendDetails();
    const first = await probe.until(() => probe.of('response').find(({ frame }) => frame.response_id === 0), beginMs);
    const seen = [config === undefined ? 'no config' : `config after ${config.atMs} ms`];
    if (!probe.isOpen) return { failed: [`the server closed the connection with ${probe.closedWith}`] };
    if (first === undefined) return { seen: [...seen, 'no begin message: the caller speaks first'] };
    const outcome = await this.awaitResponse(0, probe.nowMs);
    return { ...outcome, seen: [...seen, ...(outcome.seen ?? [])] };
  }

  private async ask(type: 'response_required' | 'reminder_required', words: string | null): Promise<Outcome> {
    const id = this.require(type, words);
    return this.awaitResponse(id, this.probe.nowMs);
  }

  /** A server may ignore it. */
  private async remind(): Promise<Outcome> {
    const outcome = await this.ask('reminder_required', null);
    const isIgnored = this.probe.isOpen && this.framesOf(this.responseId).length === 0;
    return isIgnored ? { warned: ['no response: a caller who is silent is not reminded'] } : outcome;
  }

  /** The caller goes on while the server responds: only the newest request counts. */
  private async bargeIn(): Promise<Outcome> {
    const { probe } = this;
    const first = this.require('response_required', 'Tell me everything about it.');
    await probe.until(() => this.framesOf(first)[0], 2000);
    probe.send({ interaction_type: 'update_only', transcript: this.transcript, turntaking: 'user_turn' });
    const second = this.require('response_required', 'No, wait. Just the price.');
    const since = probe.nowMs;
    const outcome = await this.awaitResponse(second, since);
    await probe.until(() => undefined, quietMs);
    const late = this.framesOf(first).filter(({ atMs }) => atMs > since + staleGraceMs);
    const failed = late.map(({ atMs }) => `${atMs} ms: response_id ${first} continues after ${second} was requested`);
    return { ...outcome, failed: [...(outcome.failed ?? []), ...failed.slice(0, 3)] };
  }

  /** A server that is strict gets errors, and every server may get types that come later. */
  private async sendUnknown(): Promise<Outcome> {
    const { probe } = this;
    const before = probe.arrived.length;
    probe.send({ interaction_type: 'error', code: 'BAD_FIELD', message: 'a test of llm-check', path: 'content' });
    await probe.until(() => undefined, quietMs);
    if (!probe.isOpen) return { failed: [`the server closed the connection with ${probe.closedWith} after an error`] };
    const spoken = probe.arrived.slice(before).filter(({ frame }) => frame.response_type === 'response');
    return spoken.length > 0 ? { failed: ['the server responds to an error, which asks for nothing'] } : {};
  }

  private async ping(): Promise<Outcome> {
    const { probe } = this;
    if (!this.wantsReconnect) return { isSkipped: true, seen: ['auto_reconnect is not set'] };
    const before = probe.of('ping_pong').length;
    const since = probe.nowMs;
    probe.send({ interaction_type: 'ping_pong', timestamp: Date.now() });
    const pong = await probe.until(() => probe.of('ping_pong')[before], pingMs);
    if (pong === undefined) return { failed: [`no ping_pong within ${pingMs / 1000} s`] };
    return { seen: [`answered after ${pong.atMs - since} ms`] };
  }

  private async dropAndReturn(): Promise<Outcome> {
    if (!this.wantsReconnect) return { isSkipped: true, seen: ['auto_reconnect is not set'] };
    const { mistakes, arrived, untyped } = this.probe;
    this.probe.drop();
    try {
      this.probe = await Probe.open(this.url);
    } catch (error) {
      return { failed: [`the second connection failed: ${(error as Error).message}`] };
    }
    const { probe } = this;
    const config = await probe.until(() => probe.of('config')[0], beginMs);
    if (config?.frame.config.call_details === true) this.sendDetails();
    probe.send({ interaction_type: 'update_only', transcript: this.transcript });
    const outcome = await this.ask('response_required', 'Are you still there?');
    // What is judged at the end is the whole call.
    probe.mistakes.unshift(...mistakes);
    probe.arrived.unshift(...arrived);
    probe.untyped += untyped;
    const failed = config === undefined ? ['no config after a reconnect, so there would be no pings'] : [];
    return { ...outcome, failed: [...failed, ...(outcome.failed ?? [])] };
  }

  // What was seen in all of it

  private judgeSpeed(): Outcome {
    const frames = this.framesOf(this.responseId);
    const gaps = frames.slice(1).map(({ atMs }, index) => atMs - (frames[index]?.atMs ?? atMs));
    const longest = Math.max(0, ...gaps);
    const seen = [`${frames.length} frames, at most ${longest} ms apart`];
    return longest > slowMs ? { warned: [`${longest} ms without a frame: the caller hears nothing`], seen } : { seen };
  }

  private judgeTools(): Outcome {
    const calls = this.probe.of('tool_call_invocation');
    if (calls.length === 0) return { isSkipped: true, seen: ['the server reported no tools'] };
    const results = new Set(this.probe.of('tool_call_result').map(({ frame }) => frame.tool_call_id));
    const missing = calls.filter(({ frame }) => !results.has(frame.tool_call_id));
    const broken = calls.filter(({ frame }) => typeof frame.arguments === 'string' && !isJson(frame.arguments));
    return {
      failed: [
        ...missing.map(({ atMs, frame }) => `${atMs} ms: no tool_call_result for ${frame.tool_call_id}`),
        ...broken.map(({ atMs, frame }) => `${atMs} ms: the arguments of ${frame.name} are not JSON`),
      ],
      seen: [`${calls.length} tool calls`],
    };
  }

  private judgeIds(): Outcome {
    const complete = new Set<number>();
    const failed: string[] = [];
    for (const { atMs, frame } of this.probe.of('response')) {
      const { response_id: id } = frame;
      if (id < 0 || id > this.responseId) failed.push(`${atMs} ms: response_id ${id} was never required`);
      // Servers may greet at every connection.
      else if (id !== 0 && complete.has(id)) failed.push(`${atMs} ms: response_id ${id} was complete`);
      if (frame.content_complete) complete.add(id);
    }
    return { failed: failed.slice(0, 5) };
  }

  private judgeFrames(): Outcome {
    const { mistakes, untyped } = this.probe;
    const warned = untyped === 0 ? [] : [`${untyped} responses have no response_type, which strict mode requires`];
    return { failed: mistakes.map(withTime), warned };
  }

  // Responses

  private require(type: 'response_required' | 'reminder_required', words: string | null): number {
    this.responseId += 1;
    if (words !== null) this.transcript.push({ role: 'user', content: words });
    this.probe.send({ interaction_type: type, response_id: this.responseId, transcript: [...this.transcript] });
    return this.responseId;
  }

  private framesOf(id: number) {
    return this.probe.of('response').filter(({ frame }) => frame.response_id === id);
  }

  private async awaitResponse(id: number, sinceMs: number): Promise<Outcome> {
    const { probe } = this;
    const first = await probe.until(() => this.framesOf(id)[0], firstTextMs);
    if (first === undefined) {
      const why = probe.isOpen ? `within ${firstTextMs / 1000} s` : `before it closed with ${probe.closedWith}`;
      return { failed: [`no response with response_id ${id} ${why}`] };
    }
    const last = await probe.until(() => this.framesOf(id).find(({ frame }) => frame.content_complete), completeMs);
    if (last === undefined) return { failed: [`response_id ${id} is never complete (content_complete: true)`] };
    const text = this.framesOf(id)
      .map(({ frame }) => frame.content)
      .join('');
    if (text !== '') this.transcript.push({ role: 'agent', content: text });
    const firstMs = Math.max(0, first.atMs - sinceMs);
    const seen = [`first frame after ${firstMs} ms, complete after ${Math.max(0, last.atMs - sinceMs)} ms`];
    const isSlow = firstMs > slowMs;
    return isSlow ? { warned: [`the first frame took ${firstMs} ms: the caller is told to wait`], seen } : { seen };
  }

  private get wantsReconnect(): boolean {
    return this.probe.of('config').at(-1)?.frame.config.auto_reconnect === true;
  }

  private sendDetails(): void {
    this.probe.send({
      interaction_type: 'call_details',
      call: {
        call_id: new URL(this.url).pathname.split('/').at(-1) ?? '',
        agent_id: 'agt_check',
        agent_version: 1,
        call_type: 'web_call',
        metadata: {},
        retell_llm_dynamic_variables: {},
        agent_global_prompt: null,
      },
    });
  }
}

function withTime({ atMs, message }: { readonly atMs: number; readonly message: string }): string {
  return `${atMs} ms: ${message}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return text.trim() === '';
  }
}
