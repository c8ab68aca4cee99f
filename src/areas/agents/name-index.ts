import type { Agent } from '../../contract/agents/agent.ts';
import type { MaybePromise } from '../../core/maybe-promise.ts';
import type { Queries } from '../../storage/database.ts';
import type { Page } from '../../storage/page.ts';

/** Finds agents by a part of their name. The results are always the same as those of scanning all names. */
export interface NameIndex {
  /** Records the folded name of a new or changed agent, or null if it was deleted, in the transaction of the change. */
  note(queries: Queries, workspaceId: string, id: string, foldedName: string | null): MaybePromise<void>;
  /** The agents before `beforeId` whose folded name contains `part`, and the agent with the id `id`, newest first. */
  page(workspaceId: string, beforeId: string, limit: number, part: string, id: string): Promise<Page<Agent>>;
  /** Indexes a batch of new agents. Resolves to true if more work is pending. */
  build(): Promise<boolean>;
}
