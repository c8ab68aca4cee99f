import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { Random } from '../../campaigns/random.ts';
import { VoiceAgents } from '../../sdk/src/index.ts';
import { seed } from '../support/seed.ts';
import { type Fault, faults } from './support/fault-proxy.ts';
import { collect, useStartedService } from './support/started-service.ts';

const draft = { name: 'Reception', voiceId: 'ja-JP-Nanami' };

describe('the SDK under constant faults', () => {
  const service = useStartedService();
  /** A timeout per request, so that the delays between attempts stay short. */
  const maxIssues = 2;

  it('creates exactly one agent per call, and lists each of them once', async (context) => {
    // The order of requests matters too: the same seed gives the same mixture of faults, not the same run.
    const random = new Random(seed);
    const met = new Map<string, number>();
    const key = await service.newKey();
    const options = { apiKey: key, timeout: 1000, maxRetries: 12 };
    const { client, proxy } = await service.newClientBehindProxy(context, options);
    const stormy = ({ headers, url = '' }: IncomingMessage): Fault | null => {
      const request = String(headers['idempotency-key'] ?? url);
      const before = met.get(request) ?? 0;
      if (before >= maxIssues || !random.chance(0.4)) return null;
      met.set(request, before + 1);
      return random.pick(faults);
    };
    proxy.decide = stormy;
    const names = Array.from({ length: 100 }, (_, number) => `agent ${number}`);
    const left = [...names];
    const made = new Map<string, string>();
    const creator = async () => {
      for (let name = left.pop(); name !== undefined; name = left.pop()) {
        made.set((await client.agents.create({ ...draft, name })).id, name);
      }
    };
    await Promise.all(Array.from({ length: 30 }, creator));
    assert.equal(made.size, names.length);
    const calm = new VoiceAgents({ apiKey: key, baseUrl: service.url });
    for (let number = 100; number < 200; number += 1) {
      const name = `agent ${number}`;
      names.push(name);
      made.set((await calm.agents.create({ ...draft, name })).id, name);
    }
    const walks = [25, 60, 200].map((limit) => collect(client.agents.list({ limit })));
    for (const walked of await Promise.all(walks)) {
      assert.deepEqual(walked.map(({ name }) => name).sort(), [...names].sort());
      for (const { id, name } of walked) assert.equal(made.get(id), name);
    }
    assert.ok(proxy.seen.filter(({ fault }) => fault !== null).length > names.length / 3);
  });
});
