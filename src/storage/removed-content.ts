import type { Database, Queries } from './database.ts';

/** SQLite keeps deleted content in its log until the log is emptied, which has to wait until nobody reads. */
export class RemovedContent {
  readonly #database: Database;
  // A process that was lost may not have got to it.
  #mayBeInLog = true;

  constructor(database: Database) {
    this.#database = database;
  }

  /** To be called in every transaction that removes content which must not be stored any longer. */
  removeFromLog(queries: Queries): void {
    queries.atEnd(() => {
      this.#mayBeInLog = true;
    });
  }

  /** Empties the log if it may have such content. */
  async emptyLog(): Promise<void> {
    if (!this.#mayBeInLog) return;
    this.#mayBeInLog = false;
    if (!(await this.#database.forgetDeleted())) this.#mayBeInLog = true;
  }
}
