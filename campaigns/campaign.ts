import type { Random } from './random.ts';

export type EngineName = 'sqlite' | 'postgres';
export type Figures = Readonly<Record<string, number | string>>;
type Amounts = Readonly<Record<string, number>>;

/**
 * An attack on the service as it is run: started processes, reached by their ports, on a database of their own.
 * It goes on until its amounts are reached or its time is up, and tells what it found.
 */
export interface Campaign<A extends Amounts = Amounts> {
  readonly name: string;
  /** One sentence: what is done to the service, and what must hold. */
  readonly about: string;
  /** It runs once on each of these; `both` is one run that needs the two side by side. */
  readonly runsOn: readonly (EngineName | 'both')[];
  /**
   * `full` is what the runs on the engines have to reach together to count; `small` is for `npm run test:full`, a few seconds
   * on each engine.
   */
  readonly amounts: { readonly full: A; readonly fullOnPostgres?: A; readonly small: A };
  /** Does its work and answers with its figures, in the order in which they are to be read. */
  run(run: Run<A>): Promise<Figures>;
}

/** What a campaign is given. */
export interface Run<A extends Amounts = Amounts> {
  /** The engine; the first one where both are used. */
  readonly engine: EngineName;
  readonly amount: A;
  readonly seed: number;
  readonly random: Random;
  /** An empty folder, removed at the end. */
  readonly folder: string;
  /** The address of a new, empty database, as DATABASE_URL. It is gone at the end. */
  newDatabaseUrl(engine?: EngineName): Promise<string>;
  /** True when the time is up: then the campaign finishes what it is at, and answers. */
  isOver(): boolean;
  /** Something that must not be. One is enough for the run to fail; it goes on, unless that makes no sense. */
  found(what: string): void;
  /** A line of progress. */
  say(text: string): void;
  /** Called at the end, the last one first, also after a fault: processes are ended here. */
  atEnd(callback: () => Promise<unknown> | unknown): void;
}

/** Ends a run for what it found, where going on would only repeat it. */
export class Hopeless extends Error {
  override readonly name = 'Hopeless';
}

export function defineCampaign<A extends Amounts>(campaign: Campaign<A>): Campaign {
  return campaign as unknown as Campaign;
}
