import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ourNumber } from '../../../campaigns/phone/settings.ts';
import { talker, talkerDigits } from '../../../campaigns/rejoin/campaign.ts';
import { type Scene, shortDigits } from './scene.ts';
import { WebCaller } from './web-caller.ts';

const chatters = 3;
const webCallers = 6;
const phoneCallers = 4;
const talkerNumbers = '+4474';
const messagesPerChat = 4;
const betweenMessagesMs = 200;
const betweenDialsMs = 4000;

/** A chat as its caller knows it: every message was answered. */
export interface Chat {
  readonly id: string;
  readonly messages: string[];
}

/** Everything that goes on while instances are replaced. */
export class Load {
  readonly chats: Chat[] = [];
  /** How long messages took that were refused or lost at least once. */
  readonly repeatedMs: number[] = [];
  readonly web: readonly WebCaller[];
  /** The numbers that were dialed once each, with their calls. */
  readonly dialed = new Map<string, string>();
  /** The calls of phones that hang up by themselves. */
  readonly shortCalls = new Set<string>();
  /** What failed for good. */
  readonly failures: string[] = [];
  /** How many phones talk all the time. */
  readonly phoneCallers: number;
  readonly #scene: Scene;
  #isOver = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor(scene: Scene, { hasPhones }: { readonly hasPhones: boolean }) {
    this.#scene = scene;
    this.phoneCallers = hasPhones ? phoneCallers : 0;
    this.web = Array.from({ length: webCallers }, (_, number) => new WebCaller(number));
  }

  /** Resolves when all phones talk, or are about to. */
  async start(): Promise<void> {
    const { client, agents, carrier, phoneNumberId } = this.#scene;
    const work = [
      ...Array.from({ length: chatters }, (_, number) => this.#chat(number)),
      ...this.web.map((caller) => caller.run(client, agents.web)),
      ...(this.phoneCallers > 0 ? [this.#dial()] : []),
    ];
    this.#running = Promise.all(
      work.map((each) => each.catch((error: Error) => void this.failures.push(error.stack ?? error.message))),
    );
    for (let index = 0; index < this.phoneCallers; index += 1) {
      const number = `${talkerNumbers}${String(index).padStart(6, '0')}${talkerDigits}`;
      if (index % 2 === 0) await carrier.callNumber({ to: ourNumber, from: number, phone: talker });
      else await this.#call(number, phoneNumberId);
    }
  }

  /** Nothing new begins. */
  stop(): void {
    this.#isOver = true;
    for (const caller of this.web) caller.hangUp();
  }

  /** Every conversation ends. */
  async end(): Promise<void> {
    this.stop();
    const cutOff = this.#scene.carrier
      .calls()
      .filter(({ from, to, endedAt }) => (from + to).includes(talkerNumbers) && endedAt !== null);
    if (cutOff.length > 0) this.failures.push(`${cutOff.length} people were cut off`);
    await this.#running;
    const { database, client } = this.#scene;
    const open = await database.all<{ id: string }>("SELECT id FROM calls WHERE type = 'phone' AND status = 'ongoing'");
    // A short call may end in between.
    for (const { id } of open)
      await client.calls.end(id).catch((error: { code?: string; message: string }) => {
        if (error.code !== 'STATE_CONFLICT') this.failures.push(error.message);
      });
  }

  async #chat(number: number): Promise<void> {
    const { client, agents, refusals } = this.#scene;
    while (!this.#isOver) {
      const { id } = await client.calls.create({ type: 'chat', agentId: agents.chat, agentVersion: 'latest' });
      const messages: string[] = [];
      this.chats.push({ id, messages });
      for (let index = 0; index < messagesPerChat; index += 1) {
        const text = `message ${index} of ${number}`;
        const idempotencyKey = randomUUID();
        const start = performance.now();
        await client.calls.messages.create(id, { text }, { idempotencyKey });
        if (refusals.keys.has(idempotencyKey)) this.repeatedMs.push(performance.now() - start);
        messages.push(text);
        await delay(betweenMessagesMs);
      }
      await client.calls.end(id);
    }
  }

  async #dial(): Promise<void> {
    for (let index = 0; !this.#isOver; index += 1) {
      const number = `+4475${String(index).padStart(6, '0')}${shortDigits}`;
      this.shortCalls.add(await this.#call(number, this.#scene.phoneNumberId));
      await delay(betweenDialsMs);
    }
  }

  async #call(to: string, fromPhoneNumberId: string): Promise<string> {
    const { client, agents } = this.#scene;
    const { id } = await client.calls.create({ type: 'phone', agentId: agents.phone, fromPhoneNumberId, to });
    this.dialed.set(to, id);
    return id;
  }
}
