import { createAnalysisRequests } from './areas/analysis/requests.ts';
import { createAnalysisStore } from './areas/analysis/store.ts';
import { createCosts } from './areas/analytics/prices/costs.ts';
import { createPriceStore } from './areas/analytics/prices/store.ts';
import { createAuditStore } from './areas/audit/store.ts';
import { isTerminal } from './areas/calls/record/call.ts';
import { createJournal, type Journal } from './areas/calls/record/journal.ts';
import { createPinnedAgents } from './areas/calls/record/pinned-agents.ts';
import { createCallStore } from './areas/calls/record/store.ts';
import { resetCredentials } from './areas/phone/carriers/store.ts';
import { createCredentialsStore } from './areas/providers/credentials/store.ts';
import { createSecretStore } from './areas/secrets/store.ts';
import { createEvents } from './areas/webhooks/events.ts';
import { createWebhookStore } from './areas/webhooks/store.ts';
import { withNewSecret } from './areas/webhooks/webhook.ts';
import { createIdempotencyStore } from './changes/idempotency/store.ts';
import { createIdGenerator } from './core/ids.ts';
import type { Sealer } from './core/sealer.ts';
import { newWebhookSecret } from './core/webhook-signature.ts';
import { createJobQueue } from './jobs/queue.ts';
import type { Database, Queries } from './storage/database.ts';
import type { LostValue } from './storage/lost-key.ts';

/** What a reset has replaced and removed. */
export interface Reset {
  /** Webhooks that got a new secret. */
  readonly webhooks: readonly { readonly workspaceId: string; readonly id: string; readonly url: string | null }[];
  /** Secrets that were deleted. */
  readonly secrets: readonly { readonly workspaceId: string; readonly name: string }[];
  /** Deleted credentials of workspaces at providers. */
  readonly providers: readonly { readonly workspaceId: string; readonly provider: string }[];
  /** Carriers that lost their credentials; those of test carriers were replaced. */
  readonly carriers: readonly { readonly workspaceId: string; readonly id: string }[];
  /** Calls that could not continue and were ended. */
  readonly calls: readonly { readonly workspaceId: string; readonly id: string }[];
  /** How many saved responses can no longer be repeated. */
  readonly savedResponses: number;
  /** How many jobs can no longer run. */
  readonly jobs: number;
}

interface Work {
  readonly database: Database;
  readonly queries: Queries;
  readonly sealer: Sealer;
}

type Rows = readonly LostValue['key'][];

/** Replaces or removes everything that was sealed with a lost key, in the caller's transaction. */
export async function resetLost(work: Work, lost: readonly LostValue[]): Promise<Reset> {
  const { database, queries, sealer } = work;
  const newId = createIdGenerator();
  const audit = createAuditStore(database, newId, Date.now);
  const record = (routeId: string, workspaceId: string, resourceId: string) =>
    audit.record(queries, { workspaceId, routeId, resourceId, keyId: null, requestId: null });
  const webhooks = await replaceWebhookSecrets(work, rowsOf(lost, 'webhooks'));
  for (const { workspaceId, id } of webhooks) await record('webhooks.secret.rotate', workspaceId, id);
  const secrets = await deleteSecrets(work, rowsOf(lost, 'secrets'));
  for (const { workspaceId, name } of secrets) await record('secrets.delete', workspaceId, name);
  const providers = await deleteProviderCredentials(work, rowsOf(lost, 'provider_credentials'));
  for (const { workspaceId, provider } of providers) {
    await record('providers.credentials.delete', workspaceId, provider);
  }
  const responses = rowsOf(lost, 'idempotency_keys');
  const idempotency = createIdempotencyStore(database, sealer, Date.now);
  for (const { workspace_id = '', key_hash = '' } of responses) {
    await idempotency.removeLost(queries, workspace_id, key_hash);
  }
  const carriers = rowsOf(lost, 'carriers').map(({ workspace_id: workspaceId = '', id = '' }) => ({ workspaceId, id }));
  for (const carrier of carriers) {
    await resetCredentials(database, queries, sealer, carrier);
    await record('carriers.update', carrier.workspaceId, carrier.id);
  }
  // What was to be dialed: their calls end below.
  for (const { call_id = '', leg = '' } of rowsOf(lost, 'phone_dials')) {
    await queries.write('UPDATE phone_dials SET sealed = NULL WHERE call_id = $1 AND leg = $2', [call_id, leg]);
  }
  const calls = await endCalls(work, rowsOf(lost, 'calls'));
  const jobs = rowsOf(lost, 'jobs');
  const queue = createJobQueue({ database, newId, sealer });
  for (const { id = '' } of jobs) await queue.failLost(queries, id);
  return { webhooks, secrets, providers, carriers, calls, savedResponses: responses.length, jobs: jobs.length };
}

function rowsOf(lost: readonly LostValue[], table: string): Rows {
  return lost.filter((value) => value.table === table).map(({ key }) => key);
}

async function replaceWebhookSecrets({ database, queries, sealer }: Work, rows: Rows): Promise<Reset['webhooks']> {
  const store = createWebhookStore(database, sealer);
  const replaced = new Map<string, Reset['webhooks'][number]>();
  for (const { workspace_id: workspaceId = '', id = '' } of rows) {
    const webhook = await store.find(queries, workspaceId, id);
    // A webhook may have lost two secrets.
    if (webhook === undefined || replaced.has(id)) continue;
    await store.replaceSecret(queries, withNewSecret(webhook, new Date().toISOString()), newWebhookSecret());
    replaced.set(id, { workspaceId, id, url: webhook.url });
  }
  return [...replaced.values()];
}

async function deleteSecrets({ database, queries, sealer }: Work, rows: Rows): Promise<Reset['secrets']> {
  const store = createSecretStore(database, sealer, Date.now);
  const secrets = rows.map(({ workspace_id: workspaceId = '', name = '' }) => ({ workspaceId, name }));
  for (const { workspaceId, name } of secrets) await store.remove(queries, workspaceId, name);
  return secrets;
}

async function deleteProviderCredentials({ database, queries, sealer }: Work, rows: Rows): Promise<Reset['providers']> {
  const store = createCredentialsStore(database, sealer, Date.now);
  const providers = rows.map(({ workspace_id: workspaceId = '', provider = '' }) => ({ workspaceId, provider }));
  for (const { workspaceId, provider } of providers) await store.remove(queries, workspaceId, provider);
  return providers;
}

/** Calls whose working state is lost cannot continue. They end like those of a lost process, with all their events. */
async function endCalls({ database, queries, sealer }: Work, rows: Rows): Promise<Reset['calls']> {
  const store = createCallStore(database, sealer);
  const journal = createCallJournal(database, sealer, store);
  const calls = rows.map(({ workspace_id: workspaceId = '', id = '' }) => ({ workspaceId, id }));
  for (const { workspaceId, id } of calls) {
    // First: a call cannot be read together with a state that nobody can open.
    await store.forgetState(queries, workspaceId, id);
    await endCall(journal, queries, workspaceId, id);
  }
  return calls;
}

async function endCall(journal: Journal, queries: Queries, workspaceId: string, id: string): Promise<void> {
  const locked = await journal.lock(queries, workspaceId, id);
  if (locked === undefined || isTerminal(locked.call)) return;
  // The time of its last write: nothing has happened in it since.
  const at = Date.parse(locked.call.updatedAt);
  await journal.end(queries, locked, { reason: 'server_restart', by: 'system', detail: 'the data key was lost', at });
}

function createCallJournal(database: Database, sealer: Sealer, store: ReturnType<typeof createCallStore>): Journal {
  const newId = createIdGenerator();
  const { subscribers } = createWebhookStore(database, sealer);
  const events = createEvents({
    database,
    newId,
    now: Date.now,
    clock: undefined,
    subscribers,
    transcriptOf: async () => null,
    listeners: [],
    onWritten: () => {},
  });
  const idempotency = createIdempotencyStore(database, sealer, Date.now);
  return createJournal({
    store,
    agents: createPinnedAgents(store),
    newId,
    now: Date.now,
    writeEvent: async (transaction, event) => {
      await events.write(transaction, event);
    },
    beginAnalysis: createAnalysisRequests({
      store: createAnalysisStore(database),
      jobs: createJobQueue({ database, newId, sealer }),
      newId,
      now: Date.now,
      hasModel: () => false,
    }).begin,
    removeSealedResponses: (transaction, callId) =>
      idempotency.removeContent(transaction, callId, { isDeleted: false, onlySealed: true }),
    // Nothing is analyzed before the end of a call.
    costOf: createCosts(createPriceStore(database), () => null).costOf,
    onSettled: async () => {},
    onEvents: () => {},
  });
}
