import { setTimeout as delay } from 'node:timers/promises';
import { isRepeatable } from '../../src/contract/operation.ts';
import { allScopes, type Scope } from '../../src/contract/scopes.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { locationOf } from '../../test/support/engines.ts';
import type { Connection, Reply, RequestOptions } from '../connection.ts';
import { makeKeys } from '../keys.ts';
import type { Random } from '../random.ts';
import {
  bodyOf,
  deadUrl,
  type Names,
  pathOf,
  type ResourceKind,
  scopesOfMadeKeys,
  spare,
  type Target,
} from './requests.ts';
import {
  documentSettled,
  type HeldResources,
  holdResources,
  json,
  newResourceFor,
  putPricesFrom,
  runSettled,
  sharedPricesFrom,
} from './resources.ts';

/** A request with an Idempotency-Key, and its response. */
export interface Repeatable {
  readonly method: string;
  readonly path: string;
  readonly options: RequestOptions;
  readonly answer: Reply;
}

/** A workspace with resources of every kind. */
export interface Tenant extends HeldResources {
  readonly workspaceId: string;
  readonly secret: string;
  /** A draft, a published agent, and one with several versions. */
  readonly agents: readonly { readonly id: string; readonly etag: string }[];
  /** An active, a rotated and a revoked key. */
  readonly keyIds: readonly string[];
  /** Chats that are over, so that they do not change. */
  readonly callIds: readonly string[];
  /** The first is paused and has deliveries; the others are those of the agents. */
  readonly webhookIds: readonly string[];
  /** The deliveries of the first webhook. */
  readonly deliveryIds: readonly string[];
  readonly eventIds: readonly string[];
  /** Those of the provider `test`, with the numbers of the first. */
  readonly carrierIds: readonly string[];
  readonly numberIds: readonly string[];
  /** On the do-not-call list. */
  readonly blockedNumbers: readonly string[];
  /** A cursor of every list, by operation id. */
  readonly cursors: ReadonlyMap<string, string>;
  readonly repeatables: readonly Repeatable[];
}

/** Publishing an agent with this address creates a webhook. It wants no events, so that attempts do not change it. */
const webhookUrl = 'https://shop.example.com/hooks';
/** Operations on webhooks of the workspace, which the others have in common with those of agents. */
const forWorkspaceWebhooks = new Set([
  'webhooks.delete',
  'webhooks.test',
  'webhooks.replay',
  'webhooks.deliveries.resend',
]);
/** A workspace can have 20. */
const maxWebhooks = 14;
const maxCarriers = 10;
/** The carrier of all numbers of a workspace. */
const ofNumbers = 'of all numbers';
/** Nobody imports it. */
const unusedNumber = '+99919999999';
const noNames: Names = {
  id: '',
  version: '1',
  deliveryId: '',
  number: unusedNumber,
  documentId: '',
  chunkId: '',
  validFrom: sharedPricesFrom,
  callId: '',
};
/** Operations on calls that are over. */
const forEnded = new Set([
  'calls.delete',
  'calls.redact',
  'calls.analysis.run',
  'calls.analysis.preview',
  'workflows.test',
]);
/** Operations on calls in which something was said. */
const forStarted = new Set(['calls.control', 'calls.analysis.run', 'calls.analysis.preview']);
/** What a workspace can have few of, with how many there are before room is made. */
const limited: Readonly<Record<string, { readonly path: string; readonly most: number }>> = {
  'workflows.create': { path: '/api/v1/workflows', most: 60 },
  'knowledgeBases.create': { path: '/api/v1/knowledge-bases', most: 60 },
  'analytics.views.create': { path: '/api/v1/analytics/views', most: 100 },
  'analytics.alerts.create': { path: '/api/v1/analytics/alerts', most: 25 },
};

export class Api {
  readonly #connection: Connection;
  readonly #key: string;
  /** Webhooks that were made for a request, the oldest first. */
  readonly #webhooks: string[] = [];
  /** Carriers and numbers that were made for a request, by their paths, the oldest first. */
  readonly #made: string[] = [];
  static #numbers = 0;
  #endedCallId: Promise<string> | undefined;

  readonly #maxMade: number;

  /** `maxMade`: of carriers and numbers that were made for requests, the last are kept. */
  constructor(connection: Connection, key: string, maxMade = 2) {
    this.#connection = connection;
    this.#key = key;
    this.#maxMade = maxMade;
  }

  /** Throws if the request fails: the setup of the campaign must succeed. */
  async must(method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
    const reply = await this.#connection.request(method, path, { key: this.#key, ...options });
    if (reply.status >= 300) throw new Error(`${method} ${path} was answered ${reply.status}: ${reply.body}`);
    return reply;
  }

  /** A new resource, in a state in which the operation succeeds. */
  async newNames({ kind, operation }: Pick<Target, 'kind' | 'operation'>): Promise<Names> {
    if (operation.id === 'webhooks.create') await this.#makeRoom();
    if (forWorkspaceWebhooks.has(operation.id)) return this.#newWebhook();
    if (kind === 'car' || operation.id === 'carriers.create') await this.#makeRoomForCarriers();
    const limit = limited[operation.id];
    if (limit !== undefined) await this.#makeRoomIn(limit);
    const number = this.newNumber(operation.id.startsWith('doNotCall.') ? '+8190' : '+9991');
    if (operation.id === 'doNotCall.delete') await this.block(number);
    const callId = operation.id === 'workflows.runs.create' ? await this.#endedCall() : '';
    const made = await newResourceFor(this, { kind, operation }, () => this.#endedCall());
    if (made !== null) {
      await this.#keepAWhile(made.path);
      return { ...noNames, number, callId, id: made.id, documentId: made.documentId ?? '' };
    }
    const id = kind === null ? '' : await this.#newResource(kind, operation.id);
    return { ...noNames, id, number, validFrom: await this.#pricesFor(operation.id) };
  }

  /** The same for all runs: they need one that is over. */
  async #endedCall(): Promise<string> {
    this.#endedCallId ??= this.newAgentId().then((agentId) => this.newCallId(agentId, true, true));
    return this.#endedCallId;
  }

  async #pricesFor(operationId: string): Promise<string> {
    if (operationId !== 'analytics.prices.delete') return sharedPricesFrom;
    Api.#numbers += 1;
    const time = new Date(Date.UTC(2020, 0, 1) + Api.#numbers * 1000).toISOString();
    await putPricesFrom(this, time);
    return time;
  }

  /** A number that nobody has used: one of provider `test`, or a mobile number of Japan. */
  newNumber(prefix: '+9991' | '+8190'): string {
    Api.#numbers += 1;
    return prefix + String((prefix === '+9991' ? 1_000_000 : 10_000_000) + Api.#numbers);
  }

  /** Puts a number on the do-not-call list. */
  async block(number: string): Promise<void> {
    await this.must('POST', '/api/v1/do-not-call', { body: { numbers: [number] } });
  }

  async newCarrierId(name: string): Promise<string> {
    return json(await this.must('POST', '/api/v1/carriers', { body: { name, provider: 'test' } })).id;
  }

  /** The carrier of all numbers of the workspace. */
  async numbersCarrierId(): Promise<string> {
    const { items } = json(await this.must('GET', `/api/v1/carriers?q=${encodeURIComponent(ofNumbers)}`));
    return items[0]?.id ?? (await this.newCarrierId(ofNumbers));
  }

  /** A number that no agent answers, after its checks. */
  async newNumberId(): Promise<string> {
    const body = { carrierId: await this.numbersCarrierId(), number: this.newNumber('+9991') };
    const { id } = json(await this.must('POST', '/api/v1/phone-numbers', { body }));
    await this.numberChecked(id);
    return id;
  }

  /** Nothing of the number changes later by itself. */
  async numberChecked(id: string): Promise<void> {
    while (json(await this.must('GET', `/api/v1/phone-numbers/${id}`)).verifiedAt === null) await delay(10);
  }

  async newKeyId(): Promise<string> {
    return json(await this.must('POST', '/api/v1/api-keys', { body: { scopes: scopesOfMadeKeys } })).id;
  }

  async newAgentId(): Promise<string> {
    const models = { llmModel: 'test-echo', postCallAnalysisModel: 'test-extract' };
    const body = { name: 'Reception', voiceId: 'voice-1', ...models, webhookUrl, webhookEvents: [] };
    return json(await this.must('POST', '/api/v1/agents', { body })).id;
  }

  async newCallId(agentId: string, isStarted: boolean, isEnded: boolean): Promise<string> {
    const body = { type: 'chat', agentId, agentVersion: 'latest' };
    const { id } = json(await this.must('POST', '/api/v1/calls', { body }));
    if (isStarted) await this.must('POST', `/api/v1/calls/${id}/messages`, { body: { text: 'Hello' } });
    if (isEnded) await this.endCall(id);
    return id;
  }

  async endCall(id: string): Promise<void> {
    await this.must('POST', `/api/v1/calls/${id}/end`);
    // Nothing of the workspace changes later by itself.
    for (;;) {
      const { items } = json(await this.must('GET', `/api/v1/calls/${id}/analyses`));
      if (!(items as { status: string }[]).some(({ status }) => status === 'pending')) return;
      await delay(10);
    }
  }

  async webhookIds(): Promise<string[]> {
    const { items } = json(await this.must('GET', '/api/v1/webhooks?limit=200'));
    return (items as { id: string }[]).map(({ id }) => id);
  }

  async deliveryIds(webhookId: string): Promise<string[]> {
    const { items } = json(await this.must('GET', `/api/v1/webhooks/${webhookId}/deliveries`));
    return (items as { id: string }[]).map(({ id }) => id);
  }

  /** A webhook of the workspace that gets the events of one agent. */
  async addWebhook(agentId: string, status: 'active' | 'paused'): Promise<string> {
    const body = { url: deadUrl, events: ['agent_published'], agentIds: [agentId] };
    const { id } = json(await this.must('POST', '/api/v1/webhooks', { body }));
    if (status === 'paused') await this.pauseWebhook(id);
    return id;
  }

  /** What is not sent yet is skipped: nothing of it changes any more. */
  async pauseWebhook(id: string): Promise<void> {
    await this.must('PATCH', `/api/v1/webhooks/${id}`, { body: { status: 'paused' } });
  }

  async #newWebhook(): Promise<Names> {
    await this.#makeRoom();
    const agentId = await this.newAgentId();
    const id = await this.addWebhook(agentId, 'active');
    this.#webhooks.push(id);
    await this.must('POST', `/api/v1/agents/${agentId}/publish`);
    const deliveryId = (await this.deliveryIds(id))[0] as string;
    return { ...noNames, id, deliveryId };
  }

  async #makeRoomIn({ path, most }: { readonly path: string; readonly most: number }): Promise<void> {
    const { items } = json(await this.must('GET', `${path}?limit=100`));
    const found = items as { id: string; name: string }[];
    if (found.length < most) return;
    await this.#delete(found.filter(({ name }) => name === spare).map(({ id }) => `${path}/${id}`));
  }

  async #makeRoomForCarriers(): Promise<void> {
    const { items } = json(await this.must('GET', '/api/v1/carriers?limit=200'));
    const found = items as { id: string; name: string }[];
    if (found.length < maxCarriers) return;
    await this.#delete(found.filter(({ name }) => name === spare).map(({ id }) => `/api/v1/carriers/${id}`));
  }

  async #keepAWhile(path: string): Promise<void> {
    this.#made.push(path);
    if (this.#made.length > this.#maxMade) await this.#delete(this.#made.splice(0, 1));
  }

  async removeMade(): Promise<void> {
    await this.#delete(this.#made.splice(0));
    await this.removeWebhooks();
  }

  /** Others do the same at the same time, with webhooks of their own. */
  async #makeRoom(): Promise<void> {
    const { items } = json(await this.must('GET', '/api/v1/webhooks?kind=workspace&limit=200'));
    const found = items as { id: string; description: string | null }[];
    if (found.length < maxWebhooks) return;
    const unused = found.filter(({ description }) => description === spare).map(({ id }) => id);
    await this.#delete(unused.map((id) => `/api/v1/webhooks/${id}`));
    await this.removeWebhooks();
  }

  /** A workspace has room for a few webhooks only, and others cannot know which of them are still needed. */
  async removeWebhooks(): Promise<void> {
    await this.#delete(this.#webhooks.splice(0).map((id) => `/api/v1/webhooks/${id}`));
  }

  /** Some are deleted already, by the operation that they were made for. */
  async #delete(paths: readonly string[]): Promise<void> {
    for (const path of paths) await this.#connection.request('DELETE', path, { key: this.#key });
  }

  async #newResource(kind: ResourceKind, operationId: string): Promise<string> {
    if (kind === 'key') return this.newKeyId();
    if (operationId === 'phoneNumbers.import') return this.numbersCarrierId();
    if (kind === 'car' || kind === 'num') {
      const id = await (kind === 'car' ? this.newCarrierId('made') : this.newNumberId());
      await this.#keepAWhile(`/api/v1/${kind === 'car' ? 'carriers' : 'phone-numbers'}/${id}`);
      return id;
    }
    const agentId = await this.newAgentId();
    if (kind === 'agt') return agentId;
    if (kind === 'call') return this.newCallId(agentId, forStarted.has(operationId), forEnded.has(operationId));
    await this.must('POST', `/api/v1/agents/${agentId}/publish`);
    const { items } = json(await this.must('GET', `/api/v1/webhooks?agentId=${agentId}`));
    return items[0].id;
  }
}

/** A key with its scopes in one workspace. */
export interface ScopedKey {
  readonly secret: string;
  readonly scopes: readonly Scope[];
}

export async function makeScopedKeys(
  databaseUrl: string,
  workspace: string,
  sets: readonly (readonly Scope[])[],
): Promise<ScopedKey[]> {
  return makeKeys(
    databaseUrl,
    sets.map((scopes) => ({ workspace, scopes })),
  );
}

/** None, all, and random ones: there are half a million. */
export function someScopeSets(count: number, random: Random): Scope[][] {
  const others = Array.from({ length: Math.max(0, count - 2) }, () => allScopes.filter(() => random.chance(0.5)));
  return [[], [...allScopes], ...others];
}

/** Keys of the workspace that ended in every possible way. */
export async function makeEndedKeys(databaseUrl: string, workspace: string) {
  const [revoked, expired] = await makeKeys(databaseUrl, [{ workspace }, { workspace }]);
  if (revoked === undefined || expired === undefined) throw new Error('the keys were not made');
  const database = openDatabase(locationOf(databaseUrl), () => {});
  try {
    await database.run('UPDATE api_keys SET revoked_at = $1 WHERE id = $2', [Date.now(), revoked.id]);
    await database.run('UPDATE api_keys SET expires_at = $1 WHERE id = $2', [Date.now() - 1, expired.id]);
  } finally {
    await database.close();
  }
  return { revoked: revoked.secret, expired: expired.secret };
}

/** Fills a workspace over HTTP with its own key; `usedKeys` are the Idempotency-Keys used for each operation. */
export async function settle(
  connection: Connection,
  targets: readonly Target[],
  key: { readonly secret: string; readonly workspaceId: string },
  mark: string,
  usedKeys: number,
): Promise<Tenant> {
  // What its kept responses are about stays.
  const api = new Api(connection, key.secret, Number.POSITIVE_INFINITY);
  const agents: { id: string; etag: string }[] = [];
  let webhookId = '';
  for (const publications of [0, 1, 3]) {
    const own = { name: `${mark} ${publications}`, prompt: `${mark} prompt`, webhookUrl, webhookEvents: [] };
    const created = await api.must('POST', '/api/v1/agents', {
      body: { ...own, voiceId: 'voice-1', llmModel: 'test-echo', postCallAnalysisModel: 'test-extract' },
    });
    const path = `/api/v1/agents/${json(created).id}`;
    // The last one has several deliveries.
    if (publications > 1) webhookId = await api.addWebhook(json(created).id, 'paused');
    for (let number = 1; number <= publications; number += 1) {
      await api.must('POST', `${path}/publish`);
      if (number < publications) await api.must('PATCH', path, { body: { voiceId: `voice-${number + 1}` } });
    }
    const { headers, body } = await api.must('GET', path);
    agents.push({ id: JSON.parse(body.toString()).id, etag: headers.get('etag') as string });
  }
  const keyIds: string[] = [];
  for (const end of [null, 'rotate', 'revoke']) {
    const id = await api.newKeyId();
    if (end !== null) await api.must('POST', `/api/v1/api-keys/${id}/${end}`);
    keyIds.push(id);
  }
  const callIds: string[] = [];
  for (const { id } of agents) callIds.push(await api.newCallId(id, true, true));
  // A second one, so that the list of its analyses has a cursor.
  for (const id of callIds) {
    await api.must('POST', `/api/v1/calls/${id}/analysis`);
    await api.endCall(id);
  }
  const carrierIds = [await api.numbersCarrierId(), await api.newCarrierId(mark)];
  const numberIds = [await api.newNumberId(), await api.newNumberId()];
  const blockedNumbers = [api.newNumber('+8190'), api.newNumber('+8190')];
  for (const number of blockedNumbers) await api.block(number);
  const held = await holdResources(api, mark, callIds[0] as string);
  const repeatables = await useIdempotencyKeys(api, targets, usedKeys);
  const webhookIds = await api.webhookIds();
  // Otherwise attempts would change them, later.
  for (const id of webhookIds) await api.pauseWebhook(id);
  const others = webhookIds.filter((id) => id !== webhookId);
  const { items: events } = json(await api.must('GET', '/api/v1/events?limit=3'));
  const tenant = {
    ...key,
    agents,
    keyIds,
    callIds,
    webhookIds: [webhookId, ...others],
    deliveryIds: await api.deliveryIds(webhookId),
    eventIds: (events as { id: string }[]).map(({ id }) => id),
    ...{ carrierIds, numberIds, blockedNumbers },
    ...held,
  };
  return {
    ...tenant,
    repeatables,
    cursors: await collectCursors(api, targets, tenant),
  };
}

/** The same Idempotency-Key in all workspaces: it must be independent per workspace. */
export function sharedIdempotencyKey({ operation }: Target, lane: number): Record<string, string> {
  return { 'Idempotency-Key': `everybody's key ${lane} for ${operation.id}` };
}

async function useIdempotencyKeys(api: Api, targets: readonly Target[], count: number): Promise<Repeatable[]> {
  const used: Repeatable[] = [];
  for (const target of targets.filter(({ operation }) => isRepeatable(operation))) {
    const { method } = target.operation;
    for (let lane = 0; lane < count; lane += 1) {
      const names = await api.newNames(target);
      const path = pathOf(target, names);
      const options = { ...bodyOf(target, names), headers: sharedIdempotencyKey(target, lane) };
      const answer = await api.must(method, path, options);
      used.push({ method, path, options, answer });
      // Otherwise it would end by itself, later.
      if (target.kind === 'call') await api.endCall(names.id);
      if (target.operation.id === 'calls.create') await api.endCall(json(answer).id);
      if (target.kind === 'run') await runSettled(api, names.id);
      if (target.operation.id === 'workflows.runs.create') await runSettled(api, json(answer).id);
      if (target.operation.id === 'documents.create') await documentSettled(api, names.id, json(answer).id);
      if (target.operation.id === 'documents.refresh') await documentSettled(api, names.id, names.documentId);
      if (target.operation.id === 'phoneNumbers.import') await api.numberChecked(json(answer).id);
    }
  }
  return used;
}

async function collectCursors(api: Api, targets: readonly Target[], tenant: Holder): Promise<Map<string, string>> {
  const cursors = new Map<string, string>();
  for (const target of targets.filter(({ isList }) => isList)) {
    const reply = await api.must('GET', pathOf(target, namesIn(tenant, target.kind), { limit: '1' }));
    const cursor = json(reply).pagination.nextCursor;
    if (cursor === null) throw new Error(`the list of ${target.operation.id} is too short to have a cursor`);
    cursors.set(target.operation.id, cursor);
  }
  return cursors;
}

type Holder = Omit<Tenant, 'secret' | 'workspaceId' | 'cursors' | 'repeatables'>;

/** The resources of the tenant that do not change, of one kind. The agent with the most versions is the last. */
export function idsIn(holder: Holder, kind: ResourceKind): readonly string[] {
  const ids: Readonly<Record<ResourceKind, readonly string[]>> = {
    agt: holder.agents.map(({ id }) => id),
    key: holder.keyIds,
    call: holder.callIds,
    whk: holder.webhookIds,
    evt: holder.eventIds,
    car: holder.carrierIds,
    num: holder.numberIds,
    wfl: holder.workflowIds,
    run: holder.runIds,
    kb: holder.baseIds,
    viw: holder.viewIds,
    alr: holder.alertIds,
  };
  return ids[kind];
}

/** One of them: the agent with the most versions, or the active key. */
export function namesIn(holder: Holder, kind: ResourceKind | null): Names {
  const id = kind === null ? '' : (idsIn(holder, kind).at(kind === 'agt' ? -1 : 0) as string);
  const number = kind === null ? (holder.blockedNumbers[0] as string) : unusedNumber;
  return {
    ...{ id, version: '1', number },
    deliveryId: holder.deliveryIds[0] as string,
    documentId: holder.documentIds[0] as string,
    chunkId: holder.chunkIds[0] as string,
    validFrom: holder.pricesFrom[0] as string,
    callId: holder.callIds[0] as string,
  };
}
