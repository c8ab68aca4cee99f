import type { Call, Turn } from '../../../../sdk/src/index.ts';
import type { Capabilities, Floor, Transcript, WebCallError } from '../../../../sdk/src/web/index.ts';
import type { EndReason } from '../../calls/call.ts';

/** One turn, from its first recognized word on. */
export interface Line {
  readonly turn: number;
  readonly role: 'caller' | 'agent';
  readonly text: string;
  readonly isFinal: boolean;
  /** The turn as it is in the call, with its latency, once it is complete. */
  readonly completed: Turn | null;
}

/** A spoken call in the panel. */
export interface SpokenCall {
  readonly phase: 'idle' | 'joining' | 'open' | 'ended';
  readonly call: Call | null;
  readonly capabilities: Capabilities | null;
  readonly hasMicrophone: boolean;
  readonly lines: readonly Line[];
  readonly floor: Floor;
  readonly isMuted: boolean;
  readonly isReconnecting: boolean;
  /** Why the call could not be started. */
  readonly failure: Error | null;
  /** What went wrong since, although the call goes on. */
  readonly problem: WebCallError | null;
  readonly end: { readonly reason: EndReason | null } | null;
}

export const newSpokenCall: SpokenCall = {
  phase: 'idle',
  call: null,
  capabilities: null,
  hasMicrophone: false,
  lines: [],
  floor: 'none',
  isMuted: false,
  isReconnecting: false,
  failure: null,
  problem: null,
  end: null,
};

export type SpokenAction =
  | { readonly type: 'joining' }
  | { readonly type: 'created'; readonly call: Call }
  | { readonly type: 'joined'; readonly capabilities: Capabilities; readonly hasMicrophone: boolean }
  | { readonly type: 'said'; readonly transcript: Transcript }
  | { readonly type: 'completed'; readonly turn: Turn }
  | { readonly type: 'floor'; readonly floor: Floor }
  | { readonly type: 'muted'; readonly isMuted: boolean }
  | { readonly type: 'reconnecting'; readonly isReconnecting: boolean }
  | { readonly type: 'heard' }
  | { readonly type: 'failed'; readonly error: Error }
  | { readonly type: 'problem'; readonly problem: WebCallError }
  | { readonly type: 'ended'; readonly reason: EndReason | null; readonly problem: WebCallError | null };

export function nextSpokenCall(spoken: SpokenCall, action: SpokenAction): SpokenCall {
  switch (action.type) {
    case 'joining':
      return { ...newSpokenCall, phase: 'joining' };
    case 'created':
      return { ...spoken, call: action.call };
    case 'joined': {
      const { capabilities, hasMicrophone } = action;
      return { ...spoken, phase: 'open', capabilities, hasMicrophone };
    }
    case 'said': {
      const { turn, role, text, isFinal } = action.transcript;
      const completed = spoken.lines.find((line) => line.turn === turn)?.completed ?? null;
      return { ...spoken, lines: withLine(spoken.lines, { turn, role, text, isFinal, completed }) };
    }
    case 'completed': {
      const { turn } = action;
      if (turn.role === 'tool') return spoken;
      const line = { turn: turn.index, role: turn.role, text: turn.text, isFinal: true, completed: turn };
      return { ...spoken, lines: withLine(spoken.lines, line) };
    }
    case 'floor':
      return { ...spoken, floor: action.floor };
    case 'muted':
      return { ...spoken, isMuted: action.isMuted };
    case 'reconnecting':
      return { ...spoken, isReconnecting: action.isReconnecting };
    case 'heard':
      return spoken.problem?.code === 'audio_suspended' ? { ...spoken, problem: null } : spoken;
    case 'failed':
      return { ...spoken, phase: 'idle', failure: action.error };
    case 'problem':
      return { ...spoken, problem: action.problem };
    case 'ended': {
      const { reason, problem } = action;
      return { ...spoken, phase: 'ended', floor: 'none', isReconnecting: false, problem, end: { reason } };
    }
  }
}

/** The time of the last reply that has one. */
export function lastLatencyMs({ lines }: SpokenCall): number | null {
  return (
    lines.findLast(({ completed }) => typeof completed?.latency?.e2eMs === 'number')?.completed?.latency?.e2eMs ?? null
  );
}

/** By turn: a late word of the caller may arrive after the agent has begun. */
function withLine(lines: readonly Line[], line: Line): readonly Line[] {
  return [...lines.filter(({ turn }) => turn !== line.turn), line].toSorted((a, b) => a.turn - b.turn);
}
