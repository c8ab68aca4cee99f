import { queryAnalytics } from '../../src/contract/analytics/query.ts';
import type { Random } from '../random.ts';
import { type Caller, type Marks, unknownIdLike } from './checks.ts';
import { credentialsOf, deadUrl } from './requests.ts';
import { differenceOf, shapeOf, textOf } from './signatures.ts';
import type { Tenant } from './world.ts';

/** A request whose body names something of the other workspace, beside what the path names. */
interface Reference {
  readonly about: string;
  readonly method: 'POST';
  readonly path: string;
  readonly foreignId: string;
  readonly body: (id: string) => object;
  readonly status: number;
}

/**
 * Foreign ids in bodies: what is named there is checked like what does not exist, and found nowhere. The ids themselves
 * are removed from the responses, some of which repeat them.
 */
export async function compareReferences(
  caller: Caller,
  { own, other, random }: { readonly own: Tenant; readonly other: Tenant; readonly random: Random },
  { found, marks }: { found: (what: string) => void; marks: Marks },
): Promise<number> {
  const references = referencesOf(own, other);
  for (const { about, method, path, foreignId, body, status } of references) {
    const shapes: string[] = [];
    for (const id of [foreignId, unknownIdLike(foreignId, random)]) {
      const probe = { about, method, path, options: { body: body(id) } };
      const reply = await caller.send('whole', probe, credentialsOf('bearer', own.secret));
      if (reply.status !== status)
        found(`${about}: ${reply.status} instead of ${status}: ${textOf(reply).slice(-200)}`);
      const withoutId = { ...reply, body: Buffer.from(reply.body.toString('utf8').replaceAll(id, 'SENT')) };
      marks.lookFor(about, withoutId);
      shapes.push(shapeOf(withoutId));
      // Lists of the own workspace would repeat the id.
      if (status === 201) await remove(caller, own, `${path}/${JSON.parse(reply.body.toString('utf8')).id}`);
    }
    const [foreign, unknown] = shapes as [string, string];
    if (foreign !== unknown) found(`${about} can be distinguished from unknown: ${differenceOf(foreign, unknown)}`);
  }
  return references.length + (await compareKnowledgeOfAgents(caller, { own, other, random }, { found, marks }));
}

/** An agent can name any base, which is checked when it is published; a call with the draft must not find anything in it. */
async function compareKnowledgeOfAgents(
  caller: Caller,
  { own, other, random }: { readonly own: Tenant; readonly other: Tenant; readonly random: Random },
  { found, marks }: { found: (what: string) => void; marks: Marks },
): Promise<number> {
  const foreignId = other.baseIds[0] as string;
  const credentials = credentialsOf('bearer', own.secret);
  const shapes: string[][] = [];
  for (const id of [foreignId, unknownIdLike(foreignId, random)]) {
    const replies: string[] = [];
    const send = async (path: string, body?: object) => {
      const probe = {
        about: 'knowledge of an agent',
        method: 'POST',
        path,
        options: body === undefined ? {} : { body },
      };
      const reply = await caller.send('whole', probe, credentials);
      const withoutId = { ...reply, body: Buffer.from(reply.body.toString('utf8').replaceAll(id, 'SENT')) };
      marks.lookFor('an agent with a foreign knowledge base', withoutId);
      replies.push(shapeOf(withoutId));
      return { status: reply.status, id: JSON.parse(reply.body.toString('utf8')).id as string };
    };
    const agentSettings = { knowledge: { bases: [{ id }] } };
    const agent = { name: 'x', voiceId: 'voice-1', llmModel: 'test-knowledge', agentSettings };
    const { id: agentId } = await send('/api/v1/agents', agent);
    const { status } = await send(`/api/v1/agents/${agentId}/publish`);
    if (status !== 422) found(`an agent with a foreign knowledge base was published with ${status}`);
    const call = await send('/api/v1/calls', { type: 'chat', agentId, agentVersion: 'latest' });
    if (call.status === 201) {
      await send(`/api/v1/calls/${call.id}/messages`, { text: 'When is parcel 7 returned?' });
      await send(`/api/v1/calls/${call.id}/end`);
    }
    shapes.push(replies);
    await remove(caller, own, `/api/v1/agents/${agentId}`);
  }
  const [foreign = [], unknown = []] = shapes;
  for (const [place, shape] of foreign.entries()) {
    const other = unknown[place] ?? '';
    if (shape !== other)
      found(`a foreign knowledge base can be distinguished from unknown: ${differenceOf(shape, other)}`);
  }
  return foreign.length;
}

async function remove(caller: Caller, { secret }: Tenant, path: string): Promise<void> {
  const probe = { about: 'the end of what names a foreign id', method: 'DELETE', path, options: {} };
  await caller.send('whole', probe, credentialsOf('bearer', secret));
}

function referencesOf(own: Tenant, other: Tenant): Reference[] {
  const [agent] = other.agents;
  const sending = { id: 'send', type: 'http_request', url: deadUrl };
  const definition = { trigger: { event: 'call_ended' }, steps: [sending] };
  const calling = (ids: object) => ({
    id: 'call',
    type: 'create_call',
    call: { type: 'phone', to: '+99912345678', ...ids },
  });
  const ofAgents = (id: string) => ({ event: 'call_ended', agentIds: [id] });
  const filter = (field: string) => (id: string) => ({
    ...queryAnalytics.bodyExample,
    range: { last: '2d' },
    filter: { field, op: 'eq', value: id },
  });
  const own0 = { agent: own.agents[0]?.id as string, call: own.callIds[0] as string };
  const create = { method: 'POST', path: '/api/v1/workflows', status: 422 } as const;
  const test = { method: 'POST', path: '/api/v1/workflows/test', status: 422 } as const;
  const query = { method: 'POST', path: '/api/v1/analytics/query', status: 200 } as const;
  const base = `/api/v1/knowledge-bases/${own.baseIds[0]}`;
  return [
    {
      ...create,
      about: 'a workflow for a foreign agent',
      foreignId: agent?.id as string,
      body: (id) => ({ name: 'x', steps: [sending], trigger: ofAgents(id) }),
    },
    {
      ...create,
      about: 'a workflow that calls with a foreign agent',
      foreignId: agent?.id as string,
      body: (id) => ({
        name: 'x',
        trigger: definition.trigger,
        steps: [calling({ agentId: id, fromPhoneNumberId: own.numberIds[0] })],
      }),
    },
    {
      ...create,
      status: 201,
      about: 'a workflow that calls from a foreign number',
      foreignId: other.numberIds[0] as string,
      body: (id) => ({
        name: 'x',
        trigger: definition.trigger,
        steps: [calling({ agentId: own0.agent, fromPhoneNumberId: id })],
      }),
    },
    {
      about: 'a run about a foreign call',
      method: 'POST',
      path: `/api/v1/workflows/${own.workflowIds[0]}/runs`,
      foreignId: other.callIds[0] as string,
      body: (callId) => ({ callId }),
      status: 422,
    },
    {
      ...test,
      about: 'a test of a foreign workflow',
      foreignId: other.workflowIds[0] as string,
      body: (workflowId) => ({ callId: own0.call, workflowId }),
    },
    {
      ...test,
      about: 'a test of a definition for a foreign agent',
      foreignId: agent?.id as string,
      body: (id) => ({ callId: own0.call, definition: { ...definition, trigger: ofAgents(id) } }),
    },
    {
      about: 'an evaluation that expects a foreign document',
      method: 'POST',
      path: `${base}/evaluate`,
      foreignId: other.documentIds[0] as string,
      body: (id) => ({ questions: [{ query: 'parcel 7', expected: [id] }] }),
      status: 200,
    },
    { ...query, about: 'figures of a foreign agent', foreignId: agent?.id as string, body: filter('agentId') },
  ];
}
