import type { LlmMessage, LlmToolCall } from '../voice/llm.ts';
import { redact, redactKeys, redactToolArguments } from '../voice/text/personal-data.ts';

/** The newest messages of a request; older ones that do not fit are left out. */
const maxCharacters = 64 * 1024;

interface Message {
  readonly role: string;
  readonly parts: readonly object[];
}

/** What was sent to a model, as GenAI's `gen_ai.input.messages`. Null if it cannot be redacted or written: never throws. */
export function inputMessages(messages: readonly LlmMessage[], isRedacted: boolean): string | null {
  const kept: string[] = [];
  let left = maxCharacters;
  try {
    for (const message of messages.toReversed()) {
      const text = JSON.stringify(messageOf(message, isRedacted, left));
      left -= text.length;
      if (left < 0) break;
      kept.unshift(text);
    }
  } catch {
    // Such as arguments that a model has nested so deep that no recursive function can read them.
    return null;
  }
  return `[${kept.join(',')}]`;
}

/** What a model has replied, as GenAI's `gen_ai.output.messages`. */
export function outputMessages(text: string, toolCalls: readonly LlmToolCall[], isRedacted: boolean): string | null {
  return inputMessages([{ role: 'assistant', content: text, toolCalls }], isRedacted);
}

/** A text that cannot fit is not looked at: that would take long, and it is left out in any case. */
function messageOf(message: LlmMessage, isRedacted: boolean, room: number): Message {
  const { role, content } = message;
  const text = isRedacted && content.length <= room ? redacted(role, content) : content;
  if (message.role === 'tool') {
    return { role, parts: [{ type: 'tool_call_response', id: message.toolCallId, response: text }] };
  }
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  return {
    role,
    parts: [
      ...(text === '' ? [] : [{ type: 'text', content: text }]),
      ...calls.map(({ id, name, arguments: given }) => ({
        type: 'tool_call',
        id,
        name,
        arguments: isRedacted ? redactedArguments(name, given, room) : given,
      })),
    ],
  };
}

function redacted(role: LlmMessage['role'], text: string): string {
  return redact(role === 'user' ? redactKeys(text) : text);
}

/** Arguments are JSON, whose numbers and keys can be personal data, too. */
function redactedArguments(name: string, text: string, room: number): unknown {
  if (text.length > room) return text;
  try {
    return redactToolArguments(name, JSON.parse(text));
  } catch {
    return redact(text);
  }
}
