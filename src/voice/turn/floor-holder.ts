import type { State } from './events.ts';

export type FloorHolder = 'caller' | 'agent' | 'none';

/** Who may speak, for the caller's side. */
export function floorOf(state: State): FloorHolder {
  switch (state) {
    case 'caller':
    case 'endpoint':
      return 'caller';
    case 'agent':
    case 'overlap':
    case 'paused':
    case 'closing':
      return 'agent';
    case 'opening':
    case 'idle':
    case 'thinking':
    case 'lost':
    case 'transferring':
    case 'ended':
      return 'none';
    default:
      return state satisfies never;
  }
}
