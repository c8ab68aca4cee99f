import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { type Service, startService, useService } from '../../support/service.ts';
import { chatWith, testAgent, warningsIn } from '../calls/support.ts';
import { knowledgeClient } from './client.ts';
import { sendVectors, startProvider } from './embeddings/support.ts';

const text = 'Returns are possible within thirty days.';

/** A workspace with an agent that is not published, so that its bases can be deleted. */
async function withBases(service: Service, count = 1) {
  const client = knowledgeClient(service, (await service.newKey()).key);
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) {
    const { id } = await client.base({ language: 'en' });
    const made = await client.add(id, { name: `Returns ${number}`, text });
    assert.equal((await client.settled(id, made.id)).status, 'ready');
    ids.push(id);
  }
  const settings = { agentSettings: { knowledge: { bases: ids.map((id) => ({ id })) } } };
  const agent = await testAgent(service, client.key, 'test-knowledge', settings);
  return { client, ids, agentId: agent.id };
}

/** The chat, and its first turn that has a source: a search is dropped if the machine takes longer than a reply waits. */
function answered(service: Service, key: string, agentId: string) {
  return eventually(async () => {
    const chat = await chatWith(service, key, { agentId });
    const [, turn] = (await chat.say('returns')).json.turns;
    return turn.sources.length > 0 && { chat, turn };
  });
}

onEachEngine('the knowledge of calls', (engine) => {
  const service = useService(engine);

  it('is gone with a base that is deleted during a call, which goes on', async () => {
    const { client, ids, agentId } = await withBases(service);
    const { chat, turn } = await answered(service, client.key, agentId);
    assert.equal(turn.text, text);
    await client.expect(200, 'DELETE', `/${ids[0]}`);
    for (const words of ['returns', 'returns again']) {
      const answer = await chat.say(words);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual([answer.json.turns[1].text, answer.json.turns[1].sources], ['(nothing found)', []]);
    }
    assert.equal((await chat.call()).status, 'ongoing');
    assert.deepEqual(
      (await chat.call()).knowledgeBases.map(({ id }) => id),
      ids,
    );
    await client.expect(404, 'GET', `/${ids[0]}/chunks/${turn.sources[0].chunkId}`);
    assert.equal((await chat.end()).status, 200);
  });

  it('is that of the other bases if one of them is deleted during a call', async () => {
    const { client, ids, agentId } = await withBases(service, 2);
    const { chat } = await answered(service, client.key, agentId);
    await client.expect(200, 'DELETE', `/${ids[0]}`);
    const sources = await eventually(async () => {
      const [, turn] = (await chat.say('returns')).json.turns;
      return turn.sources.length > 0 && turn.sources;
    });
    assert.deepEqual(
      sources.map(({ knowledgeBaseId }: { knowledgeBaseId: string }) => knowledgeBaseId),
      [ids[1]],
    );
  });

  it('is in memory after a start, before the first question', async () => {
    const databaseUrl = await engine.newServiceUrl();
    const first = await startService(engine, { databaseUrl });
    await withBases(first, 2);
    await first.close();
    const second = await startService(engine, { databaseUrl });
    const loaded = () => second.log.find(({ msg }) => msg === 'knowledge bases loaded');
    assert.equal((await eventually(async () => loaded() ?? false)).knowledgeBases, 2);
    await second.close();
  });

  it('needs no provider of embeddings: one that is down, slow or of other dimensions costs no answer', async () => {
    const held: (() => void)[] = [];
    const providers = {
      down: { answer: (_, response) => void response.writeHead(503).end(), status: 'failed' },
      // It answers once the test is over.
      slow: {
        answer: (request, response) => void held.push(() => sendVectors(request, response, 8)),
        status: 'building',
      },
      'of other dimensions': { answer: (request, response) => sendVectors(request, response, 16), status: 'failed' },
    } satisfies Record<
      string,
      Pick<Required<Awaited<ReturnType<typeof startProvider>>>, 'answer'> & { status: string }
    >;
    for (const [about, { answer, status }] of Object.entries(providers)) {
      const provider = await startProvider();
      provider.answer = answer;
      const embeddings = { model: 'test-model', dimensions: 8, apiKey: null, baseUrl: provider.baseUrl };
      const own = await startService(engine, { embeddings });
      const { client, ids, agentId } = await withBases(own);
      await eventually(async () => (await client.readBase(ids[0] as string)).semantic.status === status, about);
      assert.equal((await client.readBase(ids[0] as string)).semantic.coverage, 0);
      const { chat, turn } = await answered(own, client.key, agentId);
      assert.equal(turn.text, text, about);
      assert.deepEqual(warningsIn(await chat.events()), [], about);
      for (const send of held.splice(0)) send();
      await own.close();
    }
  });
});
