import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UnprocessableError, type VoiceAgents } from '../../sdk/src/index.ts';
import { collect, useStartedService } from './support/started-service.ts';

describe('phone calls with the SDK', () => {
  const service = useStartedService();

  const prepared = async (client: VoiceAgents) => {
    const agent = await client.agents.create({ name: 'Echo', voiceId: 'slt', language: 'en', llmModel: 'test-echo' });
    await client.agents.publish(agent.id);
    const carrier = await client.carriers.create({ name: 'Test', provider: 'test' });
    const { id } = await client.phoneNumbers.import({ carrierId: carrier.id, number: '+99910000001' });
    return { agent, id };
  };

  it('wait for the checks of a number and for the end of a call', async () => {
    const client = await service.newClient();
    const { agent, id } = await prepared(client);
    const checked = await client.phoneNumbers.waitUntilChecked(id);
    assert.equal(checked.status, 'active');
    assert.ok(checked.checks.every(({ status }) => status === 'passed'));
    const busy = { type: 'phone', agentId: agent.id, fromPhoneNumberId: id, to: '+99900000002' } as const;
    await assert.rejects(client.calls.create(busy), UnprocessableError);
    await client.phoneNumbers.update(id, { outbound: { enabled: true } });
    const call = await client.calls.create(busy);
    assert.equal(call.access, null);
    const ended = await client.calls.waitUntilEnded(call.id);
    assert.deepEqual([ended.status, ended.endReason], ['not_connected', 'dial_busy']);
    const [listed] = await collect(client.calls.list({ phoneNumberId: id, to: '+99900000002' }));
    assert.equal(listed?.id, call.id);
  });

  it('stop waiting when the signal is aborted', async () => {
    const client = await service.newClient();
    const { agent, id } = await prepared(client);
    await client.phoneNumbers.waitUntilChecked(id);
    await client.phoneNumbers.update(id, { outbound: { enabled: true } });
    // It rings for 10 s.
    const ringing = { type: 'phone', agentId: agent.id, fromPhoneNumberId: id, to: '+99900000013' } as const;
    const call = await client.calls.create(ringing);
    await assert.rejects(client.calls.waitUntilEnded(call.id, { signal: AbortSignal.timeout(200) }));
    await client.calls.end(call.id);
    assert.notEqual((await client.calls.waitUntilEnded(call.id)).endedAt, null);
  });

  it('iterate over the do-not-call list', async () => {
    const client = await service.newClient();
    const numbers = ['+819012345678', '+819012345679', '+819012345680'];
    assert.deepEqual(await client.doNotCall.add({ numbers }), { added: 3, known: 0 });
    const listed = await collect(client.doNotCall.list({ limit: 1, q: '+8190' }));
    assert.deepEqual(listed.map(({ number }) => number).toSorted(), numbers);
    await client.doNotCall.delete('+819012345678');
    assert.equal((await collect(client.doNotCall.list())).length, 2);
  });
});
