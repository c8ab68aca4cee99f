import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { VoiceAgents } from '../../../sdk/src/index.ts';
import type { Fault } from '../../sdk/support/fault-proxy.ts';
import { useStartedService } from '../../sdk/support/started-service.ts';

describe('client.events.follow', () => {
  const service = useStartedService();
  const publish = async (client: VoiceAgents, name: string): Promise<string> => {
    const { id } = await client.agents.create({ name, voiceId: 'ja-JP-Nanami' });
    await client.agents.publish(id);
    return id;
  };

  it('misses no event and gets none twice, through broken connections and in a second run', async (context) => {
    const { client, proxy } = await service.newClientBehindProxy(context);
    const made = [await publish(client, 'One'), await publish(client, 'Two')];
    const faulty: (Fault | null)[] = [
      'unseen drop',
      'truncated',
      '503 after it was done',
      null,
      'unseen 429',
      'drop before the answer',
    ];
    proxy.decide = ({ url }) => (url?.startsWith('/api/v1/events') ? (faulty.shift() ?? null) : null);
    const first = client.events.follow({ type: ['agent_published'], waitSeconds: 5 });
    const seen: string[] = [];
    for await (const event of first) {
      assert.equal(event.type, 'agent_published');
      seen.push(event.subject.id);
      if (seen.length === 2) made.push(await publish(client, 'Three'));
      if (seen.length === 3) made.push(await publish(client, 'Four'));
      if (seen.length === 4) break;
    }
    assert.deepEqual(seen, made);
    assert.equal(faulty.length, 0);
    // The last page was still being processed: its events come again, and no earlier ones.
    made.push(await publish(client, 'Five'));
    const again: string[] = [];
    for await (const { subject } of client.events.follow({ cursor: first.cursor, waitSeconds: 5 })) {
      again.push(subject.id);
      if (again.length === 2) break;
    }
    assert.deepEqual(again, made.slice(3));
  });

  it('ends with its signal, and with a key that is not accepted', async (context) => {
    const { client } = await service.newClientBehindProxy(context);
    const stop = new AbortController();
    const waiting = (async () => {
      for await (const _ of client.events.follow({ signal: stop.signal })) assert.fail('there is no event');
    })();
    stop.abort();
    await assert.rejects(waiting, /abort/i);
    const stranger = await service.newClient({ apiKey: `vak_${'x'.repeat(40)}` });
    await assert.rejects(async () => {
      for await (const _ of stranger.events.follow()) assert.fail('there is no event');
    }, /401|UNAUTHORIZED|API key/i);
  });
});
