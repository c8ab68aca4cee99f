import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { parse } from 'yaml';
import { createAgent } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { httpReceiver } from '../../support/receiver.ts';
import { startService, useService } from '../../support/service.ts';
import { create, on, said } from './support.ts';

const salon = parse(readFileSync(new URL('../../../examples/salon/agent.yaml', import.meta.url), 'utf8'));
const startedAt = performance.now();
/** The dates that are said in the conversation are in the future of this one. */
const now = () => Date.parse('2026-11-16T10:00:00+09:00') + Math.round(performance.now() - startedAt);

/** What the caller says, what the agent then says, and the skill that it is at. */
const conversation: [string, RegExp, string][] = [
  ['予約をお願いしたいんですけど', /カット、カラー、パーマ/, 'style'],
  ['カットでお願いします', /カットですね/, 'day'],
  ['12月24日でお願いします', /何時ごろ/, 'hour'],
  ['3時でお願いします', /午後3時ですね.*お名前/, 'name'],
  ['山田です', /山田様ですね/, 'phone'],
  ['090の1234の5678です', /090-1234-5678ですね/, 'phone'],
  ['はい、そうです', /12月24日の午後3時から、カットで、山田様/, 'check'],
];
const booking = { day: '2026-12-24', hour: '15:00', menu: 'cut', name: '山田', phone: '+819012345678' };

onEachEngine('a flow', (engine) => {
  const service = useService(engine, { now });

  const salonWith = async (reply: (count: number) => { status: number; body: string }) => {
    const seen: { arguments: object; toolCallId: string }[] = [];
    const { port } = await httpReceiver(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      seen.push(JSON.parse(Buffer.concat(chunks).toString()));
      const { status, body } = reply(seen.length);
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
    const [tool] = salon.agentSettings.tools;
    const tools = [{ ...tool, url: `http://127.0.0.1:${port}/bookings` }];
    const { key } = await service.newKey();
    const agent = await createAgent(service, key, { ...salon, agentSettings: { ...salon.agentSettings, tools } });
    return { key, agentId: agent.id, seen };
  };

  for (const dataStorageSetting of ['everything', 'everything_except_pii', 'basic_attributes_only']) {
    it(`books through messages that alternate between two instances, with ${dataStorageSetting}`, async (test) => {
      const other = await startService(engine, { databaseUrl: service.databaseUrl, now });
      test.after(() => other.close());
      const { key, agentId, seen } = await salonWith(() => ({
        status: 200,
        body: '{"variables": {"available": true}}',
      }));
      const { json: call } = await create(service, key, { agentId, dataStorageSetting });
      assert.equal(call.engine, 'flow');
      const at = (place: number) => on(place % 2 === 0 ? service : other, key, call.id);
      assert.equal(await at(0).skill(), null);
      const opening = (await at(1).say()).json;
      assert.match(opening.turns[0].text, /^お電話ありがとうございます。ヘアサロン花でございます。/);
      for (const [place, [words, expected, skill]] of conversation.entries()) {
        const { status, json } = await at(place).say(words);
        assert.equal(status, 200, JSON.stringify(json));
        assert.deepEqual(said(json.turns)[0], ['caller', words]);
        assert.match(json.turns.at(-1).text, expected);
        assert.equal(await at(place + 1).skill(), skill);
      }
      const { json } = await at(0).say('はい、大丈夫です');
      assert.deepEqual(
        [json.status, json.turns.map(({ role }: { role: string }) => role)],
        ['ended', ['caller', 'tool', 'agent']],
      );
      assert.deepEqual(
        seen.map(({ arguments: given }) => given),
        [booking],
      );
      const ended = await at(1).call();
      assert.equal(await at(0).skill(), null, 'the call is over');
      assert.deepEqual([ended.status, ended.endReason, ended.endedBy], ['ended', 'agent_hangup', 'agent']);
      if (dataStorageSetting === 'everything') {
        assert.equal(ended.collectedVariables.day, '2026-12-24');
        assert.equal(ended.collectedVariables.phone, '+819012345678');
        const turns = await at(1).turns();
        assert.equal(turns.length, 1 + 2 * conversation.length + 3);
      } else if (dataStorageSetting === 'everything_except_pii') {
        assert.equal(ended.collectedVariables.phone, '[PHONE_NUMBER]');
      } else {
        assert.deepEqual(ended.collectedVariables, {});
      }
      assert.deepEqual(ended.usage.breakdown, [], 'it needs no model');
    });
  }

  it('says what it says if its tool fails, and the call goes on', async () => {
    const { key, agentId, seen } = await salonWith(() => ({ status: 500, body: '' }));
    const { json: call } = await create(service, key, { agentId });
    const chat = on(service, key, call.id);
    for (const [words] of conversation) assert.equal((await chat.say(words)).status, 200);
    const { status, json } = await chat.say('はい、大丈夫です');
    assert.equal(status, 200);
    const tool = json.turns.find(({ role }: { role: string }) => role === 'tool');
    assert.equal(tool.toolCall.isError, true);
    assert.ok(seen.length >= 1);
    assert.equal(json.turns.at(-1).role, 'agent');
  });

  it('takes variables that the API sets as if the caller had said them', async () => {
    const { key, agentId } = await salonWith(() => ({ status: 200, body: '{}' }));
    const { json: call } = await create(service, key, { agentId });
    const chat = on(service, key, call.id);
    await chat.say();
    await chat.control({ action: 'set_variables', variables: { menu: 'color' } });
    await chat.say('予約をお願いしたいんですけど');
    assert.equal((await chat.call()).collectedVariables.menu, 'color');
    await chat.say('カットでお願いします');
    assert.equal((await chat.call()).collectedVariables.menu, 'cut', 'what is said later wins');
  });

  it('starts a call at another skill on request, and only that call', async () => {
    const { key, agentId } = await salonWith(() => ({ status: 200, body: '{}' }));
    const opening = async (body: object) => {
      const { json: call } = await create(service, key, { agentId, ...body });
      const { json } = await on(service, key, call.id).say();
      return said(json.turns).at(-1)?.[1] ?? '';
    };
    assert.match(await opening({ startSkillId: 'style' }), /カット、カラー、パーマ、どちらをご希望/);
    assert.match(await opening({}), /ご予約でしょうか/);
    const unknown = await create(service, key, { agentId, startSkillId: 'nowhere' });
    assert.equal(unknown.status, 422);
    assert.deepEqual(unknown.json.error.details.fieldErrors, { startSkillId: ['is not the id of a skill'] });
    const prompt = await createAgent(service, key, { responseEngineType: 'single_prompt' });
    const { status, json } = await create(service, key, { agentId: prompt.id, startSkillId: 'style' });
    assert.equal(status, 422);
    assert.deepEqual(json.error.details.fieldErrors, { startSkillId: ['is for a conversation flow only'] });
  });
});
