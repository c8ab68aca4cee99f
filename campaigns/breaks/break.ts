/** A fault injected into the service, to prove that a campaign can detect it. */
export interface Break {
  readonly campaign: string;
  readonly about: string;
  readonly engine: 'sqlite' | 'postgres' | 'both';
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly from: string;
  readonly to: string;
}
