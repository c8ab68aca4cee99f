export interface SpokenTime {
  /** As it was said, 0 to 23; 3 can still be in the afternoon. */
  readonly hour: number;
  readonly minute: number;
  /** For "ten to three". */
  readonly minutesBefore?: number;
}

/** Hours of the day that a word such as "evening" allows. */
export type HourRange = readonly [from: number, until: number];

export interface FoundTimes {
  readonly times: readonly SpokenTime[];
  readonly ranges: readonly HourRange[];
}
