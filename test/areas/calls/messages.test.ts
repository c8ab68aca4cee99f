import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAgent, send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { chatWith, newChat, on, said } from './support.ts';

onEachEngine('a message', (engine) => {
  const service = useService(engine);
  const conflictOf = ({ json }: { json: { error: { code: string; details: unknown } } }) => [
    json.error.code,
    json.error.details,
  ];

  it('connects the call, and returns its own turn and those that follow', async () => {
    const { key } = await service.newKey();
    const { id } = await newChat(service, key);
    const chat = on(service, key, id);
    const { status, json } = await chat.say('明日の15時に二名で予約できますか。😀');
    assert.equal(status, 200);
    assert.equal(json.status, 'ongoing');
    const [caller, agent] = json.turns;
    const { startMs, endMs, latency, ...rest } = agent;
    assert.deepEqual(caller, {
      index: 0,
      role: 'caller',
      source: null,
      text: '明日の15時に二名で予約できますか。😀',
      unspokenText: null,
      startMs: caller.startMs,
      endMs: caller.startMs,
      words: [],
      interrupted: false,
      latency: null,
      sources: [],
      toolCall: null,
    });
    assert.deepEqual(rest, {
      index: 1,
      role: 'agent',
      source: 'engine',
      text: '明日の15時に二名で予約できますか。😀',
      unspokenText: null,
      words: [],
      interrupted: false,
      sources: [],
      toolCall: null,
    });
    assert.ok(startMs >= caller.endMs && endMs >= startMs);
    assert.ok(latency.e2eMs >= 0 && latency.ownMs >= 0);
    const { endpointingMs, sttMs, ttsFirstAudioMs, knowledgeMs } = latency;
    assert.deepEqual([endpointingMs, sttMs, ttsFirstAudioMs, knowledgeMs], [null, null, null, null]);
    assert.deepEqual((await chat.transcript()).json, { callId: id, status: 'live', language: 'en', turns: json.turns });
    const call = await chat.call();
    assert.deepEqual([call.status, call.transcriptStatus, call.durationMs], ['ongoing', 'live', null]);
    assert.ok(call.startedAt !== null && call.startedAt >= call.createdAt);
    assert.deepEqual([call.latency?.turns, call.latency?.e2eMs?.count], [1, 1]);
    assert.deepEqual(
      (await chat.events()).map(({ type, sequence }) => [sequence, type]),
      [
        [1, 'state_changed'],
        [2, 'state_changed'],
        [3, 'turn_completed'],
        [4, 'turn_completed'],
      ],
    );
  });

  it('is answered after the begin message, which is turn 0', async () => {
    const { key } = await service.newKey();
    const agent = {
      beginMessage: 'Welcome to {{shop}}, {{agent_name}} speaking.',
      agentVariables: [{ name: 'shop', value: 'Ginza' }],
    };
    const { id } = await newChat(service, key, { agent, call: { variables: { shop: 'Shibuya' } } });
    const { json } = await on(service, key, id).say('Hello');
    assert.deepEqual(said(json.turns), [
      ['agent', 'Welcome to Shibuya, Reception speaking.'],
      ['caller', 'Hello'],
      ['agent', 'Hello'],
    ]);
    assert.deepEqual(
      json.turns.map(({ index, source }: { index: number; source: string }) => [index, source]),
      [
        [0, 'begin'],
        [1, null],
        [2, 'engine'],
      ],
    );
    assert.equal(json.turns[0].latency, null);
    assert.deepEqual(await on(service, key, id).turns(), json.turns);
  });

  it('without text opens the conversation, once', async () => {
    const { key } = await service.newKey();
    const greeted = on(service, key, (await newChat(service, key, { agent: { beginMessage: 'Hi.' } })).id);
    const opening = await send(service, 'POST', `${greeted.path}/messages`, { key });
    assert.deepEqual([opening.status, said(opening.json.turns)], [200, [['agent', 'Hi.']]]);
    const again = await greeted.say();
    assert.deepEqual([again.status, Object.keys(again.json.error.details.fieldErrors)], [422, ['text']]);
    const scripted = { model: 'test-script', agent: { beginMessage: undefined } };
    const written = on(service, key, (await newChat(service, key, scripted)).id);
    const turns = (await written.say()).json.turns;
    assert.deepEqual([said(turns), turns[0].source], [[['agent', 'Good morning.']], 'begin']);
    assert.deepEqual(said((await written.say('Hello')).json.turns).at(-1), ['agent', 'Which day?']);
    // A model writes no opening if the caller has spoken, and none is said if the message is empty.
    const spoken = on(service, key, (await newChat(service, key, scripted)).id);
    assert.deepEqual(said((await spoken.say('Hello')).json.turns), [
      ['caller', 'Hello'],
      ['agent', 'Good morning.'],
    ]);
    for (const agent of [{ beginMessage: '' }, { beginMessage: undefined }]) {
      const silent = on(service, key, (await newChat(service, key, { agent })).id);
      const { status, json } = await silent.say();
      assert.deepEqual([status, json], [200, { turns: [], status: 'ongoing' }]);
      assert.equal((await silent.say()).status, 422);
    }
  });

  it('gets the opening of a flow, with or without text', async () => {
    const { key } = await service.newKey();
    const flow = {
      skills: [
        { id: 'ask', type: 'ask', text: 'Your name?', variable: 'name', as: 'text', next: 'bye', otherwise: 'bye' },
        { id: 'bye', type: 'end', text: 'Thank you, {{name}}.' },
      ],
    };
    const fields = { responseEngineType: 'conversation_flow', language: 'en', agentSettings: { flow } };
    const { id: agentId } = await createAgent(service, key, { ...fields, beginMessage: undefined });
    const silent = await chatWith(service, key, { agentId });
    assert.deepEqual(said((await silent.say()).json.turns), [['agent', 'Your name?']]);
    const chat = await chatWith(service, key, { agentId });
    const { json } = await chat.say('Hanako');
    assert.deepEqual(said(json.turns).slice(0, 2), [
      ['agent', 'Your name?'],
      ['caller', 'Hanako'],
    ]);
    assert.deepEqual(said(json.turns)[2], ['agent', 'Thank you, Hanako.']);
    assert.equal(json.status, 'ended');
    const call = await chat.call();
    assert.deepEqual(
      [call.engine, call.endReason, call.endedBy, call.collectedVariables, call.usage.breakdown],
      ['flow', 'agent_hangup', 'agent', { name: 'Hanako' }, []],
    );
  });

  it('can be the last: the agent hangs up', async () => {
    const { key } = await service.newKey();
    const chat = on(service, key, (await newChat(service, key, { model: 'test-script' })).id);
    for (const expected of ['Good morning.', 'Which day?', 'Goodbye.']) {
      assert.equal((await chat.say('Next')).json.turns[1].text, expected);
    }
    const { json } = await chat.say('Next');
    assert.deepEqual([said(json.turns), json.status], [[['caller', 'Next']], 'ended']);
    const call = await chat.call();
    assert.deepEqual(
      [call.endReason, call.endedBy, call.endDetail, call.transcriptStatus],
      ['agent_hangup', 'agent', null, 'available'],
    );
    assert.deepEqual(call.usage.breakdown, [
      {
        capability: 'llm',
        provider: 'test',
        model: 'test-script',
        requests: 4,
        promptTokens: 0,
        cachedTokens: 0,
        completionTokens: 0,
        audioMs: 0,
        characters: 0,
      },
    ]);
    const after = await chat.say('Still there?');
    assert.equal(after.status, 409);
    assert.deepEqual(conflictOf(after), [
      'STATE_CONFLICT',
      { status: 'ended', allowed: ['registered', 'ongoing'], reason: null },
    ]);
  });

  it('has no reply if the model is silent or the agent muted', async () => {
    const { key } = await service.newKey();
    const silent = on(service, key, (await newChat(service, key, { model: 'test-silent' })).id);
    assert.deepEqual(said((await silent.say('Hello')).json.turns), [['caller', 'Hello']]);
    const chat = on(service, key, (await newChat(service, key)).id);
    await chat.say('One');
    await chat.control({ action: 'mute_agent' });
    assert.deepEqual(said((await chat.say('Two')).json.turns), [['caller', 'Two']]);
    await chat.control({ action: 'unmute_agent' });
    assert.deepEqual(said((await chat.say('Three')).json.turns), [
      ['caller', 'Three'],
      ['agent', 'Three'],
    ]);
  });

  it('is repeated with the notice that no model is connected, in the language of the agent', async () => {
    const { key } = await service.newKey();
    const agents = [
      [
        { language: 'ja', beginMessage: undefined },
        '言語モデルはまだ接続されていません。お話しになった内容を繰り返します。',
        '「予約」と聞こえました。言語モデルはまだ接続されていません。',
      ],
      [
        { language: 'en', beginMessage: undefined },
        'No language model is connected yet. I will repeat what I hear.',
        'I heard: "予約". No language model is connected yet.',
      ],
    ] as const;
    for (const [fields, opening, reply] of agents) {
      const { id: agentId } = await createAgent(service, key, { responseEngineType: 'single_prompt', ...fields });
      const chat = await chatWith(service, key, { agentId });
      assert.deepEqual(said((await chat.say()).json.turns), [['agent', opening]]);
      assert.deepEqual(said((await chat.say('予約')).json.turns)[1], ['agent', reply]);
      assert.deepEqual((await chat.call()).usage.breakdown, []);
    }
  });

  it('has 1 to 10,000 characters, counted as people do', async () => {
    const { key } = await service.newKey();
    const chat = on(service, key, (await newChat(service, key, { model: 'test-silent' })).id);
    for (const text of ['x'.repeat(10_000), '😀'.repeat(10_000), '　', '\u0000\ud83d', '{{x}}', 'a\nb']) {
      const { status, json } = await chat.say(text);
      if (status !== 200) {
        // A text that is no Unicode cannot be stored.
        assert.deepEqual([status, text], [400, '\u0000\ud83d']);
        continue;
      }
      assert.equal(json.turns[0].text, text);
    }
    for (const text of ['', 'x'.repeat(10_001), '😀'.repeat(10_001)]) {
      assert.deepEqual(Object.keys((await chat.say(text)).json.error.details.fieldErrors), ['text']);
    }
    for (const body of [{ text: 1 }, { text: null }, []]) {
      assert.equal((await send(service, 'POST', `${chat.path}/messages`, { key, body })).status, 400);
    }
    const turns = await chat.turns();
    assert.ok(turns.some(({ text }) => text === '😀'.repeat(10_000)));
  });

  it('ignores unknown fields, and refuses them with strict handling', async () => {
    const { key } = await service.newKey();
    const chat = on(service, key, (await newChat(service, key)).id);
    const body = { text: 'Hello', mood: 'good' };
    const path = `${chat.path}/messages`;
    const strict = await send(service, 'POST', path, { key, body, headers: { prefer: 'handling=strict' } });
    assert.deepEqual([strict.status, Object.keys(strict.json.error.details.fieldErrors)], [400, ['mood']]);
    assert.equal((await chat.call()).status, 'registered');
    assert.equal((await send(service, 'POST', path, { key, body })).status, 200);
  });

  it('is refused in a web call, a queued one and one that is over', async () => {
    const { key } = await service.newKey();
    const web = on(service, key, (await newChat(service, key, { call: { type: 'web' } })).id);
    const inWeb = await web.say('Hello');
    assert.equal(inWeb.status, 409);
    assert.deepEqual(conflictOf(inWeb), [
      'STATE_CONFLICT',
      { status: 'registered', allowed: [], reason: 'not_a_chat' },
    ]);
    const startAt = new Date(Date.now() + 60_000).toISOString();
    const queued = on(service, key, (await newChat(service, key, { call: { startAt } })).id);
    const early = await queued.say('Hello');
    assert.deepEqual([early.status, early.json.error.details.status], [409, 'queued']);
    await queued.end();
    const late = await queued.say('Hello');
    assert.deepEqual([late.status, late.json.error.details.status], [409, 'not_connected']);
  });

  it('fails with 502 if the reply does, and the third failure in a row ends the call', async () => {
    const { key } = await service.newKey();
    const chat = on(service, key, (await newChat(service, key, { model: 'test-fail' })).id);
    for (const attempt of [1, 2, 3]) {
      const { status, json } = await chat.say(`Try ${attempt}`);
      assert.equal(status, 502);
      assert.equal(json.error.code, 'UPSTREAM_ERROR');
      // The call has ended with the third: there is nothing to try again.
      assert.deepEqual(json.error.details, { provider: 'test', providerCode: null, retryable: attempt < 3 });
      const call = await chat.call();
      assert.deepEqual([call.status, call.endReason], attempt < 3 ? ['ongoing', null] : ['error', 'llm_failed']);
    }
    assert.equal((await chat.call()).endedBy, 'system');
    assert.deepEqual(said(await chat.turns()), [
      ['caller', 'Try 1'],
      ['caller', 'Try 2'],
      ['caller', 'Try 3'],
    ]);
    assert.equal((await chat.say('Try 4')).status, 409);
  });

  it('warns once per call of a variable without a value, which stays visible', async () => {
    const { key } = await service.newKey();
    const agent = { beginMessage: 'Hi {{who}}, {{who}} and {{other}}.' };
    const chat = on(service, key, (await newChat(service, key, { agent })).id);
    assert.equal((await chat.say('One')).json.turns[0].text, 'Hi {{who}}, {{who}} and {{other}}.');
    await chat.say('Two');
    const warnings = (await chat.events()).filter(({ type }) => type === 'warning');
    assert.deepEqual(
      warnings.map(({ data }) => ('code' in data ? data.code : '')),
      ['unknown_variable', 'unknown_variable'],
    );
  });

  it('emits an event if the reply took longer than the agent’s budget, and none if it did not', async () => {
    const { key } = await service.newKey();
    const within = async (latencyBudgetMs: number) => {
      const agent = { agentSettings: { calls: { latencyBudgetMs } } };
      const chat = on(service, key, (await newChat(service, key, { model: 'test-slow', agent })).id);
      await chat.say('Slow');
      return (await chat.events()).filter(({ type }) => type === 'latency_exceeded').map(({ data }) => data);
    };
    const [quick, slow] = await Promise.all([within(60_000), within(1000)]);
    assert.deepEqual(quick, []);
    assert.equal(slow.length, 1);
    const { e2eMs, ...rest } = slow[0] as { e2eMs: number };
    assert.deepEqual(rest, { turnIndex: 1, budgetMs: 1000 });
    assert.ok(e2eMs >= 3000);
  });

  it('is one of hundreds in a call, and turns and events are numbered without gaps', async () => {
    const { key } = await service.newKey();
    const chat = on(service, key, (await newChat(service, key)).id);
    for (let count = 0; count < 60; count += 1) assert.equal((await chat.say(`${count}`)).status, 200);
    const turns = await chat.turns();
    assert.deepEqual(
      turns.map(({ index }) => index),
      Array.from({ length: 120 }, (_, index) => index),
    );
    const events = await chat.events();
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      events.map((_, index) => index + 1),
    );
    const { latency } = await chat.call();
    assert.deepEqual([latency?.turns, latency?.e2eMs?.count], [60, 60]);
  });
});
