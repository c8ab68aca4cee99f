import type { Agent } from '../../../contract/agents/agent.ts';
import type { Call } from '../../../contract/calls/call.ts';
import type { ControlCall } from '../../../contract/calls/requests.ts';
import type { Turn } from '../../../contract/calls/turn.ts';
import type { ConversationTrace, Tracing } from '../../../tracing/tracing.ts';
import { isRecorded } from '../../../voice/call-warnings.ts';
import type { Clock } from '../../../voice/clock.ts';
import { knowledgeSettingsOf } from '../../../voice/engines/agent-parts.ts';
import { collect, warnRejected } from '../../../voice/engines/collected.ts';
import type { CallOnCustomLlm } from '../../../voice/engines/create.ts';
import type { Engine } from '../../../voice/engines/engine.ts';
import { filledAgent, filledKeywords, latencyBudgetOf } from '../../../voice/filled-agent.ts';
import type { Llm } from '../../../voice/llm.ts';
import type { RecordedEvent, Tools, TurnLatency, Turn as VoiceTurn } from '../../../voice/ports.ts';
import type { SessionParts } from '../../../voice/session-parts.ts';
import type { SpeechUsage } from '../../../voice/spoken/spoken-session-parts.ts';
import { builtInVariables, fill, type LineEnds, type Warn } from '../../../voice/text/variables.ts';
import type { ToolDefinition } from '../../../voice/tools/definition.ts';
import { createExampleTools } from '../../../voice/tools/example-tools.ts';
import type { Variables } from '../../../voice/variables.ts';
import { storedValues } from '../record/storage-setting.ts';
import { channelOf } from './channel.ts';
import { controlled } from './control.ts';
import { type CallKnowledge, countSearch } from './knowledge.ts';
import type { PreparedAgent } from './prepared-agents.ts';
import type { ConversationRecord } from './records.ts';
import { latencyOf, type ReplyTimes } from './reply-times.ts';
import type { ConversationState } from './state.ts';
import { usageOf } from './usage.ts';

/** The tools of one call. */
export type NewTools = (
  call: Call,
  tools: readonly ToolDefinition[],
  variables: () => Variables,
  traceparent?: (toolCallId: string) => string,
) => Tools & { close(): void };

/** What the conversations of a process share. */
export interface ConversationParts {
  readonly llmOf: (workspaceId: string) => Llm | null;
  readonly newTools: NewTools;
  readonly knowledge: Pick<CallKnowledge, 'forCall'>;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  readonly clock: Clock;
  /** A reply of the agent took so long. */
  readonly onLatency: (type: Call['type'], latency: TurnLatency) => void;
  readonly tracing: Tracing | null;
}

/** What a conversation begins or continues from. */
export interface ConversationFacts {
  readonly prepared: PreparedAgent;
  readonly call: Call;
  readonly state: ConversationState;
  /** The transcript so far; empty if the engine does not read it. */
  readonly history: readonly Turn[];
}

/** What the channel of a conversation does for it. */
export interface ConversationHost {
  /** For agents whose replies come from the server of a partner. */
  customLlm(agent: Agent, call: Call): CallOnCustomLlm;
  record(record: ConversationRecord): void;
  /** Resolves once everything that was recorded is stored. */
  stored(): Promise<void>;
  /** A tool is called. */
  onTool?(name: string): void;
  /** Everything so far is stored with its result, or could not be. */
  onToolDone?(): void;
}

/** The conversation of a call in this process: its engine, its tools, what is recorded of it, and how it is controlled. */
export class Conversation {
  readonly engine: Engine;
  readonly prepared: PreparedAgent;
  readonly call: Call;
  readonly warnings: Set<string>;
  /** Replies that were requested and are not in the usage of the call yet. */
  replies = 0;
  readonly history: Turn[];
  readonly #parts: ConversationParts;
  readonly #host: ConversationHost;
  readonly #variables: Variables;
  readonly #phone: ConversationState['phone'];
  readonly #startedAt: number;
  /** Milliseconds since 1970, by the clock of the call. */
  readonly #time: () => number;
  readonly #trace: ConversationTrace | null;
  /** The tools on the servers of partners, or all of them if each returns its example. */
  readonly serverTools: Tools & { close(): void };
  #settings: Pick<ConversationState, 'contexts' | 'isMuted'>;
  #knowledgeUsage: Call['usage']['knowledge'];

  constructor(parts: ConversationParts, { prepared, call, state, history }: ConversationFacts, host: ConversationHost) {
    this.prepared = prepared;
    this.call = call;
    this.warnings = new Set(state.warnings);
    this.history = [...history];
    this.#parts = parts;
    this.#host = host;
    this.#variables = state.variables;
    this.#phone = state.phone;
    this.#startedAt = call.startedAt === null ? parts.now() : Date.parse(call.startedAt);
    this.#settings = { contexts: state.contexts, isMuted: state.isMuted };
    this.#knowledgeUsage = call.usage.knowledge;
    const { clock, now } = parts;
    const llm = parts.llmOf(call.workspaceId);
    const origin = now() - clock.now();
    this.#time = () => origin + clock.now();
    const trace = parts.tracing?.begin({ call, startedAt: this.#startedAt, time: this.#time }) ?? null;
    this.#trace = trace;
    const { agent } = prepared;
    const knowledgeSettings = knowledgeSettingsOf(agent);
    this.engine = prepared.newEngine({
      clock,
      startedAt: this.#startedAt,
      time: now,
      variables: state.variables,
      defaults: this.#defaults(),
      metadata: call.metadata,
      llm: trace === null || llm === null ? llm : trace.llm(llm),
      customLlm: call.engine === 'custom_llm' ? host.customLlm(prepared.agent, call) : null,
      isSpoken: channelOf(call).isSpoken,
      isPhone: state.phone !== null,
      knowledge: knowledgeSettings && parts.knowledge.forCall(agent.workspaceId, knowledgeSettings),
      line: this.#lineEnds(),
      history: () => this.history,
      contexts: () => this.#settings.contexts,
      state: state.engine,
    });
    const traceparent = trace === null ? undefined : (toolCallId: string) => trace.traceparent(toolCallId);
    this.serverTools = prepared.usesExamples
      ? createExampleTools(prepared.tools)
      : parts.newTools(call, prepared.tools, () => ({ ...state.variables, ...this.engine.collected() }), traceparent);
  }

  get isMuted(): boolean {
    return this.#settings.isMuted;
  }

  get elapsedMs(): number {
    return Math.max(0, Math.round(this.#time() - this.#startedAt));
  }

  /** The time of an offset since the start of the call. */
  timeOf(offsetMs: number): number {
    return this.#startedAt + offsetMs;
  }

  /** What a session of the conversation gets from it, whatever its channel. */
  sessionParts(
    tools: Tools = this.serverTools,
  ): Pick<SessionParts, 'clock' | 'engine' | 'tools' | 'newToolCallId' | 'latencyBudgetMs'> {
    return {
      clock: this.#parts.clock,
      engine: this.engine,
      tools: this.#recordedTools(this.#trace?.tools(tools) ?? tools),
      newToolCallId: () => this.#parts.newId('tcl'),
      latencyBudgetMs: latencyBudgetOf(this.prepared.agent),
    };
  }

  /** Counts the replies that a step of the session requests. */
  readonly observe: NonNullable<SessionParts['observe']> = (_event, commands) => {
    for (const { type } of commands) if (type === 'reply.request') this.replies += 1;
  };

  /** `at`: when, if not when it is written. */
  recordTurn(turn: VoiceTurn, at?: number): void {
    const recorded = turn as Turn;
    if (turn.latency !== null) this.#parts.onLatency(this.call.type, turn.latency);
    const same = this.history.findIndex(({ toolCall }) => toolCall !== null && toolCall.id === turn.toolCall?.id);
    const index = this.history[same]?.index ?? turn.index;
    if (same === -1) this.history.push({ ...recorded, index });
    else this.history[same] = { ...recorded, index };
    this.#host.record({ type: 'turn', turn: recorded, ...(at !== undefined && { at }) });
  }

  recordEvent(event: RecordedEvent, at?: number): void {
    this.#trace?.recorded(event);
    if (event.type === 'knowledge_searched') this.#knowledgeUsage = countSearch(this.#knowledgeUsage, event);
    if (isRecorded(event, this.warnings)) this.#host.record({ type: 'event', event, ...(at !== undefined && { at }) });
  }

  readonly warn: Warn = (code, message) => this.recordEvent({ type: 'warning', code, message }, this.#parts.now());

  /** The first words of the agent, with the values of the variables in them. */
  beginMessage(): string | null {
    return filledAgent(this.prepared.agent, this.#named(), this.warn).beginMessage;
  }

  /** The words that a recognizer should expect, with the values of the variables in them. */
  keywords(): readonly string[] {
    return filledKeywords(this.prepared.agent, this.#named(), this.warn);
  }

  /** A text of the agent, with the values that the variables have now. */
  fill(text: string): string {
    const named = { ...this.#named(), ...this.engine.collected() };
    return fill(text, (name) => (Object.hasOwn(named, name) ? named[name] : undefined), this.warn);
  }

  setVariables(variables: Variables): void {
    warnRejected(this.engine.setVariables(variables), this.warn);
  }

  /** What an action of the API changes in the conversation. What is said and done because of it is up to the channel. */
  control(body: ControlCall): void {
    this.#settings = controlled(this.#settings, body);
    if (body.action === 'set_variables') this.setVariables(body.variables ?? {});
  }

  /** The working state as it is now. */
  state(): ConversationState {
    return {
      variables: this.#variables,
      engine: this.engine.state(),
      ...this.#settings,
      warnings: [...this.warnings],
      history: this.history,
      phone: this.#phone,
    };
  }

  /**
   * What the call says about the conversation so far. Changes nothing: a transaction may run again. `setSince`: variables
   * that the API has set and the engine does not know yet; `replies`: how many were requested since the last time.
   */
  totals(
    call: Call,
    given: {
      readonly replies: number;
      readonly replyTimes: ReplyTimes;
      readonly setSince?: Variables;
      readonly speech: SpeechUsage | null;
    },
  ): Pick<Call, 'usage' | 'latency' | 'collectedVariables'> {
    const { collected } = collect(this.engine.collected(), given.setSince ?? {});
    const models = this.engine.usage?.() ?? [];
    const before = this.call.usage;
    return {
      usage: {
        ...usageOf(call, { models, replies: given.replies, speech: given.speech, before }),
        knowledge: this.#knowledgeUsage,
      },
      latency: latencyOf(given.replyTimes),
      // The same object if there is nothing, because searches need not be told then.
      collectedVariables:
        Object.keys(collected).length === 0
          ? call.collectedVariables
          : storedValues({ ...collected }, call.dataStorageSetting),
    };
  }

  close(): void {
    this.serverTools.close();
    this.#trace?.close();
  }

  /** A tool is called only after the call of it is stored, so that it is never called again under another id. */
  #recordedTools(tools: Tools): Tools {
    const host = this.#host;
    return {
      run: (toolCallId, call, onResult) => {
        host.onTool?.(call.name);
        host.stored().then(
          () =>
            tools.run(toolCallId, call, (result) => {
              onResult(result);
              host.onToolDone?.();
            }),
          () => onResult({ isError: true, code: 'failed', message: 'the call of the tool could not be recorded' }),
        );
      },
    };
  }

  #lineEnds(): LineEnds | undefined {
    if (this.#phone === null) return undefined;
    const { from, to } = this.#phone.line;
    return { from, to, direction: this.call.direction };
  }

  #defaults(): Variables {
    const { agent, timeZone, variables, usesVariables } = this.prepared;
    // Formatting dates takes a tenth of the time of a short reply.
    if (!usesVariables) return variables;
    const { language, name: agentName } = agent;
    const now = this.#startedAt;
    const { id: callId } = this.call;
    const line = this.#lineEnds();
    return { ...builtInVariables({ now, timeZone, language, callId, agentName, line }), ...variables };
  }

  #named(): Variables {
    return { ...this.#defaults(), ...this.#variables };
  }
}
