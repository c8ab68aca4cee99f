import { FairSlots } from '../core/fair-slots.ts';
import type { JobKind } from './kind.ts';
import type { ClaimedJob, DueJobs, WantedJobs } from './queue.ts';

/** The maximum per kind and claim, so that transactions stay short. */
const maxClaim = 200;

/** The slots of each kind of job, which its workspaces get in turn. */
export class KindSlots {
  readonly #slots: ReadonlyMap<string, FairSlots>;

  constructor(kinds: readonly JobKind[]) {
    this.#slots = new Map(
      kinds.map(({ name, concurrency, concurrencyPerWorkspace }) => [
        name,
        new FairSlots({
          total: concurrency,
          perGroup: concurrencyPerWorkspace ?? concurrency,
          leavesRoom: concurrencyPerWorkspace !== undefined,
        }),
      ]),
    );
  }

  /** The kinds of which another job can start. */
  freeKinds(): string[] {
    return [...this.#slots].flatMap(([kind, { free }]) => (free > 0 ? [kind] : []));
  }

  /** Reserves slots for jobs that are due. How many of those a workspace has is only known once they are claimed. */
  reserve(due: readonly DueJobs[]): WantedJobs[] {
    const claimable = due.filter(({ dueInMs }) => dueInMs <= 0);
    return [...Map.groupBy(claimable, ({ kind }) => kind)].flatMap(([kind, groups]) => {
      const demand = new Map(groups.map(({ workspaceId }) => [workspaceId, maxClaim]));
      const reserved = this.#of(kind).reserve(demand, maxClaim);
      return [...reserved].map(([workspaceId, limit]) => ({ kind, workspaceId, limit }));
    });
  }

  /** Claims jobs for the reserved slots. Those of the claimed jobs stay in use, the others are free again. */
  async use<Result extends { readonly claimed: readonly ClaimedJob[] }>(
    wanted: readonly WantedJobs[],
    claim: () => Promise<Result>,
  ): Promise<Result> {
    let claimed: readonly ClaimedJob[] = [];
    try {
      const result = await claim();
      claimed = result.claimed;
      return result;
    } finally {
      for (const { kind, workspaceId, limit } of wanted) {
        const used = claimed.filter((job) => job.kind === kind && workspaceOf(job) === workspaceId).length;
        this.#of(kind).release(workspaceId, limit - used);
      }
    }
  }

  release(job: ClaimedJob): void {
    this.#of(job.kind).release(workspaceOf(job));
  }

  #of(kind: string): FairSlots {
    return this.#slots.get(kind) as FairSlots;
  }
}

function workspaceOf({ workspace_id: workspaceId }: ClaimedJob): string {
  return workspaceId ?? '';
}
