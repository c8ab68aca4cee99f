/**
 * The names of spans and attributes. Those of GenAI have the status Development upstream, which may change them: these
 * are those of open-telemetry/semantic-conventions-genai with the schema gen-ai/1.42.0.
 */
export const spanNames = {
  call: (agent: string) => named('invoke_agent', agent),
  turn: (index: number) => `turn ${index}`,
  model: (model: string) => named('chat', model),
  tool: (tool: string) => named('execute_tool', tool),
} as const;

export const genAi = {
  operation: 'gen_ai.operation.name',
  agentId: 'gen_ai.agent.id',
  agentName: 'gen_ai.agent.name',
  agentVersion: 'gen_ai.agent.version',
  conversationId: 'gen_ai.conversation.id',
  provider: 'gen_ai.provider.name',
  model: 'gen_ai.request.model',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedTokens: 'gen_ai.usage.cache_read.input_tokens',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  toolName: 'gen_ai.tool.name',
  toolCallId: 'gen_ai.tool.call.id',
} as const;

export const errorType = 'error.type';

export const own = {
  callType: 'voice_agents.call.type',
  endReason: 'voice_agents.call.end_reason',
  workspaceId: 'voice_agents.workspace_id',
  interrupted: 'voice_agents.turn.interrupted',
  /** A value of `Turn.latency`, by its name there. */
  latency: (name: string) => `voice_agents.turn.${name}`,
  firstText: 'voice_agents.first_text',
} as const;

function named(operation: string, name: string): string {
  return name === '' ? operation : `${operation} ${name}`;
}
