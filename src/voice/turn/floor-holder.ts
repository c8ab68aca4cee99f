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
    default:
      return 'none';
  }
}
