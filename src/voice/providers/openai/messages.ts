import type { LlmMessage, LlmRequest } from '../../llm.ts';
import type { LimitField } from './limit-field.ts';

/** What a server accepts beyond the common part of the protocol. */
export interface Dialect {
  /** Chat templates of many open models take one system message, at the beginning, and need words of a user. */
  readonly hasFreeSystemMessages: boolean;
}

export function dialectOf(baseUrl: string): Dialect {
  const { hostname } = new URL(baseUrl);
  return { hasFreeSystemMessages: /(^|\.)openai\.(com|azure\.com)$/.test(hostname) };
}

/** The body of a request. Parameters that are not set are not in it. */
export function requestBody(
  { messages, tools, schema, temperature, maxTokens, reasoningEffort }: LlmRequest,
  model: string,
  { hasFreeSystemMessages }: Dialect,
  limitField: LimitField,
): object {
  const accepted = hasFreeSystemMessages ? messages : withOneSystemMessage(messages);
  return {
    model,
    messages: accepted.map(wireMessage),
    stream: true,
    stream_options: { include_usage: true },
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
    ...(schema !== undefined && {
      response_format: { type: 'json_schema', json_schema: { name: 'output', strict: true, schema } },
    }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { [limitField]: maxTokens }),
    ...(reasoningEffort !== undefined && { reasoning_effort: reasoningEffort }),
  };
}

/** The instruction at the end, such as to open the conversation, becomes words of a user. */
function withOneSystemMessage(messages: readonly LlmMessage[]): readonly LlmMessage[] {
  const start = messages.findIndex(({ role }) => role !== 'system');
  const systems = start === -1 ? messages.slice(0, -1) : messages.slice(0, start);
  const rest = messages.slice(systems.length);
  const content = systems.map((message) => message.content).join('\n\n');
  return [
    ...(content === '' ? [] : [{ role: 'system', content } as const]),
    ...rest.map((message) => (message.role === 'system' ? ({ ...message, role: 'user' } as const) : message)),
  ];
}

function wireMessage(message: LlmMessage): object {
  switch (message.role) {
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
    case 'assistant': {
      const calls = (message.toolCalls ?? []).map(({ id, name, arguments: given }) => {
        return { id, type: 'function', function: { name, arguments: given } } as const;
      });
      return { role: 'assistant', content: message.content, ...(calls.length > 0 && { tool_calls: calls }) };
    }
    default:
      return { role: message.role, content: message.content };
  }
}
