/**
 * A fault injected into the service, to prove that a campaign can detect it. It names the code that it changes by the
 * names of its declarations, so that it survives a move to another file and changes around it.
 */
export type Break = {
  readonly about: string;
  readonly engine: 'sqlite' | 'postgres' | 'both';
  /** A function, a method or a constant of `src`, with the names around it where they help: `LockedCall.end`. */
  readonly in: string;
} & (Replacement | StatementReplacement);

interface Replacement {
  /** Occurs there exactly once; any white space equals any other. */
  readonly replace: string;
  readonly with: string;
}

interface StatementReplacement {
  /** Occurs there exactly once. The smallest statement around it is removed, moved or replaced. */
  readonly statement: string;
  /** Moves it behind the statement that contains this. */
  readonly after?: string;
  readonly with?: string;
}
