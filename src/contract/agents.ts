import { z } from 'zod';
import { agent } from './agent.ts';
import { createAgentBody, duplicateAgentBody, publishAgentBody, updateAgentBody } from './agent-requests.ts';
import { defineContract } from './area.ts';
import { defineOperation } from './operation.ts';
import { pageParameters, pageSuccess } from './pagination.ts';
import { text } from './text.ts';

const none = z.object({});
const nothing = z.object({}).meta({ id: 'Nothing', description: 'Nothing has to be said.' });
const id = z.string().meta({ description: 'The id of the agent.', examples: ['agt_01m2k7qv3h0000x4t9w8c5n1r6ybdz'] });
const version = z.string().meta({
  description: 'The number of a version, `latest` for the newest, or `published` for the newest that is published.',
  examples: ['published'],
});
const agentParams = z.object({ id });
const versionParams = z.object({ id, version });

const agents = { params: agentParams, query: none, body: null } as const;
const etag = { ETag: 'What to send as `If-Match` to change exactly this.' };

export const listAgents = defineOperation({
  ...agents,
  id: 'agents.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/agents',
  scope: 'agents:read',
  risk: 'standard',
  summary: 'List agents',
  description:
    'The agents of the workspace, newest first, a page at a time. Agents that are created while you page are neither repeated nor do they push others out.',
  params: none,
  query: z.object({
    ...pageParameters,
    q: text({ min: 1, max: 500 })
      .optional()
      .meta({
        description:
          'Only agents whose name contains this text, or whose id it is. Case and width do not matter: ｶﾌﾞｼｷ finds カブシキ. Everything in it is plain text.',
        examples: ['予約'],
      }),
  }),
  success: pageSuccess('AgentPage', agent, 'A page of agents.'),
});

export const createAgent = defineOperation({
  ...agents,
  id: 'agents.create',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/agents',
  scope: 'agents:write',
  risk: 'standard',
  summary: 'Create an agent',
  description:
    'Makes version 1 of a new agent, a draft. The answer comes once the agent is safely on disk. Fields that the request does not know are ignored, or refused with `Prefer: handling=strict`.',
  params: none,
  body: createAgentBody,
  bodyExample: {
    name: '予約受付',
    voiceId: 'ja-JP-Nanami',
    responseEngineType: 'single_prompt',
    prompt: 'あなたは美容室の受付です。予約を承ってください。',
    language: 'ja',
    beginMessage: 'お電話ありがとうございます。',
    adaptiveSpeechRate: { enabled: true, minSpeed: 0.8, maxSpeed: 1.3, windowSize: 3 },
  },
  success: { status: 201, description: 'The new agent.', body: agent, headers: etag },
});

export const getAgent = defineOperation({
  ...agents,
  id: 'agents.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/agents/{id}',
  scope: 'agents:read',
  risk: 'standard',
  summary: 'Get an agent',
  description:
    'One agent of the workspace, in its newest version. An agent of another workspace is as unknown as one that does not exist.',
  condition: 'If-None-Match',
  success: { status: 200, description: 'The agent.', body: agent, headers: etag },
});

export const updateAgent = defineOperation({
  ...agents,
  id: 'agents.update',
  kind: 'change',
  method: 'PATCH',
  path: '/api/v1/agents/{id}',
  scope: 'agents:write',
  risk: 'standard',
  summary: 'Change an agent',
  description:
    'Changes a draft in place. Changing a published agent opens the next version as a draft and leaves the published one as it is. Send the `ETag` that you read as `If-Match`, and nobody’s change is lost: whoever comes second is told so with 409. Without it the last writer wins. A change that changes nothing leaves everything as it is.',
  condition: 'If-Match',
  body: updateAgentBody,
  bodyMediaType: 'application/merge-patch+json',
  bodyExample: { name: '予約受付（本店）', responseEngine: { model: 'gpt-5.4' }, startSkillId: null },
  success: { status: 200, description: 'The agent as it is now.', body: agent, headers: etag },
});

export const deleteAgent = defineOperation({
  ...agents,
  id: 'agents.delete',
  kind: 'change',
  method: 'DELETE',
  path: '/api/v1/agents/{id}',
  scope: 'agents:write',
  risk: 'destructive',
  summary: 'Delete an agent',
  description: 'Removes the agent with all its versions. This cannot be taken back.',
  condition: 'If-Match',
  success: {
    status: 200,
    description: 'The agent is gone.',
    body: z
      .strictObject({
        id: id.max(64),
        deleted: z.literal(true).meta({ description: 'That it is gone.', examples: [true] }),
      })
      .meta({ id: 'DeletedAgent', description: 'What was deleted.' }),
  },
});

export const duplicateAgent = defineOperation({
  ...agents,
  id: 'agents.duplicate',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/agents/{id}/duplicate',
  scope: 'agents:write',
  risk: 'standard',
  summary: 'Duplicate an agent',
  description: 'Makes a new agent with the content of this one’s newest version: version 1, a draft.',
  body: duplicateAgentBody,
  isBodyOptional: true,
  bodyExample: { name: '予約受付（二号店）' },
  success: { status: 201, description: 'The copy.', body: agent, headers: etag },
});

export const publishAgent = defineOperation({
  ...agents,
  id: 'agents.publish',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/agents/{id}/publish',
  scope: 'agents:write',
  risk: 'sensitive',
  summary: 'Publish an agent',
  description:
    'Freezes the newest version: it never changes again, and calls use it from now on. What a draft may still lack is looked at here: a `custom_llm` needs its `llmWebsocketUrl`, an analysis field of type `enum` its options, the names of analysis fields must differ. Publishing what is published changes nothing.',
  condition: 'If-Match',
  body: publishAgentBody,
  isBodyOptional: true,
  bodyExample: { versionDescription: 'Opening hours for the holidays' },
  success: { status: 200, description: 'The published agent.', body: agent, headers: etag },
});

export const listAgentVersions = defineOperation({
  ...agents,
  id: 'agents.versions.list',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/agents/{id}/versions',
  scope: 'agents:read',
  risk: 'standard',
  summary: 'List the versions of an agent',
  description: 'Every version, newest first, each as the agent was or is in it. Only the newest can be a draft.',
  query: z.object(pageParameters),
  success: pageSuccess('AgentVersionPage', agent, 'A page of versions.'),
});

export const getAgentVersion = defineOperation({
  ...agents,
  id: 'agents.versions.get',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/agents/{id}/versions/{version}',
  scope: 'agents:read',
  risk: 'standard',
  summary: 'Get a version of an agent',
  description: 'The agent as it was or is in one version.',
  params: versionParams,
  condition: 'If-None-Match',
  success: { status: 200, description: 'The agent in that version.', body: agent, headers: etag },
});

export const restoreAgentVersion = defineOperation({
  ...agents,
  id: 'agents.versions.restore',
  kind: 'change',
  method: 'POST',
  path: '/api/v1/agents/{id}/versions/{version}/restore',
  scope: 'agents:write',
  risk: 'standard',
  summary: 'Restore a version of an agent',
  description:
    'Makes the newest version a draft with the content of this one: in place where it is a draft, as the next version where it is published. What is published stays so.',
  params: versionParams,
  condition: 'If-Match',
  body: nothing,
  isBodyOptional: true,
  bodyExample: {},
  success: { status: 200, description: 'The agent as it is now, a draft.', body: agent, headers: etag },
});

const versionName = text({ min: 1, max: 20 }).refine(
  (value) => /^([1-9]\d{0,8}|latest|published)$/.test(value),
  'must be the number of a version, latest or published',
);

export const diffAgent = defineOperation({
  ...agents,
  id: 'agents.diff',
  kind: 'read',
  method: 'GET',
  path: '/api/v1/agents/{id}/diff',
  scope: 'agents:read',
  risk: 'standard',
  summary: 'Compare two versions of an agent',
  description:
    'What has to change in the one version to make it the other, field by field, in the words of JSON Patch (RFC 6902): applied to the one, it gives the other. Lists are compared whole.',
  query: z.object({
    from: versionName.meta({
      description: 'The version to start from: a number, `latest` or `published`.',
      examples: ['1'],
    }),
    to: versionName.default('latest').meta({ description: 'The version to arrive at.', examples: ['latest'] }),
  }),
  success: {
    status: 200,
    description: 'The difference.',
    body: z
      .strictObject({
        from: z
          .number()
          .min(1)
          .meta({ description: 'The number of the version to start from.', examples: [1] }),
        to: z
          .number()
          .min(1)
          .meta({ description: 'The number of the version to arrive at.', examples: [2] }),
        changes: z
          .array(
            z
              .strictObject({
                op: z
                  .enum(['add', 'remove', 'replace'])
                  .meta({ description: 'What happens there.', examples: ['replace'] }),
                path: z
                  .string()
                  .meta({ description: 'Where, as a JSON Pointer (RFC 6901).', examples: ['/responseEngine/model'] }),
                from: z
                  .unknown()
                  .optional()
                  .meta({ description: 'What was there; absent for `add`.', examples: ['gpt-5.4-mini'] }),
                value: z
                  .unknown()
                  .optional()
                  .meta({ description: 'What is there afterwards; absent for `remove`.', examples: ['gpt-5.4'] }),
              })
              .meta({ description: 'One change.' }),
          )
          .meta({ description: 'The changes, in the order of the fields. Empty where the two are the same.' }),
      })
      .meta({ id: 'AgentDiff', description: 'The difference between two versions.' }),
  },
});

export const agentsContract = defineContract({
  tag: { name: 'Agents', description: 'What an agent says, how it sounds and how it listens, version by version.' },
  idPrefixes: ['agt'],
  scopes: {
    'agents:read': 'List, search and read agents.',
    'agents:write': 'Create and change agents.',
  },
  operations: [
    listAgents,
    createAgent,
    getAgent,
    updateAgent,
    deleteAgent,
    duplicateAgent,
    publishAgent,
    listAgentVersions,
    getAgentVersion,
    restoreAgentVersion,
    diffAgent,
  ],
});
