import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '../../src/contract/index.ts';
import { previewVoice } from '../../src/contract/providers/index.ts';
import { runSimulation } from '../../src/contract/simulations/index.ts';
import { send } from '../support/client.ts';
import { onEachEngine } from '../support/engines.ts';
import { type Service, startService } from '../support/service.ts';
import { dataKey, type Names, openRelease, releases } from './releases.ts';

type ReadOperation = Extract<(typeof operations)[number], { kind: 'read' }>;

interface Read {
  /** What is in the path and the query. */
  readonly paths: readonly string[];
  readonly body?: object;
}

/** Reads of what a release has stored: a read operation without an entry here does not compile. */
const reads: Record<ReadOperation['id'], (names: Names) => Read> = {
  'agents.list': () => ({ paths: ['', '?limit=2', '?q=reception'] }),
  'agents.get': ({ agentId }) => ({ paths: [agentId] }),
  'agents.check': ({ agentId }) => ({ paths: [agentId] }),
  'agents.versions.list': ({ agentId }) => ({ paths: [agentId] }),
  'agents.versions.get': ({ agentId }) => ({ paths: [`${agentId} 1`, `${agentId} 2`, `${agentId} latest`] }),
  'agents.diff': ({ agentId }) => ({ paths: [`${agentId}?from=1&to=latest`] }),
  'agents.states.list': ({ agentId }) => ({ paths: [`?agentId=${agentId}`] }),
  'apiKeys.list': () => ({ paths: [''] }),
  'apiKeys.get': ({ apiKeyId }) => ({ paths: [apiKeyId] }),
  whoami: () => ({ paths: [''] }),
  'auditLog.list': ({ agentId }) => ({ paths: ['?limit=200', `?resourceId=${agentId}`, '?routeId=agents.publish'] }),
  'figures.get': () => ({ paths: [''] }),
  'calls.list': () => ({ paths: ['', '?type=web', '?externalId=order-1'] }),
  'calls.search': () => ({ paths: [''], body: { filter: { field: 'metadata.page', op: 'eq', value: '/booking' } } }),
  'calls.get': (names) => ({ paths: callsOf(names) }),
  'calls.events.list': (names) => ({ paths: callsOf(names) }),
  'calls.transcript.get': (names) => ({ paths: callsOf(names) }),
  'calls.skill.get': ({ openCallId }) => ({ paths: [openCallId] }),
  'calls.recording.get': ({ recordedCallId }) => ({ paths: [recordedCallId] }),
  'calls.concurrency.get': () => ({ paths: [''] }),
  'calls.analysis.list': ({ callId, redactedCallId }) => ({ paths: [callId, redactedCallId] }),
  'calls.analysis.preview': ({ callId }) => ({ paths: [callId], body: {} }),
  'providers.list': () => ({ paths: [''] }),
  'voices.list': () => ({ paths: [''] }),
  'voices.preview': () => ({ paths: [''], body: { ...previewVoice.bodyExample, provider: 'test' } }),
  'simulations.run': ({ agentId }) => ({ paths: [''], body: { ...runSimulation.bodyExample, agentId } }),
  // The agents of releases have no flow.
  'simulations.explore': () => ({ paths: [] }),
  'secrets.list': () => ({ paths: [''] }),
  'webhooks.list': () => ({ paths: ['', '?kind=agent'] }),
  'webhooks.get': ({ webhookId }) => ({ paths: [webhookId] }),
  'webhooks.deliveries.list': ({ webhookId }) => ({ paths: [webhookId] }),
  'webhooks.deliveries.get': ({ webhookId, deliveryId }) => ({ paths: [`${webhookId} ${deliveryId}`] }),
  'events.list': () => ({ paths: ['?limit=200', '?order=asc'] }),
  'events.get': ({ eventId }) => ({ paths: [eventId] }),
  'events.types.list': () => ({ paths: [''] }),
  // Their keys do not have the scope.
  'analytics.query': () => ({ paths: [] }),
  'analytics.fields.list': () => ({ paths: [] }),
  'analytics.prices.list': () => ({ paths: [] }),
  'analytics.views.list': () => ({ paths: [] }),
  'analytics.views.get': () => ({ paths: [] }),
  'analytics.alerts.list': () => ({ paths: [] }),
  'analytics.alerts.get': () => ({ paths: [] }),
  'workflows.list': () => ({ paths: [] }),
  'workflows.get': () => ({ paths: [] }),
  'workflows.versions.list': () => ({ paths: [] }),
  'workflows.test': () => ({ paths: [] }),
  'workflows.runs.list': () => ({ paths: [] }),
  'workflows.runs.get': () => ({ paths: [] }),
  // No release before them has any.
  'carriers.list': () => ({ paths: [] }),
  'phoneNumbers.list': () => ({ paths: [] }),
  'doNotCall.list': () => ({ paths: [] }),
  'carriers.get': () => ({ paths: [] }),
  'carriers.numbers.list': () => ({ paths: [] }),
  'phoneNumbers.get': () => ({ paths: [] }),
  'knowledgeBases.list': () => ({ paths: [] }),
  'knowledgeBases.get': () => ({ paths: [] }),
  'knowledgeBases.search': () => ({ paths: [] }),
  'knowledgeBases.evaluate': () => ({ paths: [] }),
  'knowledgeBases.chunks.get': () => ({ paths: [] }),
  'knowledgeBases.pages.find': () => ({ paths: [] }),
  'documents.list': () => ({ paths: [] }),
  'documents.get': () => ({ paths: [] }),
  'documents.chunks.list': () => ({ paths: [] }),
};

function callsOf({ callId, openCallId, redactedCallId, toolCallId, recordedCallId }: Names): string[] {
  return [callId, openCallId, redactedCallId, toolCallId, recordedCallId];
}

/** Fills the parameters of a path: `ID OTHER?QUERY`. */
function pathOf(pattern: string, given: string): string {
  const [names = '', query] = given.split('?');
  const left = names.split(' ').values();
  const path = pattern.replaceAll(/\{\w+\}/g, () => left.next().value as string);
  return query === undefined ? path : `${path}?${query}`;
}

onEachEngine('the database of each release', (engine) => {
  for (const release of releases) {
    describe(release, () => {
      let service: Service;
      let names: Names;
      before(async () => {
        const opened = await openRelease(engine, release);
        names = opened.names;
        // Shortly after it was made, or what is in it would be too old.
        const age = Date.now() - names.madeAt;
        service = await startService(engine, {
          databaseUrl: opened.databaseUrl,
          dataKeys: [dataKey],
          now: () => Date.now() - age,
        });
      });
      after(() => service.close());

      for (const { id, method, path } of operations.filter(({ kind }) => kind === 'read') as ReadOperation[]) {
        it(`answers ${id} according to its schema`, async () => {
          const { paths, body } = reads[id](names);
          for (const given of paths) {
            const call = { key: names.key, ...(body === undefined ? {} : { body }) };
            const answer = await send(service, method, pathOf(path, given), call);
            assert.equal(answer.status, 200, answer.text);
            // No provider of the tests has voices.
            if (id !== 'voices.list') assert.notDeepEqual(answer.json?.items, [], 'what was stored is still found');
          }
        });
      }

      it('can still be changed', async () => {
        const { key, agentId, callId, webhookId } = names;
        for (const [path, body] of [
          [`agents/${agentId}`, { name: 'New name' }],
          [`calls/${callId}`, { metadata: { page: '/new' } }],
          [`webhooks/${webhookId}`, { description: 'new' }],
        ] as const) {
          const answer = await send(service, 'PATCH', `/api/v1/${path}`, { key, body });
          assert.equal(answer.status, 200, answer.text);
        }
      });
    });
  }
});
