import { isDeepStrictEqual } from 'node:util';
import type { Call } from '../../src/contract/calls/call.ts';
import type { CallEvent } from '../../src/contract/calls/call-events.ts';
import type { Turn } from '../../src/contract/calls/turn.ts';
import type { Chat } from './chat.ts';
import { leaseMs, silenceMs, slackMs } from './settings.ts';

/** What the service shows of a call when everything is over. */
export interface Shown {
  readonly call: Call;
  /** Null if the transcript is not stored. */
  readonly turns: readonly Turn[] | null;
  readonly events: readonly CallEvent[];
}

const terminal = ['ended', 'not_connected', 'error'];

export function checkCall(chat: Chat, shown: Shown, found: (what: string) => void): void {
  if (shown.turns !== null) checkTurns(chat, shown.turns, found);
  checkEvents(shown, found);
  checkEnd(chat, shown, found);
}

/** Every acknowledged turn is in the transcript as it was returned, and no other. */
function checkTurns(chat: Chat, turns: readonly Turn[], found: (what: string) => void): void {
  const { kind } = chat;
  if (turns.some(({ index }, place) => index !== place)) found(`${kind}: the numbers of the turns have a gap`);
  const told = new Set<number>();
  let last = -1;
  for (const { turns: answered } of chat.acknowledged) {
    for (const turn of answered) {
      if (told.has(turn.index)) found(`${kind}: two answers have the same turn`);
      told.add(turn.index);
      const stored = turns[turn.index];
      if (!isDeepStrictEqual(stored, turn)) found(`${kind}: ${differenceOf(turn, stored)}`);
    }
    const first = answered.find(({ role }) => role === 'caller')?.index ?? -1;
    if (first < last && chat.unanswered === 0 && kind !== 'slow') found(`${kind}: the messages are in another order`);
    last = first;
  }
  const rest = turns.filter(({ index }) => !told.has(index));
  const said = rest.filter(({ source }) => source === 'control').map(({ text }) => text);
  if (!isDeepStrictEqual(said, chat.said)) found(`${kind}: what was said through the API is not there once`);
  const unknown = rest.filter(({ source }) => source !== 'control');
  for (const { role, source } of chat.unanswered > 0 ? [] : unknown) {
    found(`${kind}: a turn that no answer has (${source ?? role})`);
  }
  const callers = unknown.filter(({ role }) => role === 'caller');
  if (callers.length > chat.unanswered) found(`${kind}: a message is in the transcript twice`);
}

function differenceOf(told: Turn, stored: Turn | undefined): string {
  if (stored === undefined) return `an acknowledged turn is lost (${told.source ?? told.role})`;
  const fields = Object.keys(told) as (keyof Turn)[];
  const different = fields.filter((field) => !isDeepStrictEqual(told[field], stored[field]));
  return `a turn differs from the one that was returned (${told.source ?? told.role}: ${different.join(', ')})`;
}

/** Numbers without gaps, one event for each turn, and one way through the states. */
export function checkEvents({ call, turns, events }: Shown, found: (what: string) => void): void {
  if (events.some(({ sequence }, place) => sequence !== place + 1)) found('the numbers of the call events have a gap');
  const completed = new Map<number, Turn>();
  const path: (string | null)[] = [];
  for (const { type, data } of events) {
    if (type === 'turn_completed' && 'turn' in data) {
      if (completed.has(data.turn.index)) found(`a turn is completed twice (${data.turn.role})`);
      completed.set(data.turn.index, data.turn);
    }
    if (type === 'state_changed' && 'to' in data) {
      if (data.from !== (path.at(-1) ?? null)) found('a state does not follow the one before');
      path.push(data.to);
    }
  }
  for (const turn of turns ?? []) {
    const event = completed.get(turn.index);
    const isRunning = turn.toolCall !== null && turn.toolCall.result === null;
    if (event === undefined && !isRunning) found(`a turn has no event (${turn.source ?? turn.role})`);
    else if (event !== undefined && !isDeepStrictEqual(event, turn)) found('the event of a turn differs from it');
  }
  if (completed.size > (turns?.length ?? 0)) found('an event has no turn');
  if (path.at(-1) !== call.status) found('the last event is not the state of the call');
  if (path.filter((status) => terminal.includes(String(status))).length !== 1) found('a call has not ended once');
  if (events.at(-1)?.type !== 'state_changed') found('something happened after the end of a call');
}

function checkEnd({ lastUsedAt }: Chat, { call, events }: Shown, found: (what: string) => void): void {
  if (!terminal.includes(call.status)) {
    found(`a call is ${call.status} when everything is over`);
    return;
  }
  if (call.status === 'not_connected' && call.endReason !== 'canceled') found(`a call ended as ${call.endReason}`);
  const reasons = ['api_end', 'agent_hangup', 'silence_timeout', 'canceled', 'llm_failed'];
  if (!reasons.includes(String(call.endReason))) found(`a call ended as ${call.endReason}`);
  if (call.endReason !== 'silence_timeout') return;
  // A request that was not answered may have begun, which counts.
  const before = Math.max(lastUsedAt, Date.parse(events.at(-2)?.at ?? call.createdAt));
  const lateMs = Date.parse(call.endedAt ?? '') - before - silenceMs - leaseMs;
  if (lateMs > slackMs) found(`a call ended ${Math.round(lateMs / 1000)} s too late`);
}
