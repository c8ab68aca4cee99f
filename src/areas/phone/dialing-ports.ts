import type { Carrier } from '../../contract/phone/carrier.ts';
import type { PhoneNumber } from '../../contract/phone/phone-number.ts';
import type { Queries, Reads } from '../../storage/database.ts';
import type { CarrierClient } from '../../voice/carriers/carrier.ts';

/** What the legs of calls need of the resources of this area. */
export interface CarrierAccess {
  read(queries: Reads, workspaceId: string, id: string): Promise<Carrier | undefined>;
  /** For the carrier's requests, which have nothing but its id. */
  readAnyWorkspace(id: string): Promise<Carrier | undefined>;
  client(carrier: Carrier): Promise<CarrierClient>;
  /** Verifies the signatures of the carrier's requests. */
  authToken(carrier: Carrier): Promise<string>;
  /** The address at which the carrier reaches this service; null if it is not set. */
  publicBase(carrier: Carrier): string | null;
  /** The time at which the next call may be dialed, which is then taken. */
  reserveDialTime(queries: Queries, carrier: Carrier, now: number): Promise<number>;
  /** Three failures in a row make the carrier `failing`, and a success makes it `active`. */
  noteOutcome(queries: Queries, carrier: Carrier, outcome: 'failed' | 'succeeded'): Promise<void>;
}

export interface NumberAccess {
  read(queries: Reads, workspaceId: string, id: string): Promise<PhoneNumber | undefined>;
  /** Also finds a number that the carrier writes without `+`, with `00`, or with the national 0. */
  findByCarrierAndTo(queries: Reads, carrier: Carrier, to: string): Promise<PhoneNumber | undefined>;
}

export interface Destination {
  readonly carrier: Carrier;
  readonly to: string;
  /** `create`: a new call. `dial`: right before the request. `transfer`: a second leg, or a fallback. */
  readonly moment: 'create' | 'dial' | 'transfer';
}

/** The rule that forbids to dial a number, in words; null if it may be dialed. */
export type ForbiddenBy = (queries: Queries, destination: Destination) => Promise<string | null>;
