import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endsWithin } from '../../../src/areas/simulations/exploration.ts';
import { createAgent, send } from '../../support/client.ts';
import { sqliteEngine } from '../../support/engines.ts';
import { newWorkspaceName, useService } from '../../support/service.ts';

const path = '/api/v1/simulations/explore';
const choose = {
  id: 'greet',
  type: 'choose',
  text: 'A table?',
  routes: [
    { when: ['/yes|yep/'], next: 'book' },
    { when: ['yes', 'later'], next: 'bye' },
  ],
  otherwise: 'bye',
};
const book = { id: 'book', type: 'tool', tool: 'book', arguments: { size: 'big' }, next: 'done', otherwise: 'bye' };
const done = { id: 'done', type: 'end', text: 'Booked.' };
const bye = { id: 'bye', type: 'end', text: 'Goodbye.' };
const tools = [
  { name: 'book', description: 'Books.', parameters: { type: 'object' }, url: 'https://example.com/book' },
];

describe('the exploration of a flow', () => {
  const service = useService(sqliteEngine());
  const flowAgent = async (flow: object, fields: object = {}) => {
    const { key } = await service.newKey();
    const { id } = await createAgent(service, key, {
      responseEngineType: 'conversation_flow',
      language: 'en',
      agentSettings: { flow, tools },
      ...fields,
    });
    const explore = (body: object = {}) =>
      send(service, 'POST', path, { key, body: { agentId: id, agentVersion: 'latest', ...body } });
    return { key, id, explore };
  };

  it('reports which routes can be taken, and what is wrong at its place', async () => {
    const anytime = [{ when: ['again'], repeat: true }];
    const { explore } = await flowAgent({ skills: [choose, book, done, bye], anytime });
    const { status, json, text } = await explore();
    assert.equal(status, 200, text);
    assert.deepEqual(json.findings, [
      {
        kind: 'phrase_never_matched',
        skillId: 'greet',
        path: 'flow.skills.0.routes.1.when.0',
        message: 'routes.0 takes it',
        related: ['routes.0'],
      },
    ]);
    const taken = json.routes.map(({ skillId, route, isTaken }: Record<string, unknown>) => [skillId, route, isTaken]);
    assert.deepEqual(taken, [
      ['greet', 'routes.0', true],
      ['greet', 'routes.1', true],
      ['greet', 'otherwise', true],
      ['greet', 'retry', true],
      ['book', 'next', true],
      ['book', 'otherwise', true],
      [null, 'anytime.0', true],
    ]);
    assert.deepEqual(json.coverage, { percent: 100, routes: 7, taken: 7 });
    assert.deepEqual([json.longestPath, json.isComplete], [['greet', 'book', 'done'], true]);
  });

  it('names the routes that no words can take', async () => {
    const hidden = { ...choose, routes: [choose.routes[0], { when: ['yes'], next: 'bye' }] };
    const { explore } = await flowAgent({ skills: [hidden, book, done, bye] });
    const { json } = await explore();
    const [finding] = json.findings;
    assert.deepEqual([finding.kind, finding.path], ['route_never_taken', 'flow.skills.0.routes.1']);
    assert.deepEqual(
      json.routes.filter(({ isTaken }: { isTaken: boolean }) => !isTaken),
      [{ skillId: 'greet', route: 'routes.1', isTaken: false }],
    );
  });

  it('has a script for each end, which passes', async () => {
    const { key, id, explore } = await flowAgent({ skills: [choose, book, done, bye] });
    const { json } = await explore();
    assert.deepEqual(json.ends.map(({ skillId }: { skillId: string }) => skillId).sort(), ['bye', 'done']);
    for (const { script } of json.ends) {
      const body = { agentId: id, agentVersion: 'latest', script };
      const { status, json: report } = await send(service, 'POST', '/api/v1/simulations', { key, body });
      assert.deepEqual([status, report.passed], [200, 1], JSON.stringify(report));
    }
  });

  it('answers 422 with the reason if there is no flow to explore', async () => {
    const { key, explore } = await flowAgent({ skills: [{ ...bye, type: 'say' }] });
    const broken = await explore();
    assert.equal(broken.status, 422);
    assert.deepEqual(Object.keys(broken.json.error.details.fieldErrors), ['agentSettings']);

    const { id } = await createAgent(service, key, { llmModel: 'test-echo', language: 'en' });
    const none = await explore({ agentId: id });
    assert.equal(none.status, 422);
    assert.deepEqual(none.json.error.details.fieldErrors, { agentId: ['is not an agent with a flow'] });

    const unpublished = await explore({ agentVersion: 'published' });
    assert.deepEqual(unpublished.json.error.details.fieldErrors, {
      agentVersion: ['no version of the agent is published'],
    });
    const stranger = await service.newKey({ workspace: newWorkspaceName() });
    const foreign = await send(service, 'POST', path, { key: stranger.key, body: { agentId: id } });
    assert.deepEqual(foreign.json.error.details.fieldErrors, { agentId: ['is not an agent of this workspace'] });
  });

  it('leaves out the scripts that do not fit', () => {
    const end = { skill: 'done', script: { steps: ['x'.repeat(1000)] } };
    assert.equal(endsWithin([end, end, end], 2500).length, 2);
  });
});
