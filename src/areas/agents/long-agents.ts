import { ordinaryBytes } from '../../storage/page.ts';

/** For SQLite: whether an agent of workspace $1 before $2 is long, by an index that is empty nearly always. */
export const hasLongAgents = `EXISTS (SELECT 1 FROM agents INDEXED BY agents_large
      WHERE workspace_id = $1 AND id < $2 AND octet_length(doc) > ${ordinaryBytes})`;
