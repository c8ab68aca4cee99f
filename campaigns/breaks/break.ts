/** A fault put into the service on purpose: proof that a campaign which finds nothing could. */
export interface Break {
  readonly campaign: string;
  readonly about: string;
  readonly engine: 'sqlite' | 'postgres' | 'both';
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly from: string;
  readonly to: string;
}
