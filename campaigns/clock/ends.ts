import { setTimeout as delay } from 'node:timers/promises';
import type { Run } from '../campaign.ts';
import type { Connection } from '../connection.ts';
import type { Random } from '../random.ts';
import type { ClockedService } from './service.ts';

const second = 1000;
const hour = 3600 * second;
const day = 24 * hour;
/** Time for the requests themselves while the clock runs. */
const roomMs = 30 * second;

interface NewKey {
  readonly id: string;
  readonly key: string;
  readonly expiresAt: string | null;
}

/** Expiry happens at the exact time of day, neither earlier nor later, however the clock got there. */
export class Ends {
  readonly #service: ClockedService;
  readonly #connection: Connection;
  readonly #key: string;
  readonly #run: Run;
  readonly #random: Random;
  #number = 0;

  constructor(service: ClockedService, connection: Connection, key: string, run: Run, random: Random) {
    this.#service = service;
    this.#connection = connection;
    this.#key = key;
    this.#run = run;
    this.#random = random;
  }

  async checkAll(): Promise<void> {
    await this.#service.set(this.#random.int(-1000, 1000) * day, this.#random.chance(0.5));
    await this.#checkExpiry();
    await this.#checkRotation();
    await this.#checkRepeats();
  }

  /** Revocation must not depend on the wall clock, which may be frozen or wrong. */
  async checkRevocation(): Promise<void> {
    const { id, key } = await this.#newKey({ scopes: ['agents:read'] });
    await this.#expect(key, 200, 'revocation: a new key');
    // A cache that expires by the wall clock would now trust the key for hours.
    await this.#service.set(this.#service.offsetMs - this.#random.int(1, 20) * hour, this.#random.chance(0.5));
    const revoked = await this.#send('POST', `/api/v1/api-keys/${id}/revoke`);
    const start = performance.now();
    if (revoked.status !== 200) this.#run.found(`revocation was answered ${revoked.status}`);
    while (performance.now() - start < second) {
      if ((await this.#use(key)) === 401) return;
      await delay(100);
    }
    await this.#expect(key, 401, 'revocation: a key, a second after it was revoked');
  }

  async #checkExpiry(): Promise<void> {
    const lifeMs = this.#random.pick([second * 100, hour, 40 * day]);
    const end = this.#service.now() + lifeMs;
    const { key } = await this.#newKey({ scopes: ['agents:read'], expiresAt: new Date(end).toISOString() });
    await this.#expect(key, 200, 'expiry: a new key');
    await this.#service.step(end - roomMs - this.#service.now());
    await this.#expect(key, 200, 'expiry: a key before its end');
    await this.#service.step(end + 1 - this.#service.now());
    await this.#expect(key, 401, 'expiry: a key at its end');
    const past = new Date(this.#service.now() - second).toISOString();
    const refused = await this.#send('POST', '/api/v1/api-keys', { scopes: ['agents:read'], expiresAt: past });
    if (refused.status !== 400) this.#run.found(`expiry: a key that ends in the past was answered ${refused.status}`);
  }

  async #checkRotation(): Promise<void> {
    const old = await this.#newKey({ scopes: ['agents:read'] });
    const graceMs = this.#random.pick([hour, day]);
    const rotation = await this.#send('POST', `/api/v1/api-keys/${old.id}/rotate`, { graceSeconds: graceMs / second });
    const rotatedAt = this.#service.now();
    const successor = rotation.json as NewKey;
    await this.#service.step(graceMs - roomMs);
    await this.#expect(old.key, 200, 'rotation: the old key in its grace');
    await this.#service.step(rotatedAt + graceMs + 1 - this.#service.now());
    await this.#expect(old.key, 401, 'rotation: the old key after its grace');
    await this.#expect(successor.key, 200, 'rotation: the successor');
  }

  async #checkRepeats(): Promise<void> {
    this.#number += 1;
    const headers = { 'Idempotency-Key': `clock-${this.#number}` };
    const create = () => this.#send('POST', '/api/v1/agents', { name: 'repeated', voiceId: 'v' }, headers);
    const first = await create();
    const madeAt = this.#service.now();
    const isRepeat = async () => (await create()).json.id === first.json.id;
    await this.#service.step(-this.#random.int(1, 500) * day);
    if (!(await isRepeat())) this.#run.found('repeats: a saved response was lost when the clock was set back');
    await this.#service.step(madeAt + day - roomMs - this.#service.now());
    if (!(await isRepeat())) this.#run.found('repeats: a saved response was lost within 24 hours');
    await this.#service.step(madeAt + day + 1 - this.#service.now());
    if (await isRepeat()) this.#run.found('repeats: a response was saved for more than 24 hours');
  }

  async #newKey(body: object): Promise<NewKey> {
    const { status, json } = await this.#send('POST', '/api/v1/api-keys', body);
    if (status !== 201) this.#run.found(`a key could not be made: ${status}`);
    return json as NewKey;
  }

  async #expect(key: string, wanted: number, what: string): Promise<void> {
    const status = await this.#use(key);
    if (status !== wanted) this.#run.found(`${what} is answered ${status}`);
  }

  async #use(key: string): Promise<number> {
    return (await this.#connection.request('GET', '/api/v1/whoami', { key })).status;
  }

  async #send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const reply = await this.#connection.request(method, path, { key: this.#key, body, headers });
    return { status: reply.status, json: JSON.parse(reply.body.toString()) };
  }
}
