import type { Random } from './random.ts';

export type EngineName = 'sqlite' | 'postgres';
export type Figures = Readonly<Record<string, number | string>>;
type Amounts = Readonly<Record<string, number>>;

/**
 * An attack on the running service: separate processes, accessed through their ports, on their own database. It runs
 * until its amounts are reached or its time is up, and reports its findings.
 */
export interface Campaign<A extends Amounts = Amounts> {
  readonly name: string;
  /** One sentence: what is done to the service, and what must hold. */
  readonly about: string;
  /** It runs once on each of these; `both` is one run that uses both engines. */
  readonly runsOn: readonly (EngineName | 'both')[];
  /**
   * `full` is the total over all engines that a complete run must reach; `small` is for `npm run test:full` and takes a
   * few seconds per engine.
   */
  readonly amounts: { readonly full: A; readonly fullOnPostgres?: A; readonly small: A };
  /** Runs the campaign and returns its figures, in display order. */
  run(run: Run<A>): Promise<Figures>;
}

/** The environment of a campaign run. */
export interface Run<A extends Amounts = Amounts> {
  /** The engine; the first one if both are used. */
  readonly engine: EngineName;
  readonly amount: A;
  readonly seed: number;
  readonly random: Random;
  /** An empty folder that is removed at the end. */
  readonly folder: string;
  /** Creates an empty database and returns its DATABASE_URL. It is removed at the end. */
  newDatabaseUrl(engine?: EngineName): Promise<string>;
  /** True when the time is up: the campaign then finishes its current step and returns. */
  isOver(): boolean;
  /** Reports a violation. One is enough to fail the run, which continues unless that makes no sense. */
  found(what: string): void;
  /** Shows a line of progress. */
  showProgress(text: string): void;
  /** Registers a cleanup callback. They run in reverse order, also after an error; processes are ended here. */
  atEnd(callback: () => Promise<unknown> | unknown): void;
}

/** Aborts a run if continuing would only repeat the same finding. */
export class AbortedRun extends Error {
  override readonly name = 'AbortedRun';
}

export function defineCampaign<A extends Amounts>(campaign: Campaign<A>): Campaign {
  return campaign as unknown as Campaign;
}
