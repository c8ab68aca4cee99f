import { workflowsContract } from '../../contract/workflows/index.ts';
import { packageVersion } from '../../core/package-version.ts';
import type { Guard } from '../../net/guard.ts';
import type { AllowedNetworks } from '../../net/networks.ts';
import type { Queries } from '../../storage/database.ts';
import { type Area, defineArea, type Kernel } from '../area.ts';
import { createDefinitionCheck, type DefinitionCheckParts, secretsNamedBy } from './definition/definition-check.ts';
import { createMatching } from './matching.ts';
import { createRemoval } from './removal.ts';
import { createRetention } from './retention.ts';
import { workflowRoutes } from './routes.ts';
import { createAdvancing, type WriteWorkflowEvent } from './running/advancing.ts';
import { createDestinations } from './running/destinations.ts';
import type { CallsOfRuns } from './running/execution.ts';
import { createRunning, type RunningSettings } from './running/running.ts';
import { retryDelaysMs } from './running/schedule.ts';
import type { OpenSecrets } from './running/sending.ts';
import { createCancellation } from './runs/cancellation.ts';
import { createNewRuns, maxOpenRuns } from './runs/new-runs.ts';
import { runRoutes } from './runs/routes.ts';
import { createRunStore } from './runs/store.ts';
import { triggerMatcher } from './steps/filters.ts';
import { createWorkflowStore, storedWorkflows } from './store.ts';
import { testRoutes } from './testing/routes.ts';

export interface WorkflowSettings {
  /** How long runs are kept after their end. */
  readonly retentionDays: number;
  readonly allowedNetworks: AllowedNetworks;
  /** Replaces the clock of PostgreSQL in tests. */
  readonly clock: (() => number) | undefined;
  /** False once the service is shutting down. */
  readonly mayClaim: () => boolean;
  /** Null: this process takes no steps. */
  readonly running: Partial<RunningSettings> | null;
  /** From 0 to 1, for the jitter of the schedule. */
  readonly random?: () => number;
  /** How many runs of a workspace may be open; replaced in tests. */
  readonly maxOpenRuns?: number;
}

export interface WorkflowDependencies extends Pick<DefinitionCheckParts, 'existingAgents' | 'secretHosts'> {
  readonly calls: CallsOfRuns;
  readonly secrets: OpenSecrets;
  readonly guard: Guard;
  readonly writeEvent: WriteWorkflowEvent;
  readonly forgetSubject: (queries: Queries, workspaceId: string, id: string) => Promise<void>;
}

export interface Workflows {
  readonly area: Area;
  /** To be called with every event, in its transaction. */
  readonly onEvent: ReturnType<typeof createMatching>['onEvent'];
  /** The ids of enabled workflows that use a secret, up to 20. */
  readonly usersOfSecret: (queries: Queries, workspaceId: string, name: string) => Promise<readonly string[]>;
}

const defaultRunning: RunningSettings = {
  leaseMs: 30_000,
  pollMs: 1000,
  drainMs: 1500,
  retryDelaysMs,
  failingPerSecond: 20,
  // Each can hold a request of 256 KiB.
  inFlight: { total: 1000, perWorkspace: 500, perSource: 10 },
};
const maxUsers = 20;

/** What happens after a call. */
export function createWorkflows(
  kernel: Kernel,
  settings: WorkflowSettings,
  dependencies: WorkflowDependencies,
): Workflows {
  const { database, newId, now, logger, jobs, sealer } = kernel;
  const { allowedNetworks, clock, mayClaim, random = Math.random } = settings;
  const { calls, guard, secrets, writeEvent, forgetSubject, existingAgents, secretHosts } = dependencies;
  const store = createWorkflowStore(database);
  const runs = createRunStore(database, store, now, clock);
  const newRuns = createNewRuns({ store: runs, newId, now, maxOpenRuns: settings.maxOpenRuns ?? maxOpenRuns });
  const cancellation = createCancellation(database, jobs, now);
  const checkDefinition = createDefinitionCheck({ allowedNetworks, existingAgents, secretHosts });
  const wake = (): void => running.wake();
  const lockCall = calls.lock;
  const matching = createMatching({ database, jobs, store, newRuns, lockCall, matcher: triggerMatcher, onAdded: wake });
  const runningSettings = { ...defaultRunning, ...settings.running };
  const advance = createAdvancing({
    database,
    workflows: store,
    store: runs,
    calls,
    destinations: createDestinations(sealer, now),
    writeEvent,
    now,
    random,
    retryDelaysMs: runningSettings.retryDelaysMs,
    logger,
    onDefect: ({ name, message }) =>
      logger.error({ err: { type: name, message } }, 'a step of a workflow could not be evaluated'),
  });
  const running = createRunning({
    database,
    workflows: store,
    store: runs,
    advance,
    sending: { guard, secrets, now, userAgent: `voice-agents/${packageVersion()}` },
    logger,
    mayClaim,
    settings: runningSettings,
  });
  let backlog = 0;

  const area = defineArea(workflowsContract, {
    handlers: {
      ...workflowRoutes({ database, store, checkDefinition, cancellation, forgetSubject, newId, now }),
      ...runRoutes({ database, workflows: store, store: runs, newRuns, cancellation, lockCall, onDue: wake }),
      ...testRoutes({ database, store, calls, allowedNetworks, checkDefinition, now }),
    },
    documents: storedWorkflows(database),
    jobs: [matching.kind, cancellation.kind],
    tasks: [
      {
        name: 'remove old runs of workflows',
        everyMs: 300_000,
        run: createRetention(database, now, settings.retentionDays),
      },
      {
        name: 'count runs of workflows that are due',
        everyMs: 15_000,
        run: async () => {
          backlog = await runs.backlog();
          return false;
        },
      },
    ],
    onCallSettled: createRemoval(cancellation),
    ...(settings.running === null ? {} : { background: running }),
    metrics: [
      {
        name: 'workflow_runs_total',
        type: 'counter',
        help: 'How often runs of workflows were taken up, by outcome: that of their last request, or succeeded.',
        values: () => running.counts().map(({ outcome, value }) => ({ labels: { outcome }, value })),
      },
      {
        name: 'workflow_backlog',
        type: 'gauge',
        help: 'Runs of workflows of all workspaces that were due when they were last counted, every 15 seconds.',
        values: () => [{ labels: {}, value: backlog }],
      },
    ],
  });
  return {
    area,
    onEvent: matching.onEvent,
    usersOfSecret: async (queries, workspaceId, name) => {
      const found = await store.enabledWith(queries, workspaceId, `secrets.${name}`);
      const users = found.filter((workflow) => secretsNamedBy(workflow).includes(name));
      return users.slice(0, maxUsers).map(({ id }) => id);
    },
  };
}
