import type { Logger } from 'pino';
import type { Area, Kernel } from './areas/area.ts';
import type { CallSettings, Calls } from './areas/calls/area.ts';
import type { LocalCarrierHost } from './areas/phone/local-carrier.ts';
import type { OperatorAccounts } from './areas/providers/accounts/workspace-providers.ts';
import type { SenderSettings } from './areas/webhooks/sender.ts';
import type { WorkflowSettings } from './areas/workflows/area.ts';
import type { EmbeddingsConfig, Limits, RateLimit, Timeouts } from './config.ts';
import type { BucketConfig } from './config-media.ts';
import type { Sealer } from './core/sealer.ts';
import type { RateLimits } from './http/admission/rate-limits.ts';
import type { Lifecycle } from './http/shutdown.ts';
import type { JobKind } from './jobs/kind.ts';
import type { Database } from './storage/database.ts';
import type { Tracing } from './tracing/tracing.ts';
import type { SpeechRegistry } from './voice/providers/registry.ts';
import type { PoolLimits } from './workers/pool.ts';

/** What the service is built from. */
export interface AppParts {
  readonly database: Database;
  readonly logger: Logger;
  /** The stream that the logger writes to. */
  readonly logStream: { write(line: string): unknown; readonly droppedLines: number };
  readonly rateLimit: RateLimit | null;
  /** The limits that operations have in addition, by the name in the operation table. */
  readonly rateLimits: RateLimits;
  readonly sealer: Sealer;
  readonly mediaFolder: string;
  /** Where media files are instead; the folder is then for those that are not complete yet. */
  readonly mediaBucket?: BucketConfig | null;
  /** Networks that partners' addresses may point to although they are not public, in CIDR notation. */
  readonly allowedNetworks: readonly string[];
  readonly eventRetentionDays: number;
  /** `http://host:port` of the proxy for connections to partners' addresses. */
  readonly outboundProxy?: string | null;
  readonly calls: CallSettings;
  /** Where requests to Twilio go. */
  readonly twilioUrl?: string;
  /** The carrier behind provider `test`; without it, this process runs its own. */
  readonly localCarrier?: LocalCarrierHost;
  /** What recognizes speech and speaks, as the operator has connected it. The app closes it. */
  readonly speech: SpeechRegistry;
  /** The accounts behind the operator's language model, speech and embeddings, which are verified. */
  readonly operatorAccounts?: OperatorAccounts;
  /** False: workspaces without credentials of their own do not use those of the operator. */
  readonly sharesProviders?: boolean;
  /** The operator's provider of embeddings, which knowledge bases use if they may. */
  readonly embeddings?: EmbeddingsConfig | null;
  /** The memory for knowledge bases in use. */
  readonly knowledgeMemoryMb?: number;
  /** How deliveries to webhooks are claimed, for tests and campaigns. Null: nothing is sent. */
  readonly webhookSending?: Partial<SenderSettings> | null;
  /** How runs of workflows are claimed, for tests and campaigns. Null: this process takes no steps. */
  readonly workflowRunning?: WorkflowSettings['running'];
  /** For tests. */
  readonly workflows?: Pick<WorkflowSettings, 'random' | 'maxOpenRuns'>;
  /** How often deleted content is removed from the log of the database. */
  readonly emptyLogMs?: number;
  /** How long a lost process keeps the jobs, replies, deliveries and Idempotency-Keys that it was working on. */
  readonly leaseMs?: number;
  /** The networks of proxies whose `X-Forwarded-For` is believed, in CIDR notation. None by default. */
  readonly trustedProxies?: readonly string[];
  readonly lifecycle?: Lifecycle;
  /** One of several processes on one port; rate limits and metrics are shared between them. */
  readonly isWorker?: boolean;
  /** False: searches do not use the name index, and none is built. */
  readonly hasNameIndex?: boolean;
  readonly now?: () => number;
  readonly timeouts?: Partial<Timeouts>;
  readonly limits?: Partial<Limits>;
  readonly simulations?: Partial<PoolLimits>;
  /** False: every read goes to the database. The responses are the same. */
  readonly hasReadCache?: boolean;
  /** Additional areas, for tests. */
  readonly otherAreas?: (kernel: Kernel, phone: Calls['phone']) => readonly Area[];
  /** Kinds of jobs besides those of the areas: for tests and the benchmark. */
  readonly otherJobs?: (kernel: Kernel) => readonly JobKind[];
  /** Where traces of calls go. The app closes it. Null: calls are not traced. */
  readonly tracing?: Tracing | null;
}
