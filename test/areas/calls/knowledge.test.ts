import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { CallKnowledge } from '../../../src/areas/calls/conversation/knowledge.ts';
import type { AttachedBase, KnowledgeHit } from '../../../src/voice/knowledge.ts';
import { send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { hit } from '../../voice/knowledge/fake-knowledge.ts';
import { create, on, testAgent, warningsIn } from './support.ts';

/** Finds what the test says, as soon as it is asked. */
class ScriptedKnowledge implements CallKnowledge {
  hits: readonly KnowledgeHit[] | null = [];
  characterCount = 0;
  readonly loaded: string[] = [];

  async attached(_workspaceId: string, ids: readonly string[]): Promise<readonly AttachedBase[]> {
    return ids.map((id) => ({ id, revision: 7, characterCount: this.characterCount }));
  }

  load(_workspaceId: string, ids: readonly string[]): void {
    this.loaded.push(...ids);
  }

  forCall(): ReturnType<CallKnowledge['forCall']> {
    return {
      search: (_query, onResult) => {
        const { hits } = this;
        queueMicrotask(() => onResult(hits && { mode: 'lexical', hits, tookMs: 1, isFinal: true }));
        return () => {};
      },
      readAll: (onResult) => {
        queueMicrotask(() => onResult([]));
        return () => {};
      },
    };
  }
}

onEachEngine('knowledge in calls', (engine) => {
  const knowledge = new ScriptedKnowledge();
  const service = useService(engine, { calls: { knowledge } });

  const newBase = async (key: string): Promise<string> => {
    const made = await send(service, 'POST', '/api/v1/knowledge-bases', { key, body: { name: 'FAQ' } });
    assert.equal(made.status, 201, made.text);
    return made.json.id;
  };
  const start = async (settings: object = {}, call: object = {}, model = 'test-knowledge') => {
    const { key } = await service.newKey();
    const id = await newBase(key);
    const agent = await testAgent(service, key, model, {
      agentSettings: { knowledge: { bases: [{ id }], ...settings } },
    });
    const made = await create(service, key, { agentId: agent.id, ...call });
    assert.equal(made.status, 201, made.text);
    return { ...on(service, key, made.json.id), key, baseId: id, agent, created: made.json };
  };
  const found = { ...hit(1), knowledgeBaseId: 'kb_1' };
  const { knowledgeBaseId, documentId, documentRevision, chunkId, score } = found;
  const source = { knowledgeBaseId, documentId, documentRevision, chunkId, score };

  it('is recorded in turns, events and usage', async () => {
    const chat = await start();
    assert.deepEqual(chat.created.knowledgeBases, [{ id: chat.baseId, revision: 7 }]);
    assert.ok(knowledge.loaded.includes(chat.baseId));
    knowledge.hits = [found];
    const [, first] = (await chat.say('Can I return it?')).json.turns;
    assert.deepEqual([first.text, first.sources], ['Text 1.', [source]]);
    assert.equal(typeof first.latency.knowledgeMs, 'number');
    knowledge.hits = [];
    const [, second] = (await chat.say('And this?')).json.turns;
    assert.deepEqual([second.text, second.sources], ['(nothing found)', []]);
    knowledge.hits = null;
    await chat.say('And that?');

    assert.deepEqual(
      (await chat.turns()).map(({ sources }) => sources.length),
      [0, 1, 0, 0, 0, 0],
    );
    const events = await chat.events();
    assert.deepEqual(
      events.flatMap(({ type, data }) => (type === 'knowledge_searched' ? [data] : [])),
      [
        { turnIndex: 1, mode: 'lexical', results: 1, tookMs: 1, timedOut: false },
        { turnIndex: 3, mode: 'lexical', results: 0, tookMs: 1, timedOut: false },
      ],
    );
    assert.deepEqual(warningsIn(events), ['knowledge_unavailable']);
    const { usage, latency } = await chat.call();
    assert.deepEqual(usage.knowledge, { searches: 2, empty: 1, timedOut: 0 });
    assert.equal(latency?.knowledgeMs?.count, 3);
  });

  it('can be searched by what was not found', async () => {
    const chat = await start();
    knowledge.hits = [];
    await chat.say('Can I return it?');
    const search = async (value: number) => {
      const filter = { field: 'usage.knowledge.empty', op: 'gte', value };
      const { json } = await send(service, 'POST', '/api/v1/calls/search', { key: chat.key, body: { filter } });
      return json.items.map(({ id }: { id: string }) => id);
    };
    assert.deepEqual([await search(1), await search(2)], [[chat.id], []]);
  });

  it('shows no sources to access tokens', async () => {
    const chat = await start();
    knowledge.hits = [found];
    const { token } = chat.created.access;
    const own = on(service, token, chat.id);
    const [, turn] = (await own.say('Can I return it?')).json.turns;
    assert.deepEqual([turn.text, turn.sources], ['Text 1.', []]);
    const events = await own.events();
    assert.ok(!JSON.stringify(events).includes(chunkId));
    assert.ok(events.every(({ type }) => type !== 'knowledge_searched'));
    assert.ok(JSON.stringify(await chat.events()).includes(chunkId));
  });

  it('stores no sources with basic_attributes_only, and no text with any setting', async () => {
    for (const dataStorageSetting of ['everything_except_pii', 'basic_attributes_only']) {
      const chat = await start({}, { dataStorageSetting });
      knowledge.hits = [{ ...found, text: 'planted passage', chunkText: 'Yes.' }];
      assert.equal((await chat.say('Can I return it?')).status, 200);
      await chat.end();
      const stored = JSON.stringify([await chat.call(), await chat.events(), (await chat.transcript()).json]);
      assert.equal(stored.includes(chunkId), dataStorageSetting === 'everything_except_pii');
      assert.ok(!stored.includes('planted passage'));
      assert.deepEqual((await chat.call()).usage.knowledge, { searches: 1, empty: 0, timedOut: 0 });
    }
  });

  it('is searched if the bases have become too large for the instructions', async (context) => {
    context.after(() => {
      knowledge.characterCount = 0;
    });
    const field = 'agentSettings.knowledge.mode';
    const clamped = ({ notApplied }: { notApplied: { field: string; reason: string }[] }) =>
      notApplied.filter((entry) => entry.field === field).map(({ reason }) => reason);
    knowledge.characterCount = 50_001;
    assert.deepEqual(clamped((await start({ mode: 'prompt' })).created), ['clamped']);
    assert.deepEqual(clamped((await start({ mode: 'auto' })).created), []);
    knowledge.characterCount = 50_000;
    assert.deepEqual(clamped((await start({ mode: 'prompt' })).created), []);
  });

  it('needs bases that exist, for a call and for a published version', async () => {
    const { key } = await service.newKey();
    const other = await service.newKey();
    const id = await newBase(other.key);
    for (const missing of [id, 'kb_x']) {
      const agentSettings = { knowledge: { bases: [{ id: missing }] } };
      const agent = await testAgent(service, key, 'test-knowledge', { agentSettings });
      const path = `/api/v1/agents/${agent.id}`;
      const answers = [
        await create(service, key, { agentId: agent.id }),
        await send(service, 'POST', `${path}/publish`, { key, body: {} }),
      ];
      for (const answer of answers) {
        assert.equal(answer.status, 422, answer.text);
        assert.deepEqual(answer.json.error.details.fieldErrors.agentSettings, [
          'knowledge.bases.0.id: is not a knowledge base of the workspace',
        ]);
      }
      const { json } = await send(service, 'GET', `${path}/check`, { key });
      assert.equal(json.publishable, false);
    }
  });

  it('is not applied by other test models', async () => {
    const chat = await start({}, {}, 'test-echo');
    assert.deepEqual(chat.created.notApplied, [{ field: 'agentSettings.knowledge', reason: 'not_supported' }]);
  });
});
