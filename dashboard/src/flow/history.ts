import { isSame } from '../pages/agent/values.ts';

/** What the flow editor edits. */
export interface FlowMoment {
  readonly flow: unknown;
  readonly startSkillId: unknown;
}

/** What can be undone and redone. Kept as long as the agent is open. */
export interface FlowHistory {
  readonly past: readonly FlowMoment[];
  readonly present: FlowMoment | null;
  readonly future: readonly FlowMoment[];
  /** What was edited last: letters typed into the same field are one edit. */
  readonly edited: string | null;
}

export const newHistory: FlowHistory = { past: [], present: null, future: [], edited: null };

const maxPast = 200;

/** If the flow was changed elsewhere, such as by a merge, there is nothing to go back to. */
export function synchronized(history: FlowHistory, now: FlowMoment): FlowHistory {
  if (history.present === null) return { ...newHistory, present: now };
  if (isSame(history.present.flow, now.flow) && isSame(history.present.startSkillId, now.startSkillId)) return history;
  return { ...newHistory, present: now };
}

export function edited(history: FlowHistory, next: FlowMoment, name: string | null): FlowHistory {
  const { past, present } = history;
  const isSameEdit = name !== null && name === history.edited && past.length > 0;
  const kept = isSameEdit || present === null ? past : [...past, present].slice(-maxPast);
  return { past: kept, present: next, future: [], edited: name };
}

export function undone({ past, present, future }: FlowHistory): FlowHistory | null {
  const before = past.at(-1);
  if (before === undefined || present === null) return null;
  return { past: past.slice(0, -1), present: before, future: [present, ...future], edited: null };
}

export function redone({ past, present, future }: FlowHistory): FlowHistory | null {
  const [after, ...rest] = future;
  if (after === undefined || present === null) return null;
  return { past: [...past, present], present: after, future: rest, edited: null };
}
