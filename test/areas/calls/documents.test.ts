import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { knowledgeClient } from '../knowledge/client.ts';
import { spokenCall } from './live/caller.ts';
import { chatWith, eventually, testAgent } from './support.ts';

const faq = `# Returns

Q: Can I return a bag?
A: Yes, within thirty days.

Q: What are your opening hours?
A: At nine o'clock.`;

onEachEngine('an agent that answers from documents', (engine) => {
  const service = useService(engine);

  const withDocument = async () => {
    const { key } = await service.newKey();
    const client = knowledgeClient(service, key);
    const base = await client.base({ language: 'en' });
    const { id } = await client.add(base.id, { name: 'FAQ', text: faq });
    const document = await client.settled(base.id, id);
    assert.equal(document.status, 'ready', JSON.stringify(document.error));
    // From then on, the base is in memory.
    const search = async () =>
      (await client.expect(200, 'POST', `/${base.id}/search`, { query: 'return a bag' })).json.results;
    const [best] = await search();
    return { search, key, client, base, document, best, knowledge: { bases: [{ id: base.id }] } };
  };

  it('says the best chunk with its source, and nothing of a document that was deleted', async () => {
    const { key, client, base, document, best, search, knowledge } = await withDocument();
    const agent = await testAgent(service, key, 'test-knowledge', { agentSettings: { knowledge } });
    const chat = await chatWith(service, key, { agentId: agent.id });
    const { text, sources } = (await chat.say('Can I return a bag?')).json.turns.at(-1);
    assert.match(text, /within thirty days/);
    assert.deepEqual(
      sources.map((source: Record<string, unknown>) => [source.knowledgeBaseId, source.documentId, source.chunkId]),
      [[base.id, document.id, best.chunk.id]],
    );

    const spoken = await spokenCall(service, key, { model: 'test-knowledge', agent: { agentSettings: { knowledge } } });
    await spoken.caller.say('can', 'i', 'return', 'a', 'bag');
    const agentTurn = await eventually(async () => (await spoken.turns()).find(({ role }) => role === 'agent'));
    assert.match(agentTurn.text, /within thirty days/);
    assert.equal(agentTurn.sources[0]?.chunkId, best.chunk.id);
    await spoken.end();
    assert.deepEqual((await spoken.call()).usage.knowledge, { searches: 1, empty: 0, timedOut: 0 });

    await client.expect(200, 'DELETE', `/${base.id}/documents/${document.id}`);
    assert.deepEqual(await search(), []);
    assert.equal((await chat.say('Can I return a bag?')).json.turns.at(-1).text, '(nothing found)');
    assert.deepEqual((await chat.call()).usage.knowledge, { searches: 2, empty: 1, timedOut: 0 });
  });

  it('answers word for word in a flow, without a model', async () => {
    const { key, knowledge } = await withDocument();
    const skills = [
      { id: 'ask', type: 'answer', text: 'What is your question?', next: 'more', otherwise: 'unknown' },
      { id: 'more', type: 'answer', next: 'more', otherwise: 'unknown' },
      { id: 'unknown', type: 'end', text: 'I do not know.' },
    ];
    const fields = {
      responseEngineType: 'conversation_flow',
      agentSettings: { knowledge, flow: { skills } },
    };
    const agent = await testAgent(service, key, 'test-echo', fields);
    const chat = await chatWith(service, key, { agentId: agent.id });
    const replyTo = async (words: string) => (await chat.say(words)).json.turns.at(-1).text;
    assert.equal(await replyTo('Can I return a bag?'), 'Yes, within thirty days.');
    assert.equal(await replyTo('Your opening hours?'), "At nine o'clock.");
    assert.equal(await replyTo('Zebra crossing?'), 'I do not know.');
  });
});
