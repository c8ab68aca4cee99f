import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import { joinedQuery, type RequestOptions, type Transport } from '../request.ts';
import type { AuditEntry, ListAuditLogQuery } from '../schema.ts';

/** The audit trail of the workspace. */
export class AuditLog {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lists the changes, newest first. Await one page, or iterate over all with `for await`. */
  list(query: ListAuditLogQuery = {}, options?: RequestOptions): PagePromise<AuditEntry> {
    return this.#transport.list(path`/api/v1/audit-log`, joinedQuery(query), options);
  }
}
