import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { VoiceAgents } from '../../../sdk/src/index.ts';
import { connectMcp } from '../../mcp/support/mcp-client.ts';
import { useStartedService } from '../../sdk/support/started-service.ts';
import { eventReceiver } from './receiving.ts';

/** What clients of MCP accept as the result of a tool. */
const maxResultBytes = 60_000;

describe('the webhook tool of voice-agents mcp', () => {
  const service = useStartedService();

  it('reads what was sent to a webhook, and what it answered', async (context) => {
    const key = await service.newKey();
    const client = new VoiceAgents({ apiKey: key, baseUrl: service.url });
    const receiver = await eventReceiver((response) => void response.writeHead(503).end('deploying'));
    const { id } = await client.webhooks.create({ url: receiver.url, events: ['call_ended'] });
    const { deliveryId } = await client.webhooks.test(id, { type: 'call_ended' });
    const mcp = await connectMcp(context, { key, baseUrl: service.url });
    const { deliveries, nextCursor } = await mcp.get('list_webhook_deliveries', { id, status: ['failed'] });
    assert.deepEqual([deliveries.length, nextCursor], [1, null]);
    const [{ attempts, ...delivery }] = deliveries;
    assert.deepEqual([delivery.id, delivery.status, delivery.reason], [deliveryId, 'failed', 'not_retried']);
    assert.deepEqual([attempts[0].statusCode, attempts[0].responseBody], [503, 'deploying']);
    assert.deepEqual((await mcp.get('list_webhook_deliveries', { id, status: ['pending'] })).deliveries, []);
    const other = await connectMcp(context, { key: await service.newKey(), baseUrl: service.url });
    assert.match(await other.refusal('list_webhook_deliveries', { id }), /404 NOT_FOUND/);
  });

  it('returns no more than clients accept, and leaves out no delivery', async (context) => {
    const key = await service.newKey();
    const client = new VoiceAgents({ apiKey: key, baseUrl: service.url });
    const receiver = await eventReceiver((response) => void response.end('ok'.repeat(2000)));
    const { id } = await client.webhooks.create({ url: `${receiver.url}?${'予'.repeat(2000)}`, events: ['*'] });
    const made: string[] = [];
    for (let count = 0; count < 20; count += 1) made.unshift((await client.webhooks.test(id)).deliveryId);
    const mcp = await connectMcp(context, { key, baseUrl: service.url });
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await mcp.get('list_webhook_deliveries', { id, ...(cursor === null ? {} : { cursor }) });
      assert.ok(Buffer.byteLength(JSON.stringify(page)) <= maxResultBytes);
      found.push(...page.deliveries.map((delivery: { id: string }) => delivery.id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    assert.deepEqual(found, made);
  });
});
