import type { Agent } from '../../../contract/agents/agent.ts';
import type { Call } from '../../../contract/calls/call.ts';
import type { Clock } from '../../../voice/clock.ts';
import type { CallOnCustomLlm } from '../../../voice/engines/create.ts';
import type { Engine, Variables } from '../../../voice/engines/engine.ts';
import type { ModelTurn } from '../../../voice/engines/model/messages.ts';
import { filledAgent, filledKeywords as keywordsOf } from '../../../voice/filled-agent.ts';
import type { Llm } from '../../../voice/llm.ts';
import type { Tools } from '../../../voice/ports.ts';
import { builtInVariables, type Warn } from '../../../voice/text/variables.ts';
import type { ToolDefinition } from '../../../voice/tools/definition.ts';
import type { PreparedAgent } from './prepared-agents.ts';

/** What chats and web calls have in common: an agent, its engine, and the variables of the call. */
export interface ConversationParts {
  readonly prepared: PreparedAgent;
  readonly call: Call;
  /** Those of the call, as they were given. */
  readonly variables: Variables;
  readonly llm: Llm | null;
  readonly now: () => number;
  readonly clock: Clock;
  /** For agents whose replies come from the server of a partner. */
  readonly customLlm: (agent: Agent, call: Call) => CallOnCustomLlm;
}

/** The tools of one call. */
export type NewTools = (
  call: Call,
  tools: readonly ToolDefinition[],
  variables: () => Variables,
) => Tools & { close(): void };

export interface EngineParts {
  readonly isSpoken: boolean;
  readonly history: () => readonly ModelTurn[];
  readonly contexts: () => readonly string[];
  /** What the engine returned earlier in the call. */
  readonly state: unknown;
}

export function startOf({ call, now }: Pick<ConversationParts, 'call' | 'now'>): number {
  return call.startedAt === null ? now() : Date.parse(call.startedAt);
}

export function newEngine(parts: ConversationParts, given: EngineParts): Engine {
  const { prepared, call, variables, llm, now, clock, customLlm } = parts;
  const startedAt = startOf(parts);
  return prepared.newEngine({
    clock,
    startedAt,
    time: now,
    variables,
    defaults: defaultsOf(parts, startedAt),
    metadata: call.metadata,
    llm,
    customLlm: call.engine === 'custom_llm' ? customLlm(prepared.agent, call) : null,
    ...given,
  });
}

function defaultsOf({ prepared, call }: ConversationParts, startedAt: number): Variables {
  const { agent, timeZone, variables, usesVariables } = prepared;
  // Formatting dates takes a tenth of the time of a short reply.
  if (!usesVariables) return variables;
  const { language, name: agentName } = agent;
  return { ...builtInVariables({ now: startedAt, timeZone, language, callId: call.id, agentName }), ...variables };
}

/** The first words of the agent, with the values of the variables in them. */
export function filledBeginMessage(parts: ConversationParts, warn: Warn): string | null {
  return filledAgent(parts.prepared.agent, namedOf(parts), warn).beginMessage;
}

/** The words that a recognizer should expect, with the values of the variables in them. */
export function filledKeywords(parts: ConversationParts, warn: Warn): readonly string[] {
  return keywordsOf(parts.prepared.agent, namedOf(parts), warn);
}

function namedOf(parts: ConversationParts): Variables {
  return { ...defaultsOf(parts, startOf(parts)), ...parts.variables };
}
