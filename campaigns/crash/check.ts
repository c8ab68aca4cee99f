import { agent as agentSchema } from '../../src/contract/agents/agent.ts';
import { Connection, type Reply } from '../connection.ts';
import type { Random } from '../random.ts';
import { digestOf, entryLine, issueWith, type KnownAgent, type Ledger, type Operation } from './ledger.ts';
import { commonWord, type Load, noteReply } from './load.ts';
import type { Stored } from './stored.ts';

/** The categories of findings in the figures. */
export interface Verdict {
  /** Something acknowledged is missing or different. */
  readonly lost: (what: string) => void;
  /** Something is incomplete, or was never requested. */
  readonly half: (what: string) => void;
}

/**
 * Compares the database with the responses that the client received. An operation without a response may have happened
 * or not: its audit entry decides, and everything else must agree with it. Operations that happened are recorded in the
 * ledger. Returns those that did not.
 */
export function compareStored(
  stored: Stored,
  ledger: Ledger,
  inFlight: readonly Operation[],
  verdict: Verdict,
): Operation[] {
  const notDone = inFlight.filter((operation) => !settle(operation, stored, ledger, verdict));
  compareAgents(stored, ledger, notDone, verdict);
  compareEntries(stored, ledger, verdict);
  compareSavedResponses(stored, ledger, verdict);
  return notDone;
}

/** Records an operation that happened without a response; false if it did not happen. */
function settle(operation: Operation, stored: Stored, ledger: Ledger, { half }: Verdict): boolean {
  const { routeId, target, outcome } = operation;
  const start = `${operation.requestId} ${routeId} `;
  const touched = stored.entries.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length));
  if (touched.length === 0) return false;
  const id = outcome.kind === 'made' ? touched.find((other) => other !== target?.id) : target?.id;
  if (id === undefined) {
    half(`${routeId}: an audit entry tells of no agent`);
    return true;
  }
  const found = stored.agents.get(id);
  if (outcome.kind === 'gone') {
    ledger.note(operation, id, { body: JSON.stringify({ id, deleted: true }), etag: null });
    return true;
  }
  if (found === undefined) {
    half(`${routeId}: there is an audit entry, and no agent`);
    return true;
  }
  const issue = issueWith(operation, found.document);
  if (issue !== null) half(`${routeId}: there is an audit entry, and the agent ${issue}`);
  ledger.note(operation, id, { body: found.document, etag: found.etag });
  return true;
}

function compareAgents(stored: Stored, ledger: Ledger, notDone: readonly Operation[], { lost, half }: Verdict): void {
  const notDoneByTarget = new Map(notDone.map((operation) => [operation.target?.id, operation]));
  for (const [id, { document, etag, older }] of ledger.agents) {
    const found = stored.agents.get(id);
    const left = notDoneByTarget.get(id);
    if (found === undefined && left?.outcome.kind === 'gone') half('an agent is gone without an audit entry');
    else if (found === undefined) lost('an agent is gone');
    else if (found.document !== document && left !== undefined && issueWith(left, found.document) === null)
      half('a change is there without its audit entry');
    else if (found.document !== document) lost('an agent is not as it was acknowledged');
    else if (found.etag !== etag) lost('an agent has another ETag than was acknowledged');
    else {
      const { version, isPublished } = JSON.parse(document);
      if (found.version !== version || found.isPublished !== isPublished)
        half('the columns of an agent do not say what its document says');
    }
    for (const [number, before] of older)
      if (stored.versions.get(`${id} ${number}`) !== before) lost('an older version is gone or is not as it was');
  }
  for (const id of stored.agents.keys()) if (!ledger.agents.has(id)) half('there is an agent that nobody made');
  for (const name of stored.versions.keys()) {
    const [id = '', number] = name.split(' ');
    if (!ledger.agents.get(id)?.older.has(Number(number))) half('there is a version that nobody made');
  }
}

function compareEntries(stored: Stored, ledger: Ledger, { lost, half }: Verdict): void {
  const found = new Set(stored.entries);
  if (found.size !== stored.entries.length) half('an audit entry is there twice');
  for (const line of ledger.entries) if (!found.has(line)) lost(`no audit entry of ${line.split(' ')[1]}`);
  for (const line of found)
    if (!ledger.entries.has(line)) half(`an audit entry of ${line.split(' ')[1]} without its effect`);
}

function compareSavedResponses(stored: Stored, ledger: Ledger, { lost, half }: Verdict): void {
  for (const [digest, { body, etag }] of ledger.savedResponses) {
    const found = stored.savedResponses.get(digest);
    if (found === undefined) lost('the answer kept for repeats is gone');
    else if (found.body !== body || found.etag !== etag) lost('the answer kept for repeats is another one');
  }
  for (const digest of stored.savedResponses.keys())
    if (!ledger.savedResponses.has(digest)) half('an answer is kept of what was not done');
}

export interface HttpCheckParts {
  readonly port: number;
  readonly key: string;
  readonly ledger: Ledger;
  readonly random: Random;
  readonly newNumber: () => number;
  readonly verdict: Verdict;
  readonly found: (what: string) => void;
}

/** Checks the service over HTTP, on several connections. */
export class HttpCheck {
  readonly #parts: HttpCheckParts;

  constructor(parts: HttpCheckParts) {
    this.#parts = parts;
  }

  /** Checks what was changed, and everything that the list shows. */
  async afterKill(load: Load, notDone: readonly Operation[]): Promise<void> {
    const { ledger, random } = this.#parts;
    const answered = load.acknowledged.filter(({ repeatKey }) => repeatKey !== null);
    await this.#each(
      load.inFlight.filter(({ repeatKey }) => repeatKey !== null),
      (connection, operation) => this.#repeat(connection, operation, !notDone.includes(operation)),
    );
    await this.#each(random.shuffled(answered).slice(0, 8), (connection, operation) =>
      this.#repeat(connection, operation, true),
    );
    await this.compareList(null);
    const named = [...load.inFlight, ...random.shuffled(load.acknowledged).slice(0, 16)]
      .map(({ target }) => target)
      .filter((target) => target !== null && ledger.agents.has(target.id));
    await this.#each([...new Set(named)] as KnownAgent[], (connection, agent) => this.#compareAgent(connection, agent));
  }

  /** Checks every agent with its versions and its name. */
  async everything(): Promise<void> {
    await this.compareList(null);
    await this.compareList(commonWord);
    const all = [...this.#parts.ledger.agents.values()];
    await this.#each(all, (connection, agent) => this.#compareAgent(connection, agent));
  }

  /** Compares all pages of the list or of a search. */
  async compareList(search: string | null): Promise<void> {
    const { ledger, verdict, key } = this.#parts;
    const where = search === null ? 'the list' : 'a search';
    const left = new Map(ledger.agents);
    await this.#each([null], async (connection) => {
      let next = `/api/v1/agents?limit=200${search === null ? '' : `&q=${encodeURIComponent(search)}`}`;
      for (;;) {
        const page = parsed(await connection.request('GET', next, { key }));
        for (const item of page.items as Record<string, unknown>[]) {
          const known = left.get(String(item.id));
          left.delete(String(item.id));
          if (known === undefined) verdict.half(`${where} shows an agent that is not there`);
          else if (JSON.stringify(item) !== known.document)
            verdict.lost(`${where} does not show what was acknowledged`);
          if (!agentSchema.safeParse(item).success) verdict.half('an agent does not keep to the schema');
        }
        const cursor = (page.pagination as { nextCursor: string | null }).nextCursor;
        if (cursor === null) break;
        next = `/api/v1/agents?limit=200&cursor=${encodeURIComponent(cursor)}`;
      }
    });
    if (left.size > 0) verdict.lost(`${where} does not show an agent`);
  }

  async #compareAgent(connection: Connection, agent: KnownAgent): Promise<void> {
    const { verdict, key, ledger } = this.#parts;
    const { id, document, etag, older } = agent;
    const read = await connection.request('GET', `/api/v1/agents/${id}`, { key });
    if (read.body.toString() !== document || read.headers.get('etag') !== etag)
      verdict.lost('a read does not show what was acknowledged');
    const versions = parsed(await connection.request('GET', `/api/v1/agents/${id}/versions?limit=200`, { key }));
    const expected = [document, ...[...older.entries()].sort(([a], [b]) => b - a).map(([, text]) => text)].slice(
      0,
      200,
    );
    const shown = (versions.items as unknown[]).map((item) => JSON.stringify(item));
    if (shown.join('\n') !== expected.join('\n')) verdict.lost('the versions are not those that were acknowledged');
    const { name } = JSON.parse(document) as { name: string };
    const hits = parsed(await connection.request('GET', `/api/v1/agents?q=${encodeURIComponent(name)}`, { key }));
    const ids = (hits.items as { id: string }[]).map((item) => item.id);
    if (ids.length !== 1 || ids[0] !== id) verdict.lost('an agent is not found by its name');
    const trail = parsed(await connection.request('GET', `/api/v1/audit-log?limit=200&resourceId=${id}`, { key }));
    const entries = trail.items as { requestId: string; routeId: string }[];
    if (!entries.every((entry) => ledger.entries.has(entryLine(entry.requestId, entry.routeId, id))))
      verdict.half('the audit trail of an agent tells of what was not done');
    if (entries.length !== Math.min(200, ledger.entriesOf(id)))
      verdict.lost('the audit trail of an agent lacks what was done');
  }

  /** Repeats the request: the same response if the operation had happened, its effect now if it had not. */
  async #repeat(connection: Connection, operation: Operation, isDone: boolean): Promise<void> {
    const { ledger, verdict, found } = this.#parts;
    const requestId = `again-${this.#parts.newNumber()}`;
    const headers = { ...operation.options.headers, 'x-request-id': requestId };
    const reply = await connection.request(operation.method, operation.path, { ...operation.options, headers });
    const isReplayed = reply.headers.get('idempotent-replayed') === 'true';
    if (isReplayed !== isDone) {
      verdict.half(`${operation.routeId}: its repeat was ${isReplayed ? 'answered from memory' : 'carried out'}`);
    } else if (!isDone) {
      noteReply(operation, reply, { ledger, found }, requestId);
    } else {
      const saved = ledger.savedResponses.get(digestOf(operation.repeatKey as string));
      if (reply.body.toString() !== saved?.body || (reply.headers.get('etag') ?? null) !== saved.etag)
        verdict.lost(`${operation.routeId}: its repeat has another answer`);
    }
  }

  async #each<T>(items: readonly T[], work: (connection: Connection, item: T) => Promise<void>): Promise<void> {
    const left = [...items];
    const lane = async () => {
      const connection = new Connection(this.#parts.port);
      try {
        for (let item = left.pop(); item !== undefined; item = left.pop()) await work(connection, item);
      } finally {
        connection.close();
      }
    };
    await Promise.all(Array.from({ length: Math.min(8, left.length) }, lane));
  }
}

function parsed(reply: Reply): Record<string, unknown> {
  if (reply.status !== 200) throw new Error(`a read was answered with ${reply.status}: ${reply.body}`);
  return JSON.parse(reply.body.toString());
}
