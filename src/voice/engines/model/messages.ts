import { boundedJson } from '../../../core/json-limits.ts';
import type { LlmMessage } from '../../llm.ts';
import type { Turn } from '../../ports.ts';
import type { ReplyKind } from '../engine.ts';

/** The part of a transcript entry that a model needs. */
export type ModelTurn = Pick<Turn, 'role' | 'text'> & Partial<Pick<Turn, 'toolCall' | 'source'>>;

/**
 * What was said and heard, and the results of tools, in the order of the transcript. `words` is the turn to answer. It
 * may be in the transcript already, also with tools after it that a reply has called before it was canceled or lost.
 * `beforeTurn` follows directly before it.
 */
export function messagesOf(
  history: readonly ModelTurn[],
  words: string,
  beforeTurn: readonly LlmMessage[] = [],
): LlmMessage[] {
  if (words === '') return history.flatMap(messagesOfTurn);
  const { before, after } = aroundTurn(history, words);
  return [...before.flatMap(messagesOfTurn), ...beforeTurn, userMessage(words), ...after.flatMap(messagesOfTurn)];
}

/** What the caller said in the turn before the one to answer. */
export function previousCallerWords(history: readonly ModelTurn[], words: string): string | null {
  return aroundTurn(history, words).before.findLast(({ role }) => role === 'caller')?.text ?? null;
}

function aroundTurn(history: readonly ModelTurn[], words: string) {
  const answered = history.findLastIndex((turn) => !isOfAReply(turn)) + 1;
  const { start, isComplete } = openTurn(history.slice(0, answered), words);
  const end = isComplete || answered === history.length ? start : history.length;
  return { before: history.slice(0, end), after: isComplete ? history.slice(answered) : [] };
}

/** What a reply that has said nothing yet may leave in the transcript. */
function isOfAReply({ role, source }: ModelTurn): boolean {
  return role === 'tool' || (role === 'agent' && source === 'waiting');
}

/**
 * Where the turns at the end begin that consist of these words, because a caller's turn may be committed before it is
 * answered. `isComplete`: they have all of the words.
 */
function openTurn(history: readonly ModelTurn[], words: string): { start: number; isComplete: boolean } {
  const last = history.at(-1);
  if (last?.role !== 'caller' || words.trim() === '' || !words.includes(last.text)) {
    return { start: history.length, isComplete: words.trim() === '' };
  }
  return openTurn(history.slice(0, -1), words.replace(last.text, ''));
}

function messagesOfTurn({ role, text, toolCall }: ModelTurn): LlmMessage[] {
  if (role === 'caller') return [userMessage(text)];
  if (role === 'agent') return [{ role: 'assistant', content: text }];
  if (toolCall == null) return [];
  const { id, name, arguments: given, result } = toolCall;
  return [
    { role: 'assistant', content: '', toolCalls: [{ id, name, arguments: boundedJson(given) }] },
    { role: 'tool', toolCallId: id, content: contentOf(result) },
  ];
}

function userMessage(content: string): LlmMessage {
  return { role: 'user', content };
}

export function contentOf(result: unknown): string {
  return typeof result === 'string' ? result : boundedJson(result ?? null);
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
