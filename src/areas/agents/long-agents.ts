import { ordinaryBytes } from '../../storage/page.ts';

/** For SQLite: whether workspace $1 has a long agent before $2, by a partial index that is usually empty. */
export const hasLongAgents = `EXISTS (SELECT 1 FROM agents INDEXED BY agents_large
      WHERE workspace_id = $1 AND id < $2 AND octet_length(doc) > ${ordinaryBytes})`;
