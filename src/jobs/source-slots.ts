import { FairSlots } from '../core/fair-slots.ts';

/** A row that has work, such as a webhook with deliveries. */
export interface Source {
  readonly workspaceId: string;
  readonly id: string;
}

export interface SourceLimits {
  readonly total: number;
  readonly perWorkspace: number;
  readonly perSource: number;
}

/** A source, and how much of its work may be claimed. */
export interface Share {
  readonly source: Source;
  readonly limit: number;
}

/**
 * What this process may run at the same time. Workspaces get slots in turn, and so do the sources of a workspace. Both
 * leave room: sources that hang use up neither the slots of other workspaces nor those of their own.
 */
export class SourceSlots {
  readonly #limits: SourceLimits;
  readonly #workspaces: FairSlots;
  /** By workspace, those with slots in use. */
  readonly #sources = new Map<string, FairSlots>();

  constructor(limits: SourceLimits) {
    this.#limits = limits;
    this.#workspaces = new FairSlots({ total: limits.total, perGroup: limits.perWorkspace, leavesRoom: true });
  }

  get free(): number {
    return this.#workspaces.free;
  }

  /** Reserves slots for sources that have something to do. The first shares are of as many workspaces as possible. */
  reserve(due: readonly Source[]): Share[] {
    const { perSource } = this.#limits;
    const byWorkspace = Map.groupBy(due, ({ workspaceId }) => workspaceId);
    const demand = new Map(
      [...byWorkspace].map(([workspaceId, sources]) => {
        const used = this.#sources.get(workspaceId);
        return [workspaceId, sources.reduce((sum, { id }) => sum + perSource - (used?.usedBy(id) ?? 0), 0)];
      }),
    );
    const shares = [...this.#workspaces.reserve(demand)].map(([workspaceId, count]) =>
      this.#shareOut(workspaceId, byWorkspace.get(workspaceId) ?? [], count),
    );
    const most = Math.max(0, ...shares.map(({ length }) => length));
    return Array.from({ length: most }, (_, index) => shares.flatMap((own) => own[index] ?? [])).flat();
  }

  release({ workspaceId, id }: Source, count = 1): void {
    const sources = this.#sources.get(workspaceId);
    sources?.release(id, count);
    this.#workspaces.release(workspaceId, count);
    if (sources?.used === 0) this.#sources.delete(workspaceId);
  }

  #shareOut(workspaceId: string, due: readonly Source[], count: number): Share[] {
    const { perWorkspace, perSource } = this.#limits;
    const sources =
      this.#sources.get(workspaceId) ?? new FairSlots({ total: perWorkspace, perGroup: perSource, leavesRoom: true });
    this.#sources.set(workspaceId, sources);
    const reserved = sources.reserve(new Map(due.map(({ id }) => [id, perSource])), count);
    const shares = [...reserved].map(([id, limit]) => ({ source: { workspaceId, id }, limit }));
    this.#workspaces.release(workspaceId, count - shares.reduce((sum, { limit }) => sum + limit, 0));
    if (sources.used === 0) this.#sources.delete(workspaceId);
    return shares;
  }
}
