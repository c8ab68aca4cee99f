import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachEngine } from '../../support/engines.ts';
import { newChat, on, said, stream, useModelService } from './support.ts';

/** More skills in a row that do not listen than a flow may run through. */
const endless = {
  skills: [
    { id: 'ask', type: 'ask', text: 'Your name?', variable: 'name', as: 'text', next: 'say_1', otherwise: 'bye' },
    ...Array.from({ length: 60 }, (_, place) => ({
      id: `say_${place + 1}`,
      type: 'say',
      text: `Line ${place + 1}.`,
      next: place === 59 ? 'bye' : `say_${place + 2}`,
    })),
    { id: 'bye', type: 'end', text: 'Goodbye.' },
  ],
};

onEachEngine('a request about a call', (engine) => {
  const { service } = useModelService(engine);

  it('that runs into a defect of a flow gets 409, and the call has ended as internal_error', async () => {
    const { key } = await service.newKey();
    const agent = {
      responseEngineType: 'conversation_flow',
      agentSettings: { flow: endless },
      beginMessage: undefined,
    };
    for (const isStreamed of [false, true]) {
      const chat = on(service, key, (await newChat(service, key, { agent })).id);
      assert.deepEqual(said((await chat.say()).json.turns), [['agent', 'Your name?']]);
      if (isStreamed) {
        const { status, events } = await stream(service, key, chat.id, 'Sato');
        const { event, data } = events.at(-1) ?? {};
        assert.deepEqual([status, event, data.error.code], [200, 'error', 'STATE_CONFLICT']);
      } else {
        const { status, json } = await chat.say('Sato', { 'idempotency-key': 'sato' });
        assert.deepEqual([status, json.error.code, json.error.details.status], [409, 'STATE_CONFLICT', 'error']);
        assert.equal((await chat.say('Sato', { 'idempotency-key': 'sato' })).status, 409);
      }
      const call = await chat.call();
      assert.deepEqual([call.status, call.endReason, call.endedBy], ['error', 'internal_error', 'system']);
      assert.deepEqual(said((await chat.turns()).slice(0, 2)), [
        ['agent', 'Your name?'],
        ['caller', 'Sato'],
      ]);
    }
  });

  it('that asks for another turn while a reply is in progress gets 409', async () => {
    const { key } = await service.newKey();
    const chat = on(service, key, (await newChat(service, key)).id);
    await chat.say('Hello');
    await service.database.run("UPDATE calls SET owner = 'own_other', lease_until = $2 WHERE id = $1", [
      chat.id,
      Date.now() + 30_000,
    ]);
    const { status, json, headers } = await chat.control({ action: 'respond' });
    assert.deepEqual([status, json.error.details.reason], [409, 'reply_in_progress']);
    const retryAfter = Number(headers.get('retry-after'));
    assert.ok(retryAfter > 1 && retryAfter <= 30, 'the rest of the lease, as its owner may be lost');
    assert.equal(
      (await chat.control({ action: 'say', text: 'One moment.' })).status,
      200,
      'other actions are possible',
    );
  });
});
