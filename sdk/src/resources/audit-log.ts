import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { RequestOptions, Transport } from '../request.ts';
import type { AuditEntry, ListAuditLogQuery } from '../schema.ts';

/** Who did what, and when. */
export class AuditLog {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The changes in the workspace, newest first: await a page, or walk all of them with `for await`. */
  list(query: ListAuditLogQuery = {}, options?: RequestOptions): PagePromise<AuditEntry> {
    return this.#transport.list(path`/api/v1/audit-log`, { ...query }, options);
  }
}
