import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import fc from 'fast-check';
import type { Agent } from '../../../src/contract/agents/agent.ts';
import { createAgent, send, walkPages } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { seed } from '../../support/seed.ts';
import { useService } from '../../support/service.ts';

onEachEngine('versions', (engine) => {
  const service = useService(engine);
  let key: string;
  before(async () => {
    ({ key } = await service.newKey());
  });

  const at = (id: string, method: string, path = '', body?: unknown) =>
    send(service, method, `/api/v1/agents/${id}${path}`, { key, ...(body === undefined ? {} : { body }) });
  const ok = async (id: string, method: string, path = '', body?: unknown): Promise<Agent> => {
    const answer = await at(id, method, path, body);
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  };

  it('keep their number as drafts; a change of a published version creates the next one and leaves it unchanged', async () => {
    const { id } = await createAgent(service, key, { name: 'one' });
    assert.equal((await ok(id, 'PATCH', '', { name: 'two' })).version, 1);
    const published = await at(id, 'POST', '/publish', { versionDescription: 'first' });
    assert.deepEqual(
      [published.json.version, published.json.isPublished, published.json.versionDescription],
      [1, true, 'first'],
    );
    const draft = await ok(id, 'PATCH', '', { name: 'three' });
    assert.deepEqual([draft.version, draft.isPublished, draft.name], [2, false, 'three']);
    assert.equal((await at(id, 'GET', '/versions/1')).text, published.text, 'byte for byte');
    assert.equal((await at(id, 'GET', '/versions/published')).text, published.text);
    assert.deepEqual(await ok(id, 'GET', '/versions/latest'), draft);
    assert.deepEqual(await ok(id, 'GET', '/versions/2'), draft);
    assert.deepEqual(await ok(id, 'GET'), draft);
    assert.equal((await ok(id, 'PATCH', '', { name: 'four' })).version, 2);
    assert.equal((await ok(id, 'POST', '/publish')).version, 2);
    assert.equal((await ok(id, 'GET', '/versions/published')).name, 'four');
    assert.equal((await at(id, 'GET', '/versions/1')).text, published.text);
  });

  it('have a description of their own, which the next version, a restored one and a copy do not inherit', async () => {
    const { id } = await createAgent(service, key, { name: 'one' });
    await ok(id, 'POST', '/publish', { versionDescription: 'first' });
    assert.equal((await ok(id, 'PATCH', '', { name: 'two' })).versionDescription, null);
    await ok(id, 'PATCH', '', { versionDescription: 'second' });
    assert.equal(
      (await ok(id, 'PATCH', '', { name: 'three' })).versionDescription,
      'second',
      'the draft keeps its own',
    );
    assert.equal((await ok(id, 'POST', '/versions/1/restore')).versionDescription, 'second');
    assert.equal((await ok(id, 'POST', '/publish')).versionDescription, 'second');
    assert.equal((await ok(id, 'POST', '/versions/1/restore')).versionDescription, null);
    assert.equal((await at(id, 'POST', '/duplicate')).json.versionDescription, null);
    assert.equal((await ok(id, 'GET', '/versions/1')).versionDescription, 'first');
  });

  it('do not change if there is nothing to change', async () => {
    const { id } = await createAgent(service, key, { name: 'one', startSkillId: 's' });
    const draft = await at(id, 'GET');
    for (const patch of [{}, { name: 'one' }, { responseEngine: {} }, { agentGlobalPrompt: null }]) {
      assert.equal((await at(id, 'PATCH', '', patch)).text, draft.text);
    }
    assert.equal((await at(id, 'POST', '/versions/1/restore')).text, draft.text);
    const published = await at(id, 'POST', '/publish');
    assert.equal((await at(id, 'POST', '/publish', { versionDescription: 'again' })).text, published.text);
    assert.equal((await at(id, 'PATCH', '', { name: 'one' })).text, published.text, 'no draft is opened');
    assert.equal((await at(id, 'GET')).headers.get('etag'), published.headers.get('etag'));
  });

  it('are restored as a draft with the old content', async () => {
    const { id } = await createAgent(service, key, { name: 'one', startSkillId: 's' });
    await ok(id, 'POST', '/publish');
    await ok(id, 'PATCH', '', { name: 'two', startSkillId: null });
    const inPlace = await ok(id, 'POST', '/versions/1/restore');
    assert.deepEqual(
      [inPlace.version, inPlace.isPublished, inPlace.name, inPlace.startSkillId],
      [2, false, 'one', 's'],
    );
    await ok(id, 'PATCH', '', { name: 'three' });
    await ok(id, 'POST', '/publish');
    const next = await ok(id, 'POST', '/versions/1/restore', {});
    assert.deepEqual([next.version, next.isPublished, next.name], [3, false, 'one']);
    assert.equal((await ok(id, 'GET', '/versions/2')).name, 'three');
    await ok(id, 'POST', '/publish');
    const same = await ok(id, 'POST', '/versions/published/restore');
    assert.deepEqual([same.version, same.isPublished, same.name], [4, false, 'one']);
  });

  it('are listed newest first, at every page size', async () => {
    const { id } = await createAgent(service, key, { name: '1' });
    for (let version = 2; version <= 5; version += 1) {
      await ok(id, 'POST', '/publish');
      await ok(id, 'PATCH', '', { name: String(version) });
    }
    for (const limit of [1, 2, 3, 5, 50]) {
      const pages = await walkPages(service, key, `/api/v1/agents/${id}/versions`, { limit: String(limit) });
      assert.deepEqual(
        pages.flat().map(({ name, version, isPublished }) => [name, version, isPublished]),
        [
          ['5', 5, false],
          ['4', 4, true],
          ['3', 3, true],
          ['2', 2, true],
          ['1', 1, true],
        ],
      );
      assert.equal(pages.length, Math.ceil(5 / limit));
    }
    const odd = (await at(id, 'GET', '/versions?limit=2')).json.pagination.nextCursor;
    assert.equal(
      (await at(id, 'GET', `/versions?limit=2&=x&cursor=${odd}`)).status,
      200,
      'a parameter without a name is of no matter',
    );
    const other = await createAgent(service, key);
    const { nextCursor } = (await at(id, 'GET', '/versions?limit=1')).json.pagination;
    assert.equal(
      (await at(other.id, 'GET', `/versions?cursor=${nextCursor}`)).status,
      400,
      'a cursor of another agent',
    );
  });

  it('are compared field by field', async () => {
    const { id } = await createAgent(service, key, { name: 'one', startSkillId: 's', prompt: 'p' });
    await ok(id, 'POST', '/publish');
    await ok(id, 'PATCH', '', {
      name: 'two',
      startSkillId: null,
      responseEngine: { prompt: 'q' },
      agentSettings: { a: 1 },
    });
    const answer = await at(id, 'GET', '/diff?from=1&to=latest');
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual([answer.json.from, answer.json.to], [1, 2]);
    const content = answer.json.changes.filter(
      ({ path }: { path: string }) => !/^\/(version|isPublished|updatedAt)$/.test(path),
    );
    assert.deepEqual(content, [
      { op: 'replace', path: '/name', from: 'one', value: 'two' },
      { op: 'replace', path: '/responseEngine/prompt', from: 'p', value: 'q' },
      { op: 'add', path: '/agentSettings', value: { a: 1 } },
      { op: 'remove', path: '/startSkillId', from: 's' },
    ]);
    assert.deepEqual((await at(id, 'GET', '/diff?from=published')).json, answer.json);
    assert.deepEqual((await at(id, 'GET', '/diff?from=2&to=2')).json.changes, []);
    for (const query of ['', 'from=', 'from=x', 'from=0', 'from=1&to=newest', 'from=1&from=2']) {
      assert.equal((await at(id, 'GET', `/diff?${query}`)).status, 400, query);
    }
    for (const query of ['from=3', 'from=1&to=9'])
      assert.equal((await at(id, 'GET', `/diff?${query}`)).status, 404, query);
  });

  it('are validated as a whole when published: an incomplete draft gets 422, and nothing is published', async () => {
    const incomplete: [Record<string, unknown>, Record<string, string[]>][] = [
      [{ responseEngineType: 'custom_llm' }, { responseEngine: ['llmWebsocketUrl: is required for type custom_llm'] }],
      [
        {
          postCallAnalysisData: [
            { name: 'a', type: 'enum', description: '' },
            { name: 'a', type: 'string', description: '' },
            { name: 'b', type: 'enum', description: '', options: [] },
          ],
        },
        {
          postCallAnalysisData: [
            '0.options: is required for type enum',
            '1.name: must be unique',
            '2.options: is required for type enum',
          ],
        },
      ],
    ];
    for (const [fields, fieldErrors] of incomplete) {
      const { id } = await createAgent(service, key, fields);
      const before = (await at(id, 'GET')).text;
      const answer = await at(id, 'POST', '/publish', {});
      assert.equal(answer.status, 422);
      assert.equal(answer.json.error.code, 'UNPROCESSABLE_CONTENT');
      assert.deepEqual(answer.json.error.details.fieldErrors, fieldErrors);
      assert.equal((await at(id, 'GET')).text, before);
      assert.equal((await at(id, 'GET', '/versions/published')).status, 404);
    }
    const { id } = await createAgent(service, key, { responseEngineType: 'custom_llm' });
    await ok(id, 'PATCH', '', { responseEngine: { llmWebsocketUrl: 'ws://127.0.0.1:9000/llm' } });
    assert.equal((await ok(id, 'POST', '/publish')).isPublished, true);
  });

  it('are not copied with an agent: a copy is version 1, a draft, with the newest content', async () => {
    const original = await createAgent(service, key, { name: 'one', agentSettings: { a: [1] } });
    await ok(original.id, 'POST', '/publish');
    const head = await ok(original.id, 'PATCH', '', { voiceSpeed: 1.5 });
    const copy = await at(original.id, 'POST', '/duplicate');
    assert.equal(copy.status, 201);
    const { id, createdAt, updatedAt } = copy.json;
    assert.deepEqual(copy.json, { ...head, id, createdAt, updatedAt, version: 1 });
    assert.notEqual(id, original.id);
    assert.equal((await at(original.id, 'POST', '/duplicate', { name: '複製' })).json.name, '複製');
    await ok(id, 'PATCH', '', { name: 'changed' });
    assert.deepEqual(await ok(original.id, 'GET'), head, 'the original does not follow its copy');
  });

  it('are deleted with their agent', async () => {
    const { id } = await createAgent(service, key);
    await ok(id, 'POST', '/publish');
    await ok(id, 'PATCH', '', { name: 'draft' });
    const { nextCursor } = (await at(id, 'GET', '/versions?limit=1')).json.pagination;
    const gone = await at(id, 'DELETE');
    assert.equal((await at(id, 'GET', `/versions?cursor=${nextCursor}`)).status, 404);
    assert.deepEqual(gone.json, { id, deleted: true });
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/versions'],
      ['GET', '/versions/1'],
      ['GET', '/diff?from=1'],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/publish'],
      ['POST', '/duplicate'],
      ['POST', '/versions/1/restore'],
    ] as const) {
      assert.equal(
        (await at(id, method, path, method === 'GET' || method === 'DELETE' ? undefined : {})).status,
        404,
        `${method} ${path}`,
      );
    }
    const left = await service.database.get<{ count: number }>(
      'SELECT count(*) AS count FROM agent_versions WHERE agent_id = $1',
      [id],
    );
    assert.equal(left?.count, 0);
  });

  it('match a simple model for any sequence of changes', async () => {
    type Content = { name: string; startSkillId?: string };
    const step = fc.oneof(
      fc.record({
        kind: fc.constant('patch' as const),
        name: fc.constantFrom('a', 'b', 'c'),
        skill: fc.constantFrom('x', 'y', null),
      }),
      fc.constant({ kind: 'publish' as const }),
      fc.record({ kind: fc.constant('restore' as const), version: fc.integer({ min: 1, max: 6 }) }),
    );
    const contentOf = ({ name, startSkillId }: Agent): Content =>
      startSkillId === undefined ? { name } : { name, startSkillId };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), async (steps) => {
        const { id } = await createAgent(service, key, { name: 'a' });
        const versions: { content: Content; isPublished: boolean }[] = [{ content: { name: 'a' }, isPublished: false }];
        const change = (content: Content) => {
          const head = versions.at(-1) as (typeof versions)[number];
          if (head.isPublished) versions.push({ content, isPublished: false });
          else head.content = content;
        };
        for (const action of steps) {
          const head = versions.at(-1) as (typeof versions)[number];
          if (action.kind === 'patch') {
            await ok(id, 'PATCH', '', { name: action.name, startSkillId: action.skill });
            const content =
              action.skill === null ? { name: action.name } : { name: action.name, startSkillId: action.skill };
            if (JSON.stringify(content) !== JSON.stringify(head.content)) change(content);
          } else if (action.kind === 'publish') {
            await ok(id, 'POST', '/publish');
            head.isPublished = true;
          } else {
            const source = versions[action.version - 1];
            const answer = await at(id, 'POST', `/versions/${action.version}/restore`);
            assert.equal(answer.status, source === undefined ? 404 : 200);
            if (source !== undefined) change({ ...source.content });
          }
        }
        const listed = (await at(id, 'GET', '/versions?limit=200')).json.items as Agent[];
        assert.deepEqual(
          listed.toReversed().map((agent) => ({ content: contentOf(agent), isPublished: agent.isPublished })),
          versions,
        );
        assert.deepEqual(
          listed.map(({ version }) => version),
          versions.map((_, index) => versions.length - index),
        );
        assert.deepEqual(await ok(id, 'GET'), listed[0]);
        const newest = listed.find(({ isPublished }) => isPublished);
        const published = await at(id, 'GET', '/versions/published');
        assert.deepEqual(published.status === 404 ? undefined : published.json, newest);
      }),
      { seed, numRuns: 40 },
    );
  });
});
