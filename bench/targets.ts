/** A figure with a target. If `goal` is null it is printed as information only. */
export interface Target {
  readonly title: string;
  readonly value: number;
  readonly unit: '×' | 'ms' | 'µs' | 'MB' | '/s' | 'calls' | '%';
  readonly bound: 'least' | 'most';
  readonly goal: number | null;
  /** Additional information, such as the same in processor time. */
  readonly note: string;
  /** Set if something else was using the processor, so that the figure may be wrong. */
  readonly isDoubtful?: boolean;
}

/** The lowest acceptable share of the limit's requests per second, by workload id. */
export type Thresholds = Readonly<Record<string, number>>;

export const thresholds: Thresholds = {
  get: 0.55,
  'first-page': 0.5,
  'list-50': 0.22,
  'list-200': 0.18,
  'create-64': 0.28,
};

/** For a workspace so large that nearly every page comes from the database file. */
export const largeThresholds: Thresholds = { 'list-50': 0.12, 'list-200': 0.1 };

/** Trivial jobs a second on SQLite, while get is served at half of its peak. */
export const minJobsPerSecond = 1000;

/** Null without a goal. */
export function isReached({ value, bound, goal }: Target): boolean | null {
  if (goal === null) return null;
  return bound === 'least' ? value >= goal : value <= goal;
}

export function atLeast(
  title: string,
  value: number,
  goal: number | null,
  note = '',
  unit: Target['unit'] = '×',
): Target {
  return { title, value, unit, bound: 'least', goal, note };
}

export function atMost(title: string, value: number, goal: number | null, unit: Target['unit'], note = ''): Target {
  return { title, value, unit, bound: 'most', goal, note };
}
