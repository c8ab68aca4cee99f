/** A figure that the service is held to. */
export interface Target {
  readonly title: string;
  readonly value: number;
  readonly unit: '×' | 'ms' | 'MB';
  readonly bound: 'least' | 'most';
  readonly goal: number;
  /** What else belongs to it, such as the same in processor time. */
  readonly note: string;
}

export function isReached({ value, bound, goal }: Target): boolean {
  return bound === 'least' ? value >= goal : value <= goal;
}

export function atLeast(title: string, value: number, goal: number, note = ''): Target {
  return { title, value, unit: '×', bound: 'least', goal, note };
}

export function atMost(title: string, value: number, goal: number, unit: Target['unit'], note = ''): Target {
  return { title, value, unit, bound: 'most', goal, note };
}
