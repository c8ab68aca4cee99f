import { z } from 'zod';
import { type Agent, agent } from '../../contract/agents/agent.ts';
import { type CreateAgent, defaultEngineType, defaultModel, type UpdateAgent } from '../../contract/agents/requests.ts';
import { malformed, unprocessable } from '../../core/errors.ts';
import { check, Issues } from '../../core/issues.ts';
import { exceededLimit } from '../../core/json-limits.ts';
import { isSameJson, mergePatch } from '../../core/merge-patch.ts';
import type { AllowedNetworks } from '../../net/networks.ts';
import { publishability, type WorkspaceParts } from './publishable.ts';

const fieldNames = Object.keys(agent.shape);

/** Fields that are always present and may be null, unlike those that null removes. */
const nullableFields = new Set(
  Object.entries(agent.shape).flatMap(([name, schema]) => (schema instanceof z.ZodNullable ? [name] : [])),
);

/** The object fields that a patch is merged into. All other fields are replaced. */
const mergedFields = z.object({
  responseEngine: agent.shape.responseEngine,
  adaptiveSpeechRate: agent.shape.adaptiveSpeechRate,
});

/** One request body plus some room for defaults: merging must not produce a larger agent than creating can. */
const maxAgentBytes = 1024 * 1024 + 16 * 1024;

interface Identity {
  readonly id: string;
  readonly workspaceId: string;
  readonly createdAt: string;
}

/**
 * Builds the first version of a new agent: the requested fields, and the defaults of the contract for the rest. The
 * request was already validated against the agent schemas, so only the order of the fields is left to do.
 */
export function buildAgent(request: CreateAgent, identity: Identity): Agent {
  const { responseEngineType, prompt, llmModel, responseEngine, beginMessage, agentSettings } = request;
  const fields: Record<string, unknown> = {
    ...request,
    ...firstVersion(identity),
    responseEngine: {
      type: responseEngineType ?? responseEngine?.type ?? defaultEngineType,
      prompt: prompt ?? responseEngine?.prompt,
      model: llmModel ?? responseEngine?.model ?? defaultModel,
      llmWebsocketUrl: responseEngine?.llmWebsocketUrl,
    },
    beginMessage: beginMessage ?? null,
    // Optional fields are absent until they are set, never null.
    agentSettings: agentSettings ?? undefined,
  };
  return inContractOrder(fields);
}

/** A new agent with the content of another. A description belongs to one version, so it is not copied. */
export function duplicateAgent(original: Agent, name: string | undefined, identity: Identity): Agent {
  const copied = { ...original, versionDescription: null, name: name ?? original.name };
  return inContractOrder({ ...copied, ...firstVersion(identity) });
}

function firstVersion({ id, workspaceId, createdAt }: Identity) {
  return { id, workspaceId, version: 1, isPublished: false, createdAt, updatedAt: createdAt };
}

/** Returns the head after a change, or the same head if the patch changes nothing. */
export function changeAgent(head: Agent, patch: UpdateAgent, now: string): Agent {
  const merged = mergeAgent(head, patch);
  const names = Object.keys(patch) as (keyof Agent)[];
  if (names.every((name) => isSameJson(merged[name], head[name]))) return head;
  if (Buffer.byteLength(JSON.stringify(merged)) > maxAgentBytes)
    throw malformed('the agent would be larger than 1 MiB');
  const excess = 'agentSettings' in patch || 'agentVariables' in patch ? excessOf(merged) : undefined;
  if (excess !== undefined) throw malformed(`the agent would have ${excess}`);
  return nextDraft(head, 'versionDescription' in patch ? merged : withDescriptionOfDraft(merged, head), now);
}

/** Only the two free-form JSON fields can make an agent exceed the limits of a body. */
function excessOf({ agentSettings, agentVariables }: Agent): string | undefined {
  return exceededLimit(JSON.stringify({ agentSettings, agentVariables }));
}

/**
 * Both the patch and the stored head were validated already. Only a merged object can be invalid, such as a rate
 * without its bounds.
 */
function mergeAgent(head: Agent, patch: UpdateAgent): Agent {
  const merged = mergePatch(head, patch) as Agent;
  const result = check(mergedFields, merged);
  if ('value' in result) {
    const nullable = Object.fromEntries(Object.entries(patch).filter(([name]) => nullableFields.has(name)));
    // Null removes a field, except for nullable fields, where it is a value.
    return { ...merged, ...nullable, ...result.value };
  }
  const issues = new Issues();
  for (const issue of result.issues) issues.add(issue);
  issues.throwIfAny();
  return merged;
}

/** The head with the content of an earlier version. */
export function restoreAgent(head: Agent, source: Agent, now: string): Agent {
  const { version, isPublished, updatedAt } = head;
  const content = withDescriptionOfDraft(source, head);
  if (!isPublished && isSameJson({ ...content, version, isPublished, updatedAt }, head)) return head;
  return nextDraft(head, content, now);
}

/** A draft keeps the description that it was given. A new draft has none: what changed in it is not known yet. */
function withDescriptionOfDraft(content: Agent, head: Agent): Agent {
  return { ...content, versionDescription: head.isPublished ? null : head.versionDescription };
}

/**
 * A draft keeps its version number when it changes. A published version is kept, and the change opens the next number.
 */
function nextDraft(head: Agent, content: Agent, now: string): Agent {
  return inContractOrder({
    ...content,
    version: head.isPublished ? head.version + 1 : head.version,
    isPublished: false,
    updatedAt: later(head.updatedAt, now),
  });
}

export interface Publishing extends WorkspaceParts {
  readonly versionDescription: string | null | undefined;
  readonly allowedNetworks: AllowedNetworks;
  readonly now: string;
}

/** Publishes the head. Throws if it contains what a draft may contain but a published agent may not. */
export function publishAgent(head: Agent, { versionDescription, allowedNetworks, now, ...parts }: Publishing): Agent {
  if (head.isPublished) return head;
  const issues = new Issues();
  for (const issue of publishability(head, allowedNetworks, parts).errors) issues.add(issue);
  issues.throwIfAny(unprocessable);
  return inContractOrder({
    ...head,
    isPublished: true,
    versionDescription: versionDescription === undefined ? head.versionDescription : versionDescription,
    updatedAt: later(head.updatedAt, now),
  });
}

/** Timestamps of an agent never go backwards, even if the clock does. */
function later(before: string, now: string): string {
  return before > now ? before : now;
}

/** The fields of an agent, and no others, in the order of the contract. */
function inContractOrder(fields: Readonly<Record<string, unknown>>): Agent {
  const ordered: Record<string, unknown> = {};
  for (const name of fieldNames) if (fields[name] !== undefined) ordered[name] = fields[name];
  // Copied because V8 keeps an object that was built key by key in dictionary mode, which JSON.stringify serializes
  // three times more slowly.
  return { ...ordered } as Agent;
}
