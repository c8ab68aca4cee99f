import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Analysis } from '../../../src/contract/analysis/index.ts';
import { type Answer, send, walkPages } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { eventually, newChat, on, quickSweep, quickTime } from '../calls/support.ts';
import { bodyOf, eventsOf } from '../webhooks/support.ts';

const items = [
  { name: 'booked', type: 'boolean', description: 'Whether a booking was made.' },
  { name: 'guests', type: 'number', description: 'How many.' },
  { name: 'menu', type: 'enum', description: 'Which.', options: ['cut', 'color'] },
];
const words = 'booked: true\nguests: two\nmenu: cut\nsuccessful: true\nsentiment: positive\nsummary: A booking.';

onEachEngine('the analysis of a call', (engine) => {
  const service = useService(engine, { calls: { ...quickSweep, clock: quickTime() } });

  const chat = async (agent: object = {}, call: object = {}) => {
    const { key, workspaceId } = await service.newKey();
    const fields = { postCallAnalysisModel: 'test-extract', postCallAnalysisData: items, ...agent };
    const made = await newChat(service, key, { agent: fields, call });
    const path = `/api/v1/calls/${made.id}`;
    return {
      ...on(service, key, made.id),
      key,
      workspaceId,
      agentId: made.agentId,
      run: (body?: object): Promise<Answer> =>
        send(service, 'POST', `${path}/analysis`, { key, ...(body && { body }) }),
      preview: (body: object = {}): Promise<Answer> => send(service, 'POST', `${path}/analysis/preview`, { key, body }),
      analyses: async (): Promise<Analysis[]> => (await send(service, 'GET', `${path}/analyses`, { key })).json.items,
      eventTypes: async () =>
        (await eventsOf(service, workspaceId))
          .filter(({ subject_id }) => subject_id === made.id)
          .map(({ type }) => type),
    };
  };
  type Chat = Awaited<ReturnType<typeof chat>>;
  const ended = async (agent: object = {}, { text = words, call = {} } = {}): Promise<Chat> => {
    const made = await chat(agent, call);
    assert.equal((await made.say(text)).status, 200);
    assert.equal((await made.end()).status, 200);
    return made;
  };
  const settled = (made: Chat) =>
    eventually(async () => {
      const { analysis } = await made.call();
      return analysis.status !== 'pending' && analysis;
    });

  it('is pending when the call ends, and completes with every checked value and its evidence', async () => {
    const made = await chat();
    await made.say(words);
    const { analysis } = (await made.end()).json;
    assert.deepEqual(
      [analysis.status, analysis.model, analysis.revision, analysis.data],
      ['pending', 'test-extract', 0, {}],
    );
    const result = await settled(made);
    assert.equal(result.status, 'completed');
    assert.equal(result.revision, 1);
    assert.deepEqual(result.data, { booked: true, guests: null, menu: 'cut' });
    assert.deepEqual([result.summary, result.successful, result.sentiment], ['A booking.', true, 'positive']);
    assert.deepEqual(result.evidence.data.menu, { turns: [0], quote: 'menu: cut', rationale: null });
    assert.deepEqual(
      result.issues.map(({ field, code }) => [field, code]),
      [['data.guests', 'wrong_type']],
    );
    const [only] = await made.analyses();
    assert.deepEqual(
      [only?.trigger, only?.status, only?.revision, only?.agentVersion],
      ['call_end', 'completed', 1, 1],
    );
  });

  it('writes call_analyzed once it is settled, with the analysis, after call_ended', async () => {
    const made = await ended();
    // On a busy machine, it may be settled before anyone can look.
    assert.deepEqual((await made.eventTypes()).slice(0, 2), ['call_started', 'call_ended']);
    await settled(made);
    assert.deepEqual(await made.eventTypes(), ['call_started', 'call_ended', 'call_analyzed']);
    const events = await eventsOf(service, made.workspaceId);
    const { data } = bodyOf(events.find(({ type }) => type === 'call_analyzed'));
    assert.equal((data.call as { analysis: { revision: number } }).analysis.revision, 1);
  });

  it('is skipped with the end of a call, for the first reason that applies, and has its event at once', async () => {
    const cases: [string, Chat][] = [
      ['not_connected', await chat()],
      ['data_storage_setting', await chat({ dataStorageSetting: 'basic_attributes_only' })],
      ['disabled', await chat({ agentSettings: { analysis: { enabled: false } } })],
      ['no_caller_speech', await chat({ beginMessage: 'Good morning.' })],
      ['provider_not_configured', await chat({ postCallAnalysisModel: 'gpt-5.4-mini' })],
    ];
    for (const [reason, made] of cases) {
      if (reason === 'no_caller_speech') await made.say();
      else if (reason !== 'not_connected') await made.say(words);
      const { analysis } = (await made.end()).json;
      assert.deepEqual([analysis.status, analysis.reason, analysis.model], ['skipped', reason, null]);
      assert.notEqual(analysis.completedAt, null);
      assert.equal((await made.eventTypes()).at(-1), 'call_analyzed');
      assert.equal((await made.analyses())[0]?.reason, reason);
    }
  });

  it('fails after three tries of a model that fails, with its event', async () => {
    const made = await ended({ postCallAnalysisModel: 'test-fail' });
    const result = await settled(made);
    assert.deepEqual([result.status, result.reason, result.revision, result.data], ['failed', 'model_error', 0, {}]);
    assert.equal((await made.eventTypes()).filter((type) => type === 'call_analyzed').length, 1);
  });

  it('can run again with other items, becomes the next revision, and keeps the history', async () => {
    const made = await ended();
    await settled(made);
    const other = [{ name: 'menu', type: 'string', description: '' }];
    const answer = await made.run({ postCallAnalysisData: other });
    assert.deepEqual([answer.status, answer.json.status, answer.json.trigger], [201, 'pending', 'api']);
    const result = await eventually(async () => {
      const { analysis } = await made.call();
      return analysis.revision === 2 && analysis;
    });
    assert.deepEqual(result.data, { menu: 'cut' });
    const all = await made.analyses();
    assert.deepEqual(
      all.map(({ trigger, revision }) => [trigger, revision]),
      [
        ['api', 2],
        ['call_end', 1],
      ],
    );
    assert.equal((await made.eventTypes()).filter((type) => type === 'call_analyzed').length, 2);
  });

  it('stays as it is if a rerun fails, and takes its reason if there was none yet', async () => {
    const made = await ended();
    const before = await settled(made);
    await made.run({ model: 'test-fail' });
    await eventually(async () => (await made.analyses())[0]?.status === 'failed');
    assert.deepEqual((await made.call()).analysis, before);
    assert.equal((await made.eventTypes()).filter((type) => type === 'call_analyzed').length, 1);

    const skipped = await ended({ postCallAnalysisModel: 'gpt-5.4-mini' });
    await skipped.run({ model: 'test-fail' });
    const result = await eventually(async () => {
      const { analysis } = await skipped.call();
      return analysis.status === 'failed' && analysis;
    });
    assert.equal(result.reason, 'model_error');
    assert.equal((await skipped.eventTypes()).filter((type) => type === 'call_analyzed').length, 1);
  });

  it('can be previewed without storing anything', async () => {
    const made = await ended();
    const before = await settled(made);
    const answer = await made.preview({ postCallAnalysisData: [{ name: 'menu', type: 'string', description: '' }] });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual([answer.json.status, answer.json.revision, answer.json.data], ['completed', 0, { menu: 'cut' }]);
    assert.deepEqual((await made.call()).analysis, before);
    assert.equal((await made.analyses()).length, 1);
    assert.equal((await made.preview({ model: 'test-fail' })).status, 502);
  });

  it('is refused for what cannot be analyzed, with the field and the reason', async () => {
    const open = await chat();
    await open.say(words);
    const conflict = await open.run();
    assert.deepEqual([conflict.status, conflict.json.error.details.status], [409, 'ongoing']);

    const pending = await ended({ postCallAnalysisModel: 'test-fail' });
    const second = await pending.run();
    assert.deepEqual([second.status, second.json.error.details.reason], [409, 'analysis_pending']);

    const silent = await chat({ beginMessage: 'Good morning.' });
    await silent.say();
    await silent.end();
    assert.equal((await silent.run()).status, 422);
    const basic = await ended({ dataStorageSetting: 'basic_attributes_only' });
    assert.equal((await basic.preview()).status, 422);

    const made = await ended();
    await settled(made);
    const refused = async (body: object, status: number, field: string) => {
      for (const answer of [await made.run(body), await made.preview(body)]) {
        assert.equal(answer.status, status, answer.text);
        assert.ok(field in answer.json.error.details.fieldErrors, answer.text);
      }
    };
    await refused({ model: 'test-other' }, 422, 'model');
    await refused({ agentVersion: 99 }, 422, 'agentVersion');
    await refused({ agentVersion: 'published' }, 422, 'agentVersion');
    const twice = [items[0], items[0]];
    await refused({ postCallAnalysisData: twice }, 400, 'postCallAnalysisData');
    const noOptions = [{ name: 'menu', type: 'enum', description: '' }];
    await refused({ postCallAnalysisData: noOptions }, 400, 'postCallAnalysisData');
    const provider = await made.run({ model: 'gpt-5.4-mini' });
    assert.deepEqual([provider.status, provider.json.error.code], [503, 'PROVIDER_NOT_CONFIGURED']);
  });

  it('needs no agent if the request has the model and the items', async () => {
    const made = await ended();
    await settled(made);
    await send(service, 'DELETE', `/api/v1/agents/${made.agentId}`, { key: made.key });
    assert.equal((await made.run()).status, 422);
    assert.equal((await made.run({ model: 'test-extract', postCallAnalysisData: items })).status, 201);
  });

  it('contains no personal data that its call may not keep, and disappears with the call', async () => {
    const mail = 'hanako@example.com';
    const text = `summary: Write to ${mail}.\nmenu: cut`;
    const made = await ended({}, { text });
    await settled(made);
    assert.ok(JSON.stringify(await made.analyses()).includes(mail));
    await made.redact('everything_except_pii');
    assert.ok(!JSON.stringify(await made.analyses()).includes(mail));
    await made.redact('basic_attributes_only');
    assert.deepEqual(
      (await made.analyses()).map(({ summary, data }) => [summary, data]),
      [[null, {}]],
    );
    await made.delete();
    const rows = await service.database.all('SELECT id FROM call_analyses WHERE call_id = $1', [made.id]);
    assert.equal(rows.length, 0);
    const strict = await ended({ dataStorageSetting: 'everything_except_pii' }, { text });
    const result = await settled(strict);
    assert.ok(!JSON.stringify(result).includes(mail));
    assert.equal(result.data.menu, 'cut');
  });

  it('is dropped if its call was deleted meanwhile', async () => {
    const made = await ended({ postCallAnalysisModel: 'test-fail' });
    assert.equal((await made.delete()).status, 200);
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal((await made.eventTypes()).filter((type) => type === 'call_analyzed').length, 0);
  });

  it('is listed page by page, newest first', async () => {
    const made = await ended();
    await settled(made);
    for (let count = 2; count <= 4; count += 1) {
      await made.run();
      await eventually(async () => (await made.call()).analysis.revision === count);
    }
    const path = `/api/v1/calls/${made.id}/analyses`;
    const pages = await walkPages<Analysis>(service, made.key, path, { limit: '2' });
    const ids = pages.flat().map(({ id }) => id);
    assert.equal(ids.length, 4);
    assert.deepEqual(ids, [...ids].sort().reverse());
  });
});
