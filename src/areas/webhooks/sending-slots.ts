import { FairSlots } from '../../core/fair-slots.ts';
import type { WebhookKey } from './delivery-store.ts';

export interface SendingLimits {
  readonly total: number;
  readonly perWorkspace: number;
  readonly perWebhook: number;
}

/** A webhook, and how many of its deliveries may be claimed. */
export interface Share {
  readonly webhook: WebhookKey;
  readonly limit: number;
}

/**
 * The requests that this process may have in flight. Workspaces get slots in turn, and so do the webhooks of a workspace.
 * Both leave room: receivers that hang use up neither the slots of other workspaces nor those of their own.
 */
export class SendingSlots {
  readonly #limits: SendingLimits;
  readonly #workspaces: FairSlots;
  /** By workspace, those with slots in use. */
  readonly #webhooks = new Map<string, FairSlots>();

  constructor(limits: SendingLimits) {
    this.#limits = limits;
    this.#workspaces = new FairSlots({ total: limits.total, perGroup: limits.perWorkspace, leavesRoom: true });
  }

  get free(): number {
    return this.#workspaces.free;
  }

  /** Reserves slots for webhooks that have something to send. The first shares are of as many workspaces as possible. */
  reserve(due: readonly WebhookKey[]): Share[] {
    const { perWebhook } = this.#limits;
    const byWorkspace = Map.groupBy(due, ({ workspaceId }) => workspaceId);
    const demand = new Map(
      [...byWorkspace].map(([workspaceId, webhooks]) => {
        const used = this.#webhooks.get(workspaceId);
        return [workspaceId, webhooks.reduce((sum, { id }) => sum + perWebhook - (used?.usedBy(id) ?? 0), 0)];
      }),
    );
    const shares = [...this.#workspaces.reserve(demand)].map(([workspaceId, count]) =>
      this.#shareOut(workspaceId, byWorkspace.get(workspaceId) ?? [], count),
    );
    const most = Math.max(0, ...shares.map(({ length }) => length));
    return Array.from({ length: most }, (_, index) => shares.flatMap((own) => own[index] ?? [])).flat();
  }

  release({ workspaceId, id }: WebhookKey, count = 1): void {
    const webhooks = this.#webhooks.get(workspaceId);
    webhooks?.release(id, count);
    this.#workspaces.release(workspaceId, count);
    if (webhooks?.used === 0) this.#webhooks.delete(workspaceId);
  }

  #shareOut(workspaceId: string, due: readonly WebhookKey[], count: number): Share[] {
    const { perWorkspace, perWebhook } = this.#limits;
    const webhooks =
      this.#webhooks.get(workspaceId) ?? new FairSlots({ total: perWorkspace, perGroup: perWebhook, leavesRoom: true });
    this.#webhooks.set(workspaceId, webhooks);
    const reserved = webhooks.reserve(new Map(due.map(({ id }) => [id, perWebhook])), count);
    const shares = [...reserved].map(([id, limit]) => ({ webhook: { workspaceId, id }, limit }));
    this.#workspaces.release(workspaceId, count - shares.reduce((sum, { limit }) => sum + limit, 0));
    if (webhooks.used === 0) this.#webhooks.delete(workspaceId);
    return shares;
  }
}
