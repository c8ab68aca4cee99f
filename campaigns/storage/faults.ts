import type { Figures } from '../campaign.ts';

export type Amount = {
  readonly episodes: number;
  /** How many of them outlast the timeouts of the service. */
  readonly long: number;
  /** 1: on PostgreSQL a separate server, which can be stopped. */
  readonly ownServer: number;
};

/** A fault of the storage under a running service. */
export interface Fault {
  readonly name: string;
  /** Injects the fault, waits, and removes it again. */
  strike(isLong: boolean): Promise<void>;
  /** Whether it can outlast the timeouts. */
  readonly canBeLong: boolean;
}

export interface Faults {
  readonly databaseUrl: string;
  readonly faults: readonly Fault[];
  /** Reads continue to be served, and /readyz says so. */
  readonly doReadsGoOn: boolean;
  /** The maximum response time according to the documentation, with some margin for a busy machine. */
  readonly maxAnswerMs: number;
  /** Figures that only this engine has. */
  figures(): Figures;
}
