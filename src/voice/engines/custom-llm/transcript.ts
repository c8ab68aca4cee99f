import { type ModelTurn, messagesOf } from '../model/messages.ts';
import type { TranscriptEntry, Utterance } from './frames.ts';

/**
 * The conversation as a server gets it. `words` is what the caller has said in the turn that is open, `unfinished` what
 * the agent has begun to say.
 */
export function entriesOf(history: readonly ModelTurn[], words: string, unfinished = ''): readonly TranscriptEntry[] {
  const entries = messagesOf(history, words).flatMap((message): TranscriptEntry[] => {
    switch (message.role) {
      case 'user':
        return [{ role: 'user', content: message.content }];
      case 'tool':
        return [{ role: 'tool_call_result', tool_call_id: message.toolCallId, content: message.content }];
      case 'assistant': {
        const calls = (message.toolCalls ?? []).map(
          ({ id, name, arguments: given }): TranscriptEntry => ({
            role: 'tool_call_invocation',
            tool_call_id: id,
            name,
            arguments: given,
          }),
        );
        return message.content === '' ? calls : [{ role: 'agent', content: message.content }, ...calls];
      }
      default:
        return [];
    }
  });
  return unfinished === '' ? entries : [...entries, { role: 'agent', content: unfinished }];
}

/** Without the tools. */
export function utterancesOf(entries: readonly TranscriptEntry[]): readonly Utterance[] {
  return entries.filter((entry): entry is Utterance => entry.role === 'agent' || entry.role === 'user');
}
