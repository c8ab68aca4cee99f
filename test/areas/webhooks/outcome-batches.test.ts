import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { DueDelivery, WebhookKey } from '../../../src/areas/webhooks/delivery-store.ts';
import { OutcomeBatches } from '../../../src/areas/webhooks/outcome-batches.ts';
import type { EndedAttempt } from '../../../src/areas/webhooks/outcomes.ts';

const webhook: WebhookKey = { workspaceId: 'ws_1', id: 'whk_1' };
const ended = (id: string): EndedAttempt => ({
  delivery: { id, eventId: 'evt_1', attempt: 1, url: null, body: '{}' } satisfies DueDelivery,
  result: {
    startedAt: 0,
    durationMs: 1,
    url: 'https://example.com/',
    outcome: 'succeeded',
    statusCode: 200,
    responseBody: null,
    errorMessage: null,
    retryAfterMs: null,
  },
});

/** A transaction that the test ends. */
interface Transaction {
  readonly webhookId: string;
  readonly ids: readonly string[];
  readonly commit: (recorded: readonly string[]) => void;
  readonly fail: (error: Error) => void;
}

function recording() {
  const transactions: Transaction[] = [];
  const batches = new OutcomeBatches((key, attempts) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReadonlySet<string>>();
    const ids = attempts.map(({ delivery }) => delivery.id);
    transactions.push({ webhookId: key.id, ids, commit: (recorded) => resolve(new Set(recorded)), fail: reject });
    return promise;
  });
  return { transactions, batches };
}

describe('attempts that have ended', () => {
  it('are recorded in one transaction if they end together, or while an earlier one runs', async () => {
    const { transactions, batches } = recording();
    const first = ['dlv_1', 'dlv_2'].map((id) => batches.add(webhook, ended(id)));
    await nextIteration();
    const second = ['dlv_3', 'dlv_4', 'dlv_5'].map((id) => batches.add(webhook, ended(id)));
    await nextIteration();
    assert.deepEqual(
      transactions.map(({ ids }) => ids),
      [['dlv_1', 'dlv_2']],
    );
    transactions[0]?.commit(['dlv_1']);
    assert.deepEqual(await Promise.all(first), [true, false]);
    await nextIteration();
    assert.deepEqual(transactions[1]?.ids, ['dlv_3', 'dlv_4', 'dlv_5']);
    transactions[1]?.commit(['dlv_3', 'dlv_4', 'dlv_5']);
    assert.deepEqual(await Promise.all(second), [true, true, true]);
  });

  it('of one webhook do not wait for those of another', async () => {
    const { transactions, batches } = recording();
    const results = [batches.add(webhook, ended('dlv_1')), batches.add({ ...webhook, id: 'whk_2' }, ended('dlv_2'))];
    await nextIteration();
    assert.deepEqual(
      transactions.map(({ webhookId }) => webhookId),
      ['whk_1', 'whk_2'],
    );
    for (const { commit, ids } of transactions) commit(ids);
    assert.deepEqual(await Promise.all(results), [true, true]);
  });

  it('all fail with their transaction, and can be recorded again', async () => {
    const { transactions, batches } = recording();
    const failing = ['dlv_1', 'dlv_2'].map((id) => batches.add(webhook, ended(id)));
    await nextIteration();
    transactions[0]?.fail(new Error('the disk is full'));
    for (const result of failing) await assert.rejects(result, /the disk is full/);
    await nextIteration();
    const again = batches.add(webhook, ended('dlv_1'));
    await nextIteration();
    transactions[1]?.commit(['dlv_1']);
    assert.equal(await again, true);
  });
});
