import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { eventually, gate, newChat, on, said, useModelService } from './support.ts';

onEachEngine('a call that the API controls', (engine) => {
  describe('with a test model', () => {
    const service = useService(engine);
    const started = async (options = {}) => {
      const { key } = await service.newKey();
      const chat = on(service, key, (await newChat(service, key, options)).id);
      await chat.say('Hello');
      return chat;
    };

    it('is controlled by every action, each with its event', async () => {
      const chat = await started();
      const actions = [
        { action: 'say', text: 'A colleague has joined. 担当者' },
        { action: 'say', text: 'At once.', interrupt: true },
        { action: 'add_context', text: 'x'.repeat(10_000) },
        { action: 'set_variables', variables: { a: 1 } },
        { action: 'set_variables', variables: { b: null, a: 'two' } },
        { action: 'mute_agent' },
        { action: 'unmute_agent' },
      ];
      for (const body of actions) {
        const { status, json } = await chat.control(body);
        assert.equal(status, 200, JSON.stringify(json));
        const event = (await chat.events()).find(({ sequence }) => sequence === json.sequence);
        assert.deepEqual(
          [json.callId, json.action, event?.type, event?.data],
          [chat.id, body.action, 'control_applied', { action: body.action }],
        );
      }
      assert.deepEqual((await chat.call()).collectedVariables, { a: 'two', b: null });
      const turns = await chat.turns();
      assert.deepEqual(said(turns).slice(2), [
        ['agent', 'A colleague has joined. 担当者'],
        ['agent', 'At once.'],
      ]);
      assert.deepEqual([turns[2]?.source, turns[2]?.latency, turns[2]?.index], ['control', null, 2]);
      await chat.say('Next');
      assert.deepEqual((await chat.call()).collectedVariables, { a: 'two', b: null }, 'they last');
    });

    it('takes a turn when it is told to, which arrives as events', async () => {
      const chat = await started({ model: 'test-script' });
      const { status } = await chat.control({ action: 'respond' });
      assert.equal(status, 200);
      const turns = await eventually(async () => {
        const now = await chat.turns();
        return now.length === 3 && now;
      });
      assert.deepEqual(said(turns).at(-1), ['agent', 'Which day?']);
      assert.equal(turns[2]?.latency?.e2eMs ?? null, null, 'nobody waited for it');
      assert.equal((await chat.say('Next')).status, 200);
    });

    it('is refused if it is not ongoing, and what does not exist in a chat is refused with 422', async () => {
      const { key } = await service.newKey();
      const say = { action: 'say', text: 'Hello' };
      const notOngoing = (status: string) => ({ status, allowed: ['ongoing'], reason: null });
      for (const call of [{}, { type: 'web' }]) {
        const chat = on(service, key, (await newChat(service, key, { call })).id);
        for (const body of [say, { action: 'send_dtmf', digits: '1' }]) {
          const { status, json } = await chat.control(body);
          assert.deepEqual([status, json.error.details], [409, notOngoing('registered')]);
        }
        await chat.end();
        assert.deepEqual((await chat.control(say)).json.error.details, notOngoing('not_connected'));
      }
      const chat = await started();
      for (const body of [
        { action: 'pause_recording' },
        { action: 'resume_recording' },
        { action: 'send_dtmf', digits: '1*#ADw' },
      ]) {
        const { status, json } = await chat.control(body);
        assert.deepEqual([status, Object.keys(json.error.details.fieldErrors)], [422, ['action']]);
      }
      const many = (from: number) => Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`v${from + i}`, i]));
      assert.equal((await chat.control({ action: 'set_variables', variables: many(0) })).status, 200);
      const over = await chat.control({ action: 'set_variables', variables: many(60) });
      assert.deepEqual([over.status, Object.keys(over.json.error.details.fieldErrors)], [422, ['variables']]);
      assert.equal((await chat.events()).filter(({ type }) => type === 'control_applied').length, 1);
    });

    it('validates its requests', async () => {
      const chat = await started();
      for (const [field, body] of [
        ['action', { action: 'sing' }],
        ['action', {}],
        ['text', { action: 'say' }],
        ['text', { action: 'say', text: '' }],
        ['text', { action: 'say', text: 'x'.repeat(2001) }],
        ['text', { action: 'add_context' }],
        ['text', { action: 'add_context', text: 'x'.repeat(10_001) }],
        ['variables', { action: 'set_variables' }],
        ['variables', { action: 'set_variables', variables: { list: [] } }],
        ['digits', { action: 'send_dtmf' }],
        ['digits', { action: 'send_dtmf', digits: 'x' }],
      ] as const) {
        const { status, json } = await chat.control(body);
        assert.equal(status, 400, JSON.stringify(body).slice(0, 60));
        assert.deepEqual(
          [...new Set(Object.keys(json.error.details.fieldErrors).map((name) => name.split('.')[0]))],
          [field],
        );
      }
      assert.equal((await chat.control({ action: 'say', text: '😀'.repeat(2000) })).status, 200);
    });

    it('is controlled once per Idempotency-Key', async () => {
      const chat = await started();
      const headers = { 'idempotency-key': 'say it' };
      const first = await chat.control({ action: 'say', text: 'Once.' }, headers);
      const second = await chat.control({ action: 'say', text: 'Once.' }, headers);
      assert.deepEqual(second.json, first.json);
      assert.equal((await chat.turns()).length, 3);
    });
  });

  describe('during a reply', () => {
    const { service, model } = useModelService(engine);

    for (const dataStorageSetting of ['everything', 'everything_except_pii']) {
      it(`loses nothing of it, with ${dataStorageSetting}`, async () => {
        const { key } = await service.newKey();
        const call = { dataStorageSetting };
        const agent = { prompt: 'Shop: {{shop}}.' };
        const chat = on(service, key, (await newChat(service, key, { model: 'gpt-5.4-mini', agent, call })).id);
        const held = gate();
        model.requests.length = 0;
        model.play({ text: 'Yes?', after: held.opened }, { text: 'Sure.' });
        const message = chat.say('Hello');
        await eventually(async () => model.requests.length === 1);
        for (const body of [
          { action: 'add_context', text: 'A member.' },
          { action: 'set_variables', variables: { shop: 'Ginza' } },
          { action: 'say', text: 'One moment.' },
          { action: 'mute_agent' },
          { action: 'unmute_agent' },
        ]) {
          assert.equal((await chat.control(body)).status, 200);
        }
        await chat.patch({ metadata: { seen: true } });
        held.open();
        assert.deepEqual(said((await message).json.turns), [
          ['caller', 'Hello'],
          ['agent', 'Yes?'],
        ]);
        const { collectedVariables, metadata } = await chat.call();
        assert.deepEqual([collectedVariables, metadata], [{ shop: 'Ginza' }, { seen: true }]);
        await chat.say('Next');
        const sent = model.requests.at(-1)?.body.messages as { role: string; content: string }[];
        const [system, ...history] = sent;
        assert.match(system?.content ?? '', /Shop: Ginza\./);
        assert.match(system?.content ?? '', /A member\./);
        assert.deepEqual(
          history.map(({ content }) => content),
          ['Hello', 'One moment.', 'Yes?', 'Next'],
        );
        assert.deepEqual((await chat.call()).collectedVariables, { shop: 'Ginza' });
        const turns = await chat.turns();
        assert.deepEqual(
          turns.map(({ index }) => index),
          [0, 1, 2, 3, 4],
        );
      });
    }

    it('mutes the agent from the next message on', async () => {
      const { key } = await service.newKey();
      const chat = on(service, key, (await newChat(service, key, { model: 'gpt-5.4-mini' })).id);
      const held = gate();
      model.requests.length = 0;
      model.play({ text: 'Yes?', after: held.opened });
      const message = chat.say('Hello');
      await eventually(async () => model.requests.length === 1);
      await chat.control({ action: 'mute_agent' });
      held.open();
      await message;
      assert.deepEqual(said((await chat.say('Next')).json.turns), [['caller', 'Next']]);
      assert.equal(model.requests.length, 1);
    });

    it('counts a turn that the agent could not take as a failed reply', async () => {
      const { key } = await service.newKey();
      const chat = on(service, key, (await newChat(service, key, { model: 'gpt-5.4-mini' })).id);
      model.play({ status: 400 });
      assert.equal((await chat.say('One')).status, 502);
      await eventually(async () => {
        await chat.control({ action: 'respond' });
        return (await chat.call()).status === 'error';
      });
      assert.equal((await chat.call()).endReason, 'llm_failed');
    });
  });
});
