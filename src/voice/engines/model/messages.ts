import type { LlmMessage } from '../../llm.ts';
import type { Turn } from '../../ports.ts';
import type { ReplyKind } from '../engine.ts';

/** An entry of the transcript, as far as a model needs it. */
export type ModelTurn = Pick<Turn, 'role' | 'text'> & Partial<Pick<Turn, 'toolCall'>>;

/** What was said and heard, and the results of tools, in the order of the transcript. */
export function messagesOf(history: readonly ModelTurn[], words: string): LlmMessage[] {
  return [...withoutOpenTurn(history, words).flatMap(messagesOfTurn), ...(words === '' ? [] : [userMessage(words)])];
}

/** A caller's turn may be committed before it is answered. Its words are in the request as well, and count once. */
function withoutOpenTurn(history: readonly ModelTurn[], words: string): readonly ModelTurn[] {
  const last = history.at(-1);
  if (last?.role !== 'caller' || words === '' || !words.includes(last.text)) return history;
  return withoutOpenTurn(history.slice(0, -1), words.replace(last.text, ''));
}

function messagesOfTurn({ role, text, toolCall }: ModelTurn): LlmMessage[] {
  if (role === 'caller') return [userMessage(text)];
  if (role === 'agent') return [{ role: 'assistant', content: text }];
  if (toolCall == null) return [];
  const { id, name, arguments: given, result } = toolCall;
  return [
    { role: 'assistant', content: '', toolCalls: [{ id, name, arguments: JSON.stringify(given) }] },
    { role: 'tool', toolCallId: id, content: contentOf(result) },
  ];
}

function userMessage(content: string): LlmMessage {
  return { role: 'user', content };
}

export function contentOf(result: unknown): string {
  return typeof result === 'string' ? result : JSON.stringify(result ?? null);
}

/** What the model is told to say if the caller has said nothing. */
export function instructionFor(kind: ReplyKind): LlmMessage[] {
  const content = {
    begin: 'The call has just begun. Open the conversation, in the language of your instructions.',
    reminder:
      'The caller has said nothing for a while. Ask in one short sentence whether they are still there, in the language of the conversation.',
    response: '',
  }[kind];
  return content === '' ? [] : [{ role: 'system', content }];
}
