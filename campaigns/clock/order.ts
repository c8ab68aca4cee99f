import type { Run } from '../campaign.ts';
import type { Connection } from '../connection.ts';
import type { MadeKey } from '../keys.ts';
import type { Random } from '../random.ts';

interface Agent {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A client with its own workspace, which records the responses in their order. */
export class Caller {
  readonly #connection: Connection;
  readonly #key: MadeKey;
  readonly #run: Run;
  readonly #random: Random;
  /** In order of creation. */
  #agents: Agent[] = [];
  /** Whether new ids must sort after existing ones, which holds within one process. */
  #isSameProcess = true;
  requests = 0;

  constructor(connection: Connection, key: MadeKey, run: Run, random: Random) {
    this.#connection = connection;
    this.#key = key;
    this.#run = run;
    this.#random = random;
  }

  /** The same client on another process; its agents are sorted by id, like every list. */
  after(connection: Connection): Caller {
    const next = new Caller(connection, this.#key, this.#run, this.#random);
    next.#agents = this.#agents;
    next.#isSameProcess = false;
    return next;
  }

  async act(): Promise<void> {
    const roll = this.#random.next();
    if (this.#agents.length < 3 || roll < 0.35) await this.#create();
    else if (roll < 0.7) await this.#change();
    else if (roll < 0.8) await this.#remove();
    else await this.walk(() => this.#create());
  }

  /** Walks the list; `meanwhile` runs once, between two pages. */
  async walk(meanwhile: () => Promise<void> = async () => {}): Promise<void> {
    const expected = this.#agents.map(({ id }) => id).reverse();
    const seen: string[] = [];
    let cursor = '';
    for (let page = 1; ; page += 1) {
      const path = `/api/v1/agents?limit=${this.#random.int(1, 7)}${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const { status, json } = await this.#send('GET', path);
      if (status !== 200) return this.#run.found(`order: a page got ${status}`);
      seen.push(...json.items.map(({ id }: Agent) => id));
      if (json.pagination.nextCursor === null) break;
      cursor = json.pagination.nextCursor;
      if (page === 1) await meanwhile();
    }
    const isInOrder = seen.every((id, index) => index === 0 || id < (seen[index - 1] as string));
    if (!isInOrder) this.#run.found('order: a list is not in the order of ids');
    if (this.#isSameProcess) {
      if (seen.join() !== expected.join())
        this.#run.found('order: a list is not that of what was created, newest first');
    } else if (expected.some((id) => seen.filter((other) => other === id).length !== 1)) {
      this.#run.found('order: an agent is not in a list once');
    }
  }

  async #create(): Promise<void> {
    const { status, json } = await this.#send('POST', '/api/v1/agents', { name: 'clock', voiceId: 'v' });
    if (status !== 201) return this.#run.found(`order: creating was answered ${status}`);
    if (json.updatedAt !== json.createdAt) this.#run.found('order: a new agent has another updatedAt than createdAt');
    const newest = this.#agents.at(-1);
    if (this.#isSameProcess && newest !== undefined && json.id <= newest.id)
      this.#run.found('order: a later agent has an earlier id');
    this.#agents.push(json);
  }

  async #change(): Promise<void> {
    const place = this.#random.int(0, this.#agents.length - 1);
    const agent = this.#agents[place] as Agent;
    const { status, json } = await this.#send('PATCH', `/api/v1/agents/${agent.id}`, {
      voiceId: `v${this.#random.next()}`,
    });
    if (status !== 200) return this.#run.found(`order: a change was answered ${status}`);
    if (json.createdAt !== agent.createdAt) this.#run.found('order: createdAt has changed');
    if (json.updatedAt < json.createdAt) this.#run.found('order: updatedAt is before createdAt');
    if (json.updatedAt < agent.updatedAt) this.#run.found('order: updatedAt ran backwards');
    this.#agents[place] = json;
  }

  async #remove(): Promise<void> {
    const [agent] = this.#agents.splice(this.#random.int(0, this.#agents.length - 1), 1) as [Agent];
    const { status } = await this.#send('DELETE', `/api/v1/agents/${agent.id}`);
    if (status !== 200) this.#run.found(`order: a deletion was answered ${status}`);
  }

  async #send(method: string, path: string, body?: unknown) {
    const reply = await this.#connection.request(method, path, { key: this.#key.secret, body });
    this.requests += 1;
    return { status: reply.status, json: JSON.parse(reply.body.toString()) };
  }
}
