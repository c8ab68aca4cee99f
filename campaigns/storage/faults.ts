import type { Figures } from '../campaign.ts';

export type Amount = {
  readonly episodes: number;
  /** Of which this many outlast what the service itself waits for. */
  readonly long: number;
  /** 1: on PostgreSQL a server of its own, which can be stopped. */
  readonly ownServer: number;
};

/** A way to harm the storage under a running service. */
export interface Fault {
  readonly name: string;
  /** Brings it about, lets it last, and takes it away again. */
  strike(isLong: boolean): Promise<void>;
  /** Whether it can be made to last long enough. */
  readonly canBeLong: boolean;
}

export interface Faults {
  readonly databaseUrl: string;
  readonly faults: readonly Fault[];
  /** Reads are answered throughout, and readyz tells so. */
  readonly doReadsGoOn: boolean;
  /** The longest that an answer may take, by what is documented, with some room for a busy machine. */
  readonly maxAnswerMs: number;
  /** What only this engine has to tell. */
  figures(): Figures;
}
