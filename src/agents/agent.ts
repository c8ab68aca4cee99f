import { type Agent, agent } from '../contract/agent.ts';
import { type CreateAgent, defaultEngineType, defaultModel } from '../contract/agents.ts';

/** Raised whenever stored documents need more than they have; older ones are then brought up by a migration. */
export const documentVersion = 1;

/** The first version of a new agent: what was asked for, and what the contract says for the rest. */
export function buildAgent(
  request: CreateAgent,
  identity: { readonly id: string; readonly workspaceId: string; readonly createdAt: string },
): Agent {
  const { responseEngineType, prompt, llmModel, responseEngine, beginMessage, ...rest } = request;
  return inContractOrder({
    ...rest,
    id: identity.id,
    workspaceId: identity.workspaceId,
    version: 1,
    isPublished: false,
    responseEngine: {
      type: responseEngineType ?? responseEngine?.type ?? defaultEngineType,
      prompt: prompt ?? responseEngine?.prompt,
      model: llmModel ?? responseEngine?.model ?? defaultModel,
      llmWebsocketUrl: responseEngine?.llmWebsocketUrl,
    },
    beginMessage: beginMessage ?? null,
    createdAt: identity.createdAt,
    updatedAt: identity.createdAt,
  });
}

/**
 * Checks a complete agent against the contract's own schema and puts its fields in the contract's order. What fails
 * here is a fault of ours and not of the caller: the request has been checked before.
 */
function inContractOrder(fields: Record<keyof Agent, unknown> | Record<string, unknown>): Agent {
  return agent.parse(JSON.parse(JSON.stringify(fields)));
}
