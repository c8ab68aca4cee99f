import type { Agent } from '../../contract/agent.ts';
import type { Eventually } from '../../core/eventually.ts';
import type { Queries } from '../../storage/database.ts';
import type { Page } from '../../storage/page.ts';

/** Finds agents by a part of their name. Its answers are those of a look at every name, at every moment. */
export interface NameIndex {
  /** Notes the folded name of an agent, new or changed, or null where it is gone, in the transaction that did it. */
  note(queries: Queries, workspaceId: string, id: string, foldedName: string | null): Eventually<void>;
  /** The agents before `beforeId` whose folded name contains `part`, and the one whose id is `id`, newest first. */
  page(workspaceId: string, beforeId: string, limit: number, part: string, id: string): Promise<Page<Agent>>;
  /** Indexes some of what has come since. Resolves to true where more is to be done at once. */
  build(): Promise<boolean>;
}
