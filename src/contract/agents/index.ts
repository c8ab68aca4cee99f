import { z } from 'zod';
import { defineContract } from '../area.ts';
import { defineOperation } from '../operation.ts';
import { pageParameters, pageSuccess } from '../pagination.ts';
import { text } from '../text.ts';
import { agent } from './agent.ts';
import { createAgentBody, duplicateAgentBody, publishAgentBody, updateAgentBody } from './requests.ts';
import { agentScopes } from './scopes.ts';
import { listAgentStates } from './states.ts';
import { testAgentTool } from './tool-test.ts';

const none = z.object({});
const nothing = z.object({}).meta({ id: 'Nothing', description: 'An empty object.' });
const id = z.string().meta({ description: 'The id of the agent.', examples: ['agt_01m2k7qv3h0000x4t9w8c5n1r6ybdz'] });
const version = z.string().meta({
  description: 'A version number, `latest` for the latest version, or `published` for the latest published version.',
  examples: ['published'],
});
const agentParams = z.object({ id });
const versionParams = z.object({ id, version });

/** What most operations have. */
const agents = { params: agentParams, query: none, body: null, risk: 'standard' } as const;
const reading = { ...agents, kind: 'read', method: 'GET', scope: 'agents:read' } as const;
const changing = { ...agents, kind: 'change', method: 'POST', scope: 'agents:write' } as const;
const etag = {
  ETag: 'The entity tag of the agent. Send it as `If-Match` to change the agent only if it has not changed since.',
};

export const listAgents = defineOperation({
  ...reading,
  id: 'agents.list',
  path: '/api/v1/agents',
  summary: 'List agents',
  description:
    'Returns the agents of the workspace, newest first. Agents created while you page through the list cause neither duplicates nor gaps.',
  params: none,
  query: z.object({
    ...pageParameters,
    q: text({ min: 1, max: 500 })
      .optional()
      .meta({
        description:
          'Return only agents whose name contains this text, or whose id equals it. Case and character width are ignored: ｶﾌﾞｼｷ matches カブシキ. There are no wildcards.',
        examples: ['予約'],
      }),
  }),
  success: pageSuccess('AgentPage', agent, 'A page of agents.'),
});

export const createAgent = defineOperation({
  ...changing,
  id: 'agents.create',
  path: '/api/v1/agents',
  summary: 'Create an agent',
  description:
    'Creates an agent as version 1, a draft. The response is sent once the agent is durably stored. Unknown fields are ignored, or rejected with `Prefer: handling=strict`.',
  params: none,
  body: createAgentBody,
  bodyExample: {
    name: '予約受付',
    voiceId: 'mei',
    responseEngineType: 'single_prompt',
    prompt: 'あなたは美容室の受付です。予約を承ってください。',
    language: 'ja',
    beginMessage: 'お電話ありがとうございます。',
    adaptiveSpeechRate: { enabled: true, minSpeed: 0.8, maxSpeed: 1.3, windowSize: 3 },
  },
  success: { status: 201, description: 'The new agent.', body: agent, headers: etag },
});

export const getAgent = defineOperation({
  ...reading,
  id: 'agents.get',
  path: '/api/v1/agents/{id}',
  summary: 'Get an agent',
  description:
    'Returns the latest version of an agent. For an agent of another workspace, the response is the same as for one that does not exist.',
  condition: 'If-None-Match',
  success: { status: 200, description: 'The agent.', body: agent, headers: etag },
});

export const updateAgent = defineOperation({
  ...changing,
  id: 'agents.update',
  method: 'PATCH',
  path: '/api/v1/agents/{id}',
  summary: 'Update an agent',
  description:
    'Updates a draft in place. Updating a published agent creates the next version as a draft and leaves the published version unchanged. Send the `ETag` from your last read as `If-Match` to avoid overwriting concurrent changes: if the agent has changed since, the request fails with 409. Without `If-Match`, the last write wins. An update that changes nothing leaves the agent as it is.',
  condition: 'If-Match',
  body: updateAgentBody,
  bodyMediaType: 'application/merge-patch+json',
  bodyExample: { name: '予約受付（本店）', responseEngine: { model: 'gpt-5.4' }, startSkillId: null },
  success: { status: 200, description: 'The updated agent.', body: agent, headers: etag },
});

export const deleteAgent = defineOperation({
  ...changing,
  id: 'agents.delete',
  method: 'DELETE',
  path: '/api/v1/agents/{id}',
  risk: 'destructive',
  summary: 'Delete an agent',
  description: 'Deletes the agent with all its versions. This cannot be undone.',
  condition: 'If-Match',
  success: {
    status: 200,
    description: 'The agent has been deleted.',
    body: z
      .strictObject({
        id: id.max(64),
        deleted: z.literal(true).meta({ description: 'Always true.', examples: [true] }),
      })
      .meta({ id: 'DeletedAgent', description: 'The deleted agent.' }),
  },
});

export const duplicateAgent = defineOperation({
  ...changing,
  id: 'agents.duplicate',
  path: '/api/v1/agents/{id}/duplicate',
  summary: 'Duplicate an agent',
  description:
    'Creates a new agent with the content of the latest version of this one. The copy is version 1, a draft.',
  body: duplicateAgentBody,
  isBodyOptional: true,
  bodyExample: { name: '予約受付（二号店）' },
  success: { status: 201, description: 'The copy.', body: agent, headers: etag },
});

export const publishAgent = defineOperation({
  ...changing,
  id: 'agents.publish',
  path: '/api/v1/agents/{id}/publish',
  risk: 'sensitive',
  summary: 'Publish an agent',
  description:
    'Publishes the latest version: it becomes immutable, and calls use it from now on. The agent must be complete, and everything in it must be usable in a call: models, events, addresses, and the keys of `agentSettings` that the service reads. `GET /api/v1/agents/{id}/check` returns what is missing without publishing. Publishing a version that is already published changes nothing.',
  condition: 'If-Match',
  body: publishAgentBody,
  isBodyOptional: true,
  bodyExample: { versionDescription: 'Opening hours for the holidays' },
  success: { status: 200, description: 'The published agent.', body: agent, headers: etag },
});

const versionName = text({ min: 1, max: 20 }).refine(
  (value) => /^([1-9]\d{0,8}|latest|published)$/.test(value),
  'must be a version number, latest or published',
);

const finding = z
  .strictObject({
    field: text({ max: 100 }).meta({ description: 'The field of the agent.', examples: ['agentSettings'] }),
    path: text({ max: 300 }).meta({
      description: 'The path inside the field, in dot notation; empty if it is about the field as a whole.',
      examples: ['tools.0.url'],
    }),
    message: text({ max: 1000 }).meta({
      description: 'A human-readable message. The wording may change.',
      examples: ['must use port 443 or a port from 1024 to 65535'],
    }),
  })
  .meta({ id: 'AgentFinding', description: 'Something that is wrong with an agent.' });

export const checkAgent = defineOperation({
  ...reading,
  id: 'agents.check',
  path: '/api/v1/agents/{id}/check',
  summary: 'Check an agent',
  description:
    'Returns everything that publishing would reject, and warnings about what is probably a mistake, without publishing. Up to 100 of each are returned. A version that is already published can be checked, too: it may have been published when fewer rules applied.',
  query: z.object({
    version: versionName
      .default('latest')
      .meta({ description: 'The version to check: a number, `latest` or `published`.', examples: ['latest'] }),
  }),
  success: {
    status: 200,
    description: 'The result.',
    body: z
      .strictObject({
        publishable: z
          .boolean()
          .meta({ description: 'Whether the version can be published: there are no errors.', examples: [false] }),
        errors: z.array(finding).meta({ description: 'What prevents publishing.' }),
        warnings: z.array(finding).meta({ description: 'What is probably a mistake, but prevents nothing.' }),
      })
      .meta({ id: 'AgentCheck', description: 'Whether an agent can be published, and if not, why.' }),
  },
});

export const listAgentVersions = defineOperation({
  ...reading,
  id: 'agents.versions.list',
  path: '/api/v1/agents/{id}/versions',
  summary: 'List the versions of an agent',
  description:
    'Returns all versions of the agent, newest first, each as a complete agent. Only the latest can be a draft.',
  query: z.object(pageParameters),
  success: pageSuccess('AgentVersionPage', agent, 'A page of versions.'),
});

export const getAgentVersion = defineOperation({
  ...reading,
  id: 'agents.versions.get',
  path: '/api/v1/agents/{id}/versions/{version}',
  summary: 'Get a version of an agent',
  description: 'Returns one version of the agent.',
  params: versionParams,
  condition: 'If-None-Match',
  success: { status: 200, description: 'The requested version.', body: agent, headers: etag },
});

export const restoreAgentVersion = defineOperation({
  ...changing,
  id: 'agents.versions.restore',
  path: '/api/v1/agents/{id}/versions/{version}/restore',
  summary: 'Restore a version of an agent',
  description:
    'Copies the content of this version into the latest version, as a draft: in place if the latest version is a draft, or as a new version if it is published. Published versions stay unchanged.',
  params: versionParams,
  condition: 'If-Match',
  body: nothing,
  isBodyOptional: true,
  bodyExample: {},
  success: { status: 200, description: 'The updated agent, a draft.', body: agent, headers: etag },
});

export const diffAgent = defineOperation({
  ...reading,
  id: 'agents.diff',
  path: '/api/v1/agents/{id}/diff',
  summary: 'Compare two versions of an agent',
  description:
    'Returns the changes that turn one version into the other, as JSON Patch operations (RFC 6902). Lists are compared as a whole.',
  query: z.object({
    from: versionName.meta({
      description: 'The version to compare from: a number, `latest` or `published`.',
      examples: ['1'],
    }),
    to: versionName
      .default('latest')
      .meta({ description: 'The version to compare to: a number, `latest` or `published`.', examples: ['latest'] }),
  }),
  success: {
    status: 200,
    description: 'The differences.',
    body: z
      .strictObject({
        from: z
          .number()
          .min(1)
          .meta({ description: 'The number of the version compared from.', examples: [1] }),
        to: z
          .number()
          .min(1)
          .meta({ description: 'The number of the version compared to.', examples: [2] }),
        changes: z
          .array(
            z
              .strictObject({
                op: z.enum(['add', 'remove', 'replace']).meta({ description: 'The operation.', examples: ['replace'] }),
                path: z.string().meta({
                  description: 'The location, as a JSON Pointer (RFC 6901).',
                  examples: ['/responseEngine/model'],
                }),
                from: z
                  .unknown()
                  .optional()
                  .meta({ description: 'The previous value; absent for `add`.', examples: ['gpt-5.4-mini'] }),
                value: z
                  .unknown()
                  .optional()
                  .meta({ description: 'The new value; absent for `remove`.', examples: ['gpt-5.4'] }),
              })
              .meta({ id: 'AgentChange', description: 'A single change.' }),
          )
          .meta({ description: 'The changes, in field order. Empty if the versions are identical.' }),
      })
      .meta({ id: 'AgentDiff', description: 'The differences between two versions.' }),
  },
});

export type AgentCheck = z.infer<typeof checkAgent.success.body>;

export const agentsContract = defineContract({
  tag: {
    name: 'Agents',
    description: 'Voice agents and their versions: what an agent says, how it sounds and how it listens.',
  },
  idPrefixes: ['agt'],
  scopes: agentScopes,
  operations: [
    listAgents,
    createAgent,
    getAgent,
    updateAgent,
    deleteAgent,
    duplicateAgent,
    publishAgent,
    checkAgent,
    listAgentVersions,
    getAgentVersion,
    restoreAgentVersion,
    diffAgent,
    listAgentStates,
    testAgentTool,
  ],
});
