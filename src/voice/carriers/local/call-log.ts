import { iso8601 } from './formats.ts';
import type { Direction, EndedBy, Leg } from './leg.ts';

/** A call in the log: every one that was ever placed. */
export interface LoggedCall {
  readonly sid: string;
  readonly accountSid: string;
  readonly parentCallSid: string | null;
  readonly direction: Direction;
  readonly from: string;
  readonly to: string;
  readonly status: string;
  readonly states: readonly { readonly status: string; readonly at: string }[];
  readonly createdAt: string;
  readonly answeredAt: string | null;
  readonly endedAt: string | null;
  readonly endedBy: EndedBy | null;
  readonly durationSeconds: number;
  readonly answeredBy: string | null;
  /** What the phone said and pressed, and what verbs said and pressed towards it. */
  readonly said: readonly string[];
  readonly keysPressed: string;
  readonly heard: readonly string[];
  readonly keysHeard: string;
}

export function loggedCall(leg: Leg): LoggedCall {
  const { account, parentSid, direction, from, to } = leg.options;
  const time = (at: number | null): string | null => (at === null ? null : iso8601(at));
  return {
    sid: leg.sid,
    accountSid: account.sid,
    parentCallSid: parentSid,
    direction,
    from,
    to,
    status: leg.status,
    states: leg.states.map(({ status, at }) => ({ status, at: iso8601(at) })),
    createdAt: iso8601(leg.createdAt),
    answeredAt: time(leg.answeredAt),
    endedAt: time(leg.endedAt),
    endedBy: leg.endedBy,
    durationSeconds: leg.durationSeconds,
    answeredBy: leg.answeredBy,
    said: [...leg.textsSaid],
    keysPressed: leg.keysPressed,
    heard: [...leg.textsHeard],
    keysHeard: leg.keysHeard,
  };
}
