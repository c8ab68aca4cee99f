import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createDeliveryStore, type WebhookKey } from '../../../src/areas/webhooks/delivery-store.ts';
import { DueSources } from '../../../src/jobs/due-sources.ts';
import { SourceSlots } from '../../../src/jobs/source-slots.ts';
import { SeededRandom } from '../../../src/voice/simulation/random.ts';
import { onEachEngine, sqliteEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { explaining } from '../../support/query-plans.ts';
import { seed } from '../../support/seed.ts';
import { eventReceiver, newWorkspace, startSendingService } from './receiving.ts';
import { addWebhook, callEvent, type EventService, useEventService } from './support.ts';

interface AgentWithWebhook {
  readonly workspaceId: string;
  readonly id: string;
  readonly url: string;
}

/** Writes events for the webhooks of these agents, all in one transaction. */
async function writeForAgents(
  { database, kernel, webhooks }: EventService,
  agents: readonly AgentWithWebhook[],
  count: number,
): Promise<void> {
  await database.transaction(async (queries) => {
    for (let index = 0; index < count; index += 1) {
      for (const { workspaceId, id, url } of agents) {
        const agentWebhook = { url, events: ['call_ended'] };
        const subjectId = kernel.newId('call');
        await webhooks.events.write(queries, callEvent(workspaceId, { subjectId, agentId: id, agentWebhook }));
      }
    }
  });
}

/** Adds as many deliveries of the same events: faster than that many events. */
async function addCopies({ database }: EventService, workspaceId: string, count: number): Promise<void> {
  const columns = 'workspace_id, webhook_id, event_id, event_type, subject_id, sequence, url, created_at';
  const copies = Array.from({ length: count }, (_, index) => `('_${index}')`).join(', ');
  await database.run(
    `INSERT INTO deliveries (id, ${columns}, status, triggered_by, attempt, next_attempt_at)
      SELECT id || column1, ${columns}, 'pending', 'replay', 0, created_at
      FROM deliveries CROSS JOIN (VALUES ${copies}) AS copies WHERE workspace_id = $1`,
    [workspaceId],
  );
}

async function agentsWith(
  service: EventService,
  workspaceId: string,
  urls: readonly string[],
): Promise<AgentWithWebhook[]> {
  const agents = urls.map((url) => ({ workspaceId, id: service.kernel.newId('agt'), url }));
  for (const { id, url } of agents) await addWebhook(service, workspaceId, { kind: 'agent', agentId: id, url });
  return agents;
}

onEachEngine('deliveries of several workspaces', (engine) => {
  it('do not wait for 110 webhooks whose receiver hangs, in another workspace or in their own', async (context) => {
    const service = await startSendingService(engine, {
      webhookSending: { pollMs: 20, timeoutMs: 600_000, drainMs: 0 },
    });
    context.after(() => service.close());
    const hanging = await eventReceiver(() => {});
    const good = await eventReceiver();
    const hostile = await newWorkspace(service);
    const agents = await agentsWith(service, hostile.workspaceId, Array(110).fill(hanging.url));
    await writeForAgents(service, agents, 1);
    await addCopies(service, hostile.workspaceId, 10);
    // 500 for the workspace, of which a few are left for webhooks that have none.
    await eventually(() => hanging.requests.length >= 490, 'the slots of the workspace to be in use');

    const other = await newWorkspace(service);
    const own = await agentsWith(service, hostile.workspaceId, Array(1).fill(good.url));
    const others = await agentsWith(service, other.workspaceId, Array(3).fill(good.url));
    await writeForAgents(service, others, 5);
    await eventually(() => good.requests.length === 15, 'the deliveries of the other workspace');
    await writeForAgents(service, own, 5);
    await eventually(() => good.requests.length === 20, 'the deliveries of the good webhook');
    // All of them are still open.
    assert.equal(hanging.maxInFlight(), hanging.requests.length);
    assert.ok(hanging.maxInFlight() <= 500, String(hanging.maxInFlight()));
  });

  it('never exceed the limits, with failures and lost leases, and lose no slot', async (context) => {
    const inFlight = { total: 12, perWorkspace: 6, perSource: 3 };
    const service = await startSendingService(engine, {
      webhookSending: {
        inFlight,
        pollMs: 20,
        timeoutMs: 600_000,
        drainMs: 0,
        failingPerSecond: 10_000,
        retryDelaysMs: Array(20).fill(10),
      },
    });
    context.after(() => service.close());
    const random = new SeededRandom(seed);
    const open = new Map<string, number>();
    const most = { total: 0, perWorkspace: 0, perSource: 0 };
    const count = (name: string, limit: keyof typeof most, by: number): void => {
      open.set(name, (open.get(name) ?? 0) + by);
      most[limit] = Math.max(most[limit], open.get(name) as number);
    };
    let isHanging = false;
    const receiver = await eventReceiver(async (response, { path }) => {
      const [, , workspace, webhook] = path.split('/');
      const change = (by: number): void => {
        count('all', 'total', by);
        count(`${workspace}`, 'perWorkspace', by);
        count(`${workspace}/${webhook}`, 'perSource', by);
      };
      change(1);
      response.once('close', () => change(-1));
      if (isHanging) return;
      await delay(random.integer(0, 20));
      if (random.chance(0.2)) response.destroy();
      else response.writeHead(random.chance(0.2) ? 500 : 200).end();
    });
    const workspaces = await Promise.all(Array.from({ length: 4 }, () => newWorkspace(service)));
    const agents: AgentWithWebhook[] = [];
    for (const { workspaceId } of workspaces) {
      const urls = Array.from({ length: 4 }, (_, index) => `${receiver.url}/${workspaceId}/${index}`);
      agents.push(...(await agentsWith(service, workspaceId, urls)));
    }
    await writeForAgents(service, agents, 5);
    const left = async (): Promise<number> => {
      const sql = "SELECT count(*) AS count FROM deliveries WHERE status = 'pending'";
      return Number((await service.database.get<{ count: number }>(sql))?.count);
    };
    await eventually(async () => {
      // All leases have ended: the process claims again what it is sending.
      service.advance(120_000);
      return (await left()) === 0;
    }, 'all deliveries');

    isHanging = true;
    await writeForAgents(service, agents, 3);
    // Two are left for another workspace.
    await eventually(() => open.get('all') === 10, 'all slots to be in use again');
    const late = await newWorkspace(service);
    const lateAgents = await agentsWith(service, late.workspaceId, [`${receiver.url}/${late.workspaceId}/0`]);
    await writeForAgents(service, lateAgents, 3);
    await eventually(() => open.get(late.workspaceId) === 1, 'a slot for it');
    assert.ok(most.total <= inFlight.total, `${most.total} in total`);
    assert.ok(most.perWorkspace <= inFlight.perWorkspace, `${most.perWorkspace} of a workspace`);
    assert.ok(most.perSource <= inFlight.perSource, `${most.perSource} of a webhook`);
  });
});

onEachEngine('a listing of webhooks that have something to send', (engine) => {
  // The service sends nothing that it has not written itself.
  const service = useEventService(engine, { webhookSending: { pollMs: 2 ** 31 - 1 } });

  it('has some of each workspace, and all of them after a few listings', async () => {
    const store = createDeliveryStore(service.database, Date.now, undefined);
    const [many, few] = [await newWorkspace(service), await newWorkspace(service)];
    const url = 'https://example.com/';
    const agents = await agentsWith(service, many.workspaceId, Array(20).fill(url));
    const others = await agentsWith(service, few.workspaceId, Array(2).fill(url));
    await writeForAgents(service, [...agents, ...others], 2);
    // The clock of the database may be a moment behind.
    await service.database.run('UPDATE deliveries SET next_attempt_at = 0');
    const due = new DueSources(service.database, store.leases, 'webhook_id', 3);
    const found = new Set<string>();
    for (let count = 0; count < 6; count += 1) {
      const { due: listed, hasMore } = await due.list();
      const ids = listed.map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
      assert.equal(listed.filter(({ workspaceId }) => workspaceId === few.workspaceId).length, 2);
      assert.ok(ids.length <= 8);
      assert.equal(hasMore, count < 5);
      for (const id of ids) found.add(id);
    }
    assert.equal(found.size, 22);
    // What is not due is not listed, and is no end of the listing either.
    await service.database.run(
      'UPDATE deliveries SET next_attempt_at = $2 WHERE workspace_id = $1 AND webhook_id < $3',
      [many.workspaceId, Date.now() + 3_600_000, [...found].sort().at(15) as string],
    );
    const later = new Set<string>();
    for (let hasMore = true; hasMore; ) {
      const listing = await due.list();
      for (const { workspaceId, id } of listing.due) if (workspaceId === many.workspaceId) later.add(id);
      hasMore = listing.hasMore;
    }
    assert.ok(later.size > 0 && later.size <= 7, String(later.size));
  });
});

describe('a claim of deliveries', () => {
  const service = useEventService(sqliteEngine());

  it('looks only at what it claims, however much is due', async () => {
    const { database, queries, steps } = explaining(service.database);
    const store = createDeliveryStore(service.database, Date.now, undefined);
    await new DueSources(database, store.leases, 'webhook_id').list();
    await store.claim(queries, { workspaceId: 'w', id: 'h' }, { owner: 'o', leaseMs: 1, limit: 10 });
    const searches = steps.filter((step) => /^SEARCH (deliveries|earlier) /.test(step));
    assert.ok(searches.includes('SEARCH earlier USING INDEX deliveries_by_subject (workspace_id=? AND subject_id=?)'));
    const due = 'deliveries_due (workspace_id=? AND webhook_id=? AND <expr><?)';
    assert.equal(searches.filter((step) => step === `SEARCH deliveries USING INDEX ${due}`).length, 2);
    // The first entry of the index, and nothing after it.
    assert.deepEqual(
      steps.filter((step) => /^SCAN (?!found|due)|TEMP B-TREE/.test(step)),
      ['SCAN deliveries USING COVERING INDEX deliveries_due'],
    );
  });
});

describe('slots for sending', () => {
  const limits = { total: 100, perWorkspace: 50, perSource: 10 };
  const webhooksOf = (workspaceId: string, count: number): WebhookKey[] =>
    Array.from({ length: count }, (_, index) => ({ workspaceId, id: `${workspaceId}${index}` }));
  const sum = (shares: ReturnType<SourceSlots['reserve']>, workspaceId: string): number =>
    shares.filter(({ source }) => source.workspaceId === workspaceId).reduce((total, { limit }) => total + limit, 0);

  it('begin with a webhook of each workspace', () => {
    const slots = new SourceSlots(limits);
    const shares = slots.reserve([...webhooksOf('a', 20), ...webhooksOf('b', 1), ...webhooksOf('c', 2)]);
    assert.deepEqual(
      shares.slice(0, 5).map(({ source }) => source.id),
      ['a0', 'b0', 'c0', 'a1', 'c1'],
    );
  });

  it('are left for workspaces and webhooks that come later, however many wait for one', () => {
    const slots = new SourceSlots(limits);
    assert.equal(sum(slots.reserve(webhooksOf('a', 200)), 'a'), 50);
    assert.equal(sum(slots.reserve(webhooksOf('b', 200)), 'b'), 25);
    assert.equal(sum(slots.reserve(webhooksOf('c', 1)), 'c'), 10);
    assert.deepEqual(slots.reserve(webhooksOf('a', 200)), []);
    const few = new SourceSlots(limits);
    assert.equal(sum(few.reserve(webhooksOf('a', 7)), 'a'), 44);
    assert.deepEqual(few.reserve([{ workspaceId: 'a', id: 'another' }]), [
      { source: { workspaceId: 'a', id: 'another' }, limit: 3 },
    ]);
  });

  it('are free again once they are released', () => {
    const slots = new SourceSlots(limits);
    for (const { source, limit } of slots.reserve(webhooksOf('a', 7))) slots.release(source, limit);
    assert.equal(slots.free, 100);
    assert.throws(() => slots.release({ workspaceId: 'a', id: 'a0' }), RangeError);
  });
});
