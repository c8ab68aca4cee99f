import type { Clock } from '../../clock.ts';
import type { Variables } from '../../variables.ts';
import { collect } from '../collected.ts';
import type { Engine, EngineCall, Followed, ReplyOutput, ReplyRequest, TurnSettings } from '../engine.ts';
import type { ModelTurn } from '../model/messages.ts';
import type { LlmConnection } from './connection.ts';
import type { CallDetails, FrameError, LlmFrame, ServerLlmFrame } from './frames.ts';
import { createInterrupts, type Interrupts } from './interrupts.ts';
import { LineActions } from './line-actions.ts';
import { createOpenResponse, type OpenResponse } from './open-response.ts';
import { ServerTools } from './server-tools.ts';
import { entriesOf, utterancesOf } from './transcript.ts';

/** Where an engine gets its connection from. A chat keeps one from message to message. */
export interface LlmConnections {
  /** Connected, or to be started. `errors`: frames that were rejected earlier in the call. */
  take(errors: number): LlmConnection;
  release(connection: LlmConnection): void;
}

export interface CustomLlmOptions {
  readonly clock: Clock;
  readonly connections: LlmConnections;
  readonly language: string;
  readonly isSpoken: boolean;
  /** Without the variables. */
  readonly call: Omit<CallDetails, 'retell_llm_dynamic_variables'>;
  readonly variables: Variables;
  /** What filling the texts of the call has reported. */
  readonly warnings?: readonly { readonly code: string; readonly message: string }[];
  /** The transcript so far. */
  readonly history: () => readonly ModelTurn[];
  /** What `state` returned earlier in the same call. */
  readonly state?: unknown;
}

const noState = {
  collected: {} as Variables,
  /** The id of the last response that was required. */
  responseId: 0,
  /** The server can no longer open the conversation. */
  hasBegun: false,
  settings: {} as TurnSettings,
  errors: 0,
};
type CustomLlmState = Readonly<typeof noState>;

/** A reply that was requested, and what has arrived of it. */
interface Requested extends ReplyRequest {
  readonly output: ReplyOutput;
  readonly response: OpenResponse;
  /** The id of the last request for it; 0 for an opening. */
  id: number;
}

/** How long after connecting a server may open the conversation. */
const beginMs = 5000;
/** What the caller is saying is sent at most five times per second. */
const wordsMs = 200;

const notClosed: FrameError = {
  code: 'RESPONSE_NOT_CLOSED',
  message: 'a response did not go on for 15 s and was not complete',
  path: 'content_complete',
};
const staleId: FrameError = {
  code: 'STALE_RESPONSE_ID',
  message: 'the response_id is not that of a response that is required',
  path: 'response_id',
};

/** Replies with what the server of a partner sends. The conversation is in the transcript; the server keeps the rest. */
export class CustomLlmEngine implements Engine {
  private readonly options: CustomLlmOptions;
  private readonly tools: ServerTools;
  private readonly interrupts: Interrupts;
  private call: EngineCall | null = null;
  private connection: LlmConnection | null = null;
  private requested: Requested | null = null;
  /** An opening that came before it was asked for. */
  private early: LlmFrame<'response'>[] = [];
  private saved: CustomLlmState;
  /** The last response that was required is complete. */
  private isComplete = true;
  private words = '';
  private wordsAt = Number.NEGATIVE_INFINITY;
  private cancelWords: (() => void) | null = null;
  private cancelBegin: () => void = () => {};

  constructor(options: CustomLlmOptions) {
    this.options = options;
    this.saved = { ...noState, ...(options.state as Partial<CustomLlmState> | undefined) };
    this.tools = new ServerTools(options.clock);
    this.interrupts = createInterrupts(options.clock, () => this.connection?.reject(notClosed));
  }

  // The call

  attach(call: EngineCall): void {
    this.call = call;
    const { settings, errors } = this.saved;
    for (const { code, message } of this.options.warnings ?? []) call.warn(code, message);
    if (Object.keys(settings).length > 0) call.configure(settings);
    this.connection = this.options.connections.take(errors);
    this.connection.listener = {
      opened: (isAgain) => this.opened(isAgain),
      lost: () => {
        if (this.requested !== null) call.suspend(this.requested.turn);
      },
      frame: (frame) => this.receive(call, frame),
      warn: (code, message) => call.warn(code, message),
      hungUp: () => call.hangUp(),
      failed: (reason, detail) => call.fail(reason, detail),
    };
    this.connection.start();
  }

  detach(): void {
    const { connection } = this;
    if (connection === null) return;
    this.set({ errors: connection.errors });
    this.connection = null;
    this.stop();
    this.tools.close();
    this.interrupts.close();
    this.cancelWords?.();
    connection.listener = null;
    this.options.connections.release(connection);
  }

  private opened(isAgain: boolean) {
    const { requested } = this;
    if (isAgain || this.options.history().length > 0) this.update();
    if (requested === null) return;
    if (requested.kind === 'begin') return this.awaitBegin(requested);
    this.call?.resume(requested.turn);
    this.require(requested);
  }

  // Replies

  reply(request: ReplyRequest, output: ReplyOutput): () => void {
    const { clock, language } = this.options;
    // Without a call there is no connection either, and nothing is received.
    const line = new LineActions(this.call ?? noLine);
    const response = createOpenResponse(clock, language, output, line, (isClosed) => {
      this.finish();
      if (isClosed) this.connection?.reject(notClosed);
    });
    const requested: Requested = { ...request, output, response, id: 0 };
    const { connection } = this;
    this.requested = requested;
    if (connection === null || connection.isOver) output.failed('the custom LLM server has left the conversation');
    else if (request.kind === 'begin') this.begin(requested);
    else if (connection.isOpen) this.require(requested);
    else this.call?.suspend(request.turn);
    return () => {
      if (this.requested === requested) this.stop();
    };
  }

  private require(requested: Requested): void {
    const { kind, words, response } = requested;
    const responseId = this.saved.responseId + 1;
    this.set({ responseId, hasBegun: true });
    this.early = [];
    this.isComplete = false;
    requested.id = responseId;
    this.connection?.send({
      interaction_type: kind === 'reminder' ? 'reminder_required' : 'response_required',
      response_id: responseId,
      ...this.transcripts(words, response.text),
    });
  }

  /** The response is complete. */
  private finish(): void {
    this.isComplete = true;
    this.forget();
  }

  /** Nobody wants the response any more. The server cannot know, and may go on with it for a while. */
  private stop(): void {
    if (this.requested?.kind === 'begin') this.set({ hasBegun: true });
    this.requested?.response.stop();
    this.forget();
  }

  private forget(): void {
    this.requested = null;
    this.cancelBegin();
    this.tools.release();
  }

  // The opening

  /** The server may open the conversation, and need not. */
  private begin(requested: Requested) {
    const { early } = this;
    this.early = [];
    if (this.saved.hasBegun) return this.endSilently(requested);
    this.call?.suspend(requested.turn);
    for (const frame of early) this.addToBegin(frame);
    if (this.connection?.isOpen === true && early.length === 0) this.awaitBegin(requested);
  }

  private awaitBegin(requested: Requested): void {
    const { clock } = this.options;
    const openedAt = this.connection?.openedAt ?? clock.now();
    const leftMs = openedAt + beginMs - clock.now();
    this.cancelBegin();
    if (leftMs <= 0) this.endSilently(requested);
    else this.cancelBegin = clock.after(leftMs, () => this.endSilently(requested));
  }

  private endSilently(requested: Requested): void {
    this.set({ hasBegun: true });
    requested.response.stop();
    this.forget();
    requested.output.end();
  }

  /** Servers greet at every connection. It counts once, before the first response is required. */
  private addToBegin(frame: LlmFrame<'response'>): void {
    const { requested } = this;
    const isNoText = frame.content === '' && !frame.content_complete;
    if (isNoText) return;
    if (requested?.kind === 'begin') {
      this.cancelBegin();
      this.set({ hasBegun: true });
      this.call?.resume(requested.turn);
      requested.response.add(frame);
    } else if (!this.saved.hasBegun && this.early.at(-1)?.content_complete !== true) this.early.push(frame);
  }

  // What the server sends

  private receive(call: EngineCall, frame: ServerLlmFrame) {
    switch (frame.response_type) {
      case 'config':
        if (frame.config.call_details === true) this.sendDetails();
        return;
      case 'response':
        return this.receiveResponse(frame);
      case 'agent_interrupt':
        return this.interrupts.add(call, frame);
      case 'tool_call_invocation':
        return this.reject(this.tools.start(call, this.requested?.turn ?? 0, frame));
      case 'tool_call_result':
        return this.reject(this.tools.finish(frame));
      case 'update_agent':
        this.set({ settings: { ...this.saved.settings, ...settingsOf(frame) } });
        return call.configure(settingsOf(frame));
      case 'metadata':
        return call.metadata(frame.metadata);
      case 'ping_pong':
        // The connection counts these.
        return;
      default:
        frame satisfies never;
    }
  }

  private receiveResponse(frame: LlmFrame<'response'>) {
    const { response_id: id } = frame;
    const { requested } = this;
    if (id === 0) return this.addToBegin(frame);
    if (requested !== null && id === requested.id) return requested.response.add(frame);
    const isUnwanted = id === this.saved.responseId && !this.isComplete;
    if (!isUnwanted) this.reject(staleId);
  }

  private reject(error: FrameError | null): void {
    if (error !== null) this.connection?.reject(error);
  }

  // What the server gets

  follow(event: Followed): void {
    if (event.type === 'words') this.words = event.words;
    if (this.connection?.isOpen !== true) return;
    if (event.type === 'transcript') this.update();
    else if (event.type === 'floor') this.updateFloor(event.floor);
    else this.updateWords();
  }

  private updateFloor(floor: 'caller' | 'agent' | 'none'): void {
    // In a chat nobody has the floor.
    if (!this.options.isSpoken || floor === 'none') return;
    this.update(floor === 'agent' ? 'agent_turn' : 'user_turn');
  }

  private updateWords() {
    if (this.cancelWords !== null || this.words === '') return;
    const { clock } = this.options;
    const waitMs = Math.max(0, this.wordsAt + wordsMs - clock.now());
    if (waitMs === 0) return this.update();
    this.cancelWords = clock.after(waitMs, () => {
      this.cancelWords = null;
      if (this.words !== '') this.update();
    });
  }

  private update(turntaking?: 'agent_turn' | 'user_turn'): void {
    if (this.words !== '') this.wordsAt = this.options.clock.now();
    this.connection?.send({
      interaction_type: 'update_only',
      ...this.transcripts(this.words),
      ...(turntaking !== undefined && { turntaking }),
    });
  }

  private transcripts(words: string, unfinished = '') {
    const entries = entriesOf(this.options.history(), words, unfinished);
    const transcript = utterancesOf(entries);
    const hasTools = this.connection?.config.transcript_with_tool_calls === true;
    return { transcript, ...(hasTools && { transcript_with_tool_calls: entries }) };
  }

  private sendDetails(): void {
    const { call, variables } = this.options;
    const named = Object.entries({ ...variables, ...this.saved.collected }).filter(([, value]) => value !== null);
    this.connection?.send({
      interaction_type: 'call_details',
      call: {
        ...call,
        retell_llm_dynamic_variables: Object.fromEntries(named.map(([name, value]) => [name, String(value)])),
      },
    });
  }

  // State

  accept(): void {}

  collected(): Variables {
    return this.saved.collected;
  }

  setVariables(variables: Variables): readonly string[] {
    const { collected, rejected } = collect(this.saved.collected, variables);
    this.set({ collected });
    return rejected;
  }

  state(): CustomLlmState {
    return { ...this.saved, errors: this.connection?.errors ?? this.saved.errors };
  }

  /** The ids of responses go on, because the server remembers them. */
  restartState(): CustomLlmState {
    return this.state();
  }

  private set(change: Partial<CustomLlmState>): void {
    this.saved = { ...this.saved, ...change };
  }
}

const noLine = { transfer: () => false, pressKeys: () => false, warn: () => {} };

function settingsOf({ agent_config: given }: LlmFrame<'update_agent'>): TurnSettings {
  return {
    ...(given.responsiveness != null && { responsiveness: given.responsiveness }),
    ...(given.interruption_sensitivity != null && { interruptionSensitivity: given.interruption_sensitivity }),
    ...(given.reminder_trigger_ms != null && { reminderTriggerMs: given.reminder_trigger_ms }),
    ...(given.reminder_max_count != null && { reminderMaxCount: given.reminder_max_count }),
  };
}
