import type { Logger } from 'pino';
import type { AreaContract } from '../contract/area.ts';
import type { Call } from '../contract/calls/call.ts';
import type { Turn } from '../contract/calls/turn.ts';
import type { AccessTokens } from '../core/access-token.ts';
import type { Sealer } from '../core/sealer.ts';
import type { MediaUrls, UploadReceiver } from '../http/media.ts';
import type { MetricSource } from '../http/metric-source.ts';
import type { AnyHandler, Handlers } from '../http/operations/handlers.ts';
import type { PlainRoute } from '../http/plain-routes.ts';
import type { SocketRoute } from '../http/sockets.ts';
import type { JobKind } from '../jobs/kind.ts';
import type { JobQueue } from '../jobs/queue.ts';
import type { ScheduledTask } from '../jobs/schedule.ts';
import type { Database, Queries } from '../storage/database.ts';
import type { StoredDocuments } from '../storage/documents/rewriting.ts';
import type { MediaStore } from '../storage/media.ts';
import type { Spool } from '../storage/open-media.ts';
import type { RemovedContent } from '../storage/removed-content.ts';

/** The services that every area is built on. */
export interface Kernel {
  readonly database: Database;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  readonly logger: Logger;
  readonly jobs: JobQueue;
  readonly removedContent: RemovedContent;
  /** Files that are too large for the database. */
  readonly media: MediaStore;
  /** For files that grow, before they are in `media`. */
  readonly spool: Spool;
  readonly mediaUrls: MediaUrls;
  /** For clients that must not have an API key. */
  readonly accessTokens: AccessTokens;
  /** Encrypts what must not be stored in the clear. */
  readonly sealer: Sealer;
}

/** What has happened to a call that is over. `call`: as it is stored afterwards; for `deleted`, as it was. */
export type SettledCall =
  /** The first, and once. `details` are read when they are asked for. */
  | { readonly what: 'ended'; readonly call: Call; readonly details: () => Promise<EndedCallDetails> }
  /** `changed`: its analysis, or a field that can be changed after the end. */
  | { readonly what: 'changed' | 'redacted' | 'deleted'; readonly call: Call };

/** What is known of the turns and tools of a call with every storage setting, in order. */
export interface EndedCallDetails {
  readonly turns: readonly Pick<Turn, 'role' | 'latency'>[];
  readonly toolResults: readonly { readonly name: string; readonly isError: boolean }[];
}

/** A call that was over when an instance of an earlier release ended or changed it, as it is now. */
export interface MissedCall {
  readonly workspaceId: string;
  readonly id: string;
  /** In milliseconds. */
  readonly createdAt: number;
  /** Null: it was deleted. */
  readonly call: Call | null;
  readonly details: () => Promise<EndedCallDetails>;
}

export type OnCallSettled = (queries: Queries, settled: SettledCall) => Promise<void>;

/** What a call that is over has cost, by the prices of its workspace. Null: there are none for its time. */
export type CostOf = (queries: Queries, call: Call) => Promise<Call['cost']>;

/** One area of the service with its routes, tasks and hooks. */
export interface Area {
  readonly contract: AreaContract;
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** Run at an interval, in the background. */
  readonly tasks?: readonly ScheduledTask[];
  /** Its tables with documents, whose older versions are rewritten in the background. */
  readonly documents?: readonly StoredDocuments[];
  /** The kinds of jobs that it runs. */
  readonly jobs?: readonly JobKind[];
  /** Paths that other systems call in their own format, with their own authentication. */
  readonly plainRoutes?: readonly PlainRoute[];
  /** Receive files that are sent to a signed URL (`mediaUrls.signUpload`), by a name that no other area has. */
  readonly uploads?: Readonly<Record<string, UploadReceiver>>;
  readonly sockets?: readonly SocketRoute[];
  readonly metrics?: readonly MetricSource[];
  /** Work of its own that runs from the start of the service to its end. `stop` finishes what is in progress. */
  readonly background?: { start(): void; stop(): Promise<void> };
  /** Called in the transaction that ends a call, and in each one that changes it later. */
  readonly onCallSettled?: OnCallSettled;
  /** Brings what it has derived from a call up to date: an earlier release did so as far as it knew. It may be called repeatedly. */
  readonly onCallMissed?: (queries: Queries, missed: MissedCall) => Promise<void>;
  /** Saves in-memory state. Runs after the last request. */
  readonly onClose?: () => Promise<void>;
}

interface AreaParts<C extends AreaContract> extends Omit<Area, 'contract' | 'handlers'> {
  readonly handlers: Handlers<C['operations'][number]>;
}

/** The compiler checks that every operation of the contract has a handler with the right response type. */
export function defineArea<C extends AreaContract>(contract: C, { handlers, ...rest }: AreaParts<C>): Area {
  return { contract, handlers: handlers as unknown as Area['handlers'], ...rest };
}
