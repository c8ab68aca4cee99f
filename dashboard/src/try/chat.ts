import type { Call, CallMessageEvent, CallReply, Turn } from '../../../sdk/src/index.ts';
import type { EndReason } from '../calls/call.ts';

/** A message that has been sent, and what has arrived of the reply. */
export interface Exchange {
  /** Null for the opening, which nothing was said before. */
  readonly text: string | null;
  readonly idempotencyKey: string;
  readonly parts: readonly PendingPart[];
}

/** A piece of a reply, while it is generated. */
export type ReplyPart = Exclude<CallMessageEvent, { type: 'done' }>;

export type PendingPart =
  | { readonly kind: 'text'; readonly turn: number; readonly text: string }
  | { readonly kind: 'tool'; readonly name: string };

/** A finished turn, or a message whose reply failed and was given up. */
export type Entry =
  | { readonly kind: 'turn'; readonly turn: Turn }
  | { readonly kind: 'unanswered'; readonly text: string; readonly key: string };

/** A chat in the panel. */
export interface Chat {
  readonly call: Call | null;
  readonly entries: readonly Entry[];
  /** The current exchange, also after it failed. */
  readonly exchange: Exchange | null;
  /** Why the chat could not be created, or the exchange failed. */
  readonly failure: Error | null;
  readonly end: { readonly reason: EndReason | null } | null;
}

export const newChat: Chat = { call: null, entries: [], exchange: null, failure: null, end: null };

export type ChatAction =
  | { readonly type: 'starting' }
  | { readonly type: 'created'; readonly call: Call }
  | { readonly type: 'sending'; readonly text: string | null; readonly idempotencyKey: string }
  | { readonly type: 'arrived'; readonly part: ReplyPart }
  | { readonly type: 'replied'; readonly reply: CallReply }
  | { readonly type: 'failed'; readonly error: Error }
  | { readonly type: 'ended'; readonly reason: EndReason | null };

export function nextChat(chat: Chat, action: ChatAction): Chat {
  switch (action.type) {
    case 'starting':
      return { ...chat, failure: null };
    case 'created':
      return { ...chat, call: action.call };
    case 'sending': {
      const { text, idempotencyKey } = action;
      const isRetry = chat.exchange?.idempotencyKey === idempotencyKey;
      const entries = isRetry ? chat.entries : [...chat.entries, ...givenUp(chat)];
      return { ...chat, entries, exchange: { text, idempotencyKey, parts: [] }, failure: null };
    }
    case 'arrived': {
      if (chat.exchange === null) return chat;
      return { ...chat, exchange: { ...chat.exchange, parts: withPart(chat.exchange.parts, action.part) } };
    }
    case 'replied': {
      const turns = action.reply.turns.map((turn) => ({ kind: 'turn' as const, turn }));
      return { ...chat, entries: [...chat.entries, ...turns], exchange: null, failure: null };
    }
    case 'failed':
      // What has arrived is not part of the conversation: the reply is requested again.
      return { ...chat, exchange: chat.exchange && { ...chat.exchange, parts: [] }, failure: action.error };
    case 'ended':
      return {
        ...chat,
        entries: [...chat.entries, ...givenUp(chat)],
        exchange: null,
        failure: null,
        end: { reason: action.reason },
      };
  }
}

/** Whether a request is on its way. */
export function isBusy({ call, exchange, failure, end }: Chat): boolean {
  return end === null && failure === null && (call === null || exchange !== null);
}

function givenUp({ exchange }: Chat): Entry[] {
  if (exchange === null || exchange.text === null) return [];
  return [{ kind: 'unanswered', text: exchange.text, key: exchange.idempotencyKey }];
}

function withPart(parts: readonly PendingPart[], part: ReplyPart): readonly PendingPart[] {
  if (part.type === 'tool') return [...parts, { kind: 'tool', name: part.name }];
  const place = parts.findIndex((each) => each.kind === 'text' && each.turn === part.turn);
  const before = parts[place];
  if (before?.kind !== 'text') return [...parts, { kind: 'text', turn: part.turn, text: part.delta }];
  return parts.with(place, { ...before, text: before.text + part.delta });
}
