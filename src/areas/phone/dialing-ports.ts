import type { Queries } from '../../storage/database.ts';
import type { CarrierRow } from './carriers/store.ts';

export interface Destination {
  readonly carrier: CarrierRow;
  readonly to: string;
  /** `create`: a new call. `dial`: right before the request. `transfer`: a second leg, or a fallback. */
  readonly moment: 'create' | 'dial' | 'transfer';
}

/** The rule that forbids to dial a number, in words; null if it may be dialed. */
export type ForbiddenBy = (queries: Queries, destination: Destination) => Promise<string | null>;
