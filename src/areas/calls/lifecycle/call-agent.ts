import { hash } from 'node:crypto';
import type { Agent } from '../../../contract/agents/agent.ts';
import type { CallSettings } from '../../../contract/agents/settings/index.ts';
import { versionNameOf } from '../../../contract/agents/version.ts';
import type { Call } from '../../../contract/calls/call.ts';
import type { CreateCall } from '../../../contract/calls/requests.ts';
import { unprocessable } from '../../../core/errors.ts';
import { type Issue, Issues } from '../../../core/issues.ts';
import type { Queries } from '../../../storage/database.ts';
import { type EngineName, engineFor, flowOf } from '../../../voice/engines/choose.ts';
import { unusedSettings } from '../../../voice/engines/unused-settings.ts';
import { type NotApplied, policyOf } from '../../../voice/policy.ts';
import type { SpeechProviders } from '../../../voice/speech-ports.ts';
import { channelOf } from '../conversation/channel.ts';
import type { AgentOfCall } from '../record/pinned-agents.ts';
import { isLooser, type StorageSetting } from '../record/storage-setting.ts';
import type { PinnedAgent } from '../record/store.ts';

/** A version of an agent, and the bytes that identify its content. */
export interface AgentVersion extends PinnedAgent {
  readonly agent: Agent;
}

/** What calls know of agents. */
export interface CallAgents {
  /** Undefined if the workspace has no such agent, or the agent no such version. */
  readVersion(
    queries: Queries,
    workspaceId: string,
    id: string,
    version: number | 'latest' | 'published',
  ): Promise<AgentVersion | undefined>;
  /** What prevents the version from being published. */
  publishingIssues(queries: Queries, version: AgentVersion): Promise<readonly Issue[]>;
}

/** Which speech there is for the calls of an agent. */
export type SpeechChoice = Pick<SpeechProviders, 'isConfigured' | 'stt' | 'tts'>;

/** The version that a request names; otherwise 422. */
export async function findVersion(
  agents: CallAgents,
  queries: Queries,
  workspaceId: string,
  { agentId, agentVersion }: CreateCall,
): Promise<AgentVersion> {
  const name = versionNameOf(agentVersion);
  const found = name === undefined ? undefined : await agents.readVersion(queries, workspaceId, agentId, name);
  if (found !== undefined) return found;
  const isThere = (await agents.readVersion(queries, workspaceId, agentId, 'latest')) !== undefined;
  const noVersion =
    agentVersion === 'published' ? 'no version of the agent is published' : 'is not a version of the agent';
  throw unprocessable({
    ...(isThere ? {} : { agentId: ['is not an agent of this workspace'] }),
    // If the agent does not exist, only a name that no version can have is known to be wrong.
    ...(isThere || name === undefined ? { agentVersion: [noVersion] } : {}),
  });
}

/** The parts of a request for a call that its agent has to allow. */
export type RequestedCall = Pick<CreateCall, 'type' | 'startSkillId' | 'dataStorageSetting' | 'recordingEnabled'> &
  Partial<Pick<CreateCall, 'toolResults'>>;

/** What prevents a call with this version. */
export async function callIssues(
  { agents, speechOf }: { readonly agents: CallAgents; readonly speechOf: (workspaceId: string) => SpeechChoice },
  queries: Queries,
  version: AgentVersion,
  body: RequestedCall,
): Promise<readonly Issue[]> {
  const { agent } = version;
  const setting = body.dataStorageSetting ?? agent.dataStorageSetting;
  return [
    ...(await agents.publishingIssues(queries, version)),
    ...startIssues(body, agent),
    ...toolResultIssues(body, agent),
    ...settingIssues(body, agent, setting),
    ...speechIssues(speechOf(agent.workspaceId), body, agent, setting),
  ];
}

function startIssues({ startSkillId }: RequestedCall, agent: Agent): Issue[] {
  if (startSkillId === undefined) return [];
  const path = ['startSkillId'];
  if (engineFor(agent, true) !== 'flow') return [{ path, message: 'is for a conversation flow only' }];
  // A flow that is not valid has issues of its own.
  const { skills } = flowOf(agent);
  const isKnown = Array.isArray(skills) && skills.some((skill) => skill?.id === startSkillId);
  return isKnown ? [] : [{ path, message: 'is not the id of a skill' }];
}

/** The callers of a published agent are told what its tools have done. */
function toolResultIssues({ toolResults }: RequestedCall, { isPublished }: Agent): Issue[] {
  if (toolResults !== 'example' || !isPublished) return [];
  return [{ path: ['toolResults'], message: 'must be live, because this version is published' }];
}

/** The version as this call uses it: with another start, or with the examples of its tools. */
export function versionOfCall(
  version: AgentVersion,
  { startSkillId, toolResults }: Pick<CreateCall, 'startSkillId' | 'toolResults'>,
): AgentVersion {
  if (startSkillId === undefined && toolResults === 'live') return version;
  const agent: AgentOfCall = {
    ...version.agent,
    ...(startSkillId !== undefined && { startSkillId }),
    ...(toolResults === 'example' && { toolResults }),
  };
  const document = JSON.stringify(agent);
  return { ...version, agent, document, digest: hash('sha256', document, 'base64url').slice(0, 27) };
}

function settingIssues(body: RequestedCall, agent: Agent, setting: StorageSetting): Issue[] {
  const issues: Issue[] = [];
  if (isLooser(setting, agent.dataStorageSetting)) {
    issues.push({
      path: ['dataStorageSetting'],
      message: `must be at least as strict as that of the agent, ${agent.dataStorageSetting}`,
    });
  }
  if (body.recordingEnabled === true && setting !== 'everything') {
    issues.push({ path: ['recordingEnabled'], message: 'is not possible unless everything is stored' });
  }
  return issues;
}

export function recordingOf(
  agent: Agent,
  { type, recordingEnabled }: RequestedCall,
  setting: StorageSetting,
): { readonly status: 'none' | 'not_stored'; readonly notApplied: readonly NotApplied[]; readonly isWanted: boolean } {
  const { calls } = (agent.agentSettings ?? {}) as { readonly calls?: CallSettings };
  const isWanted = channelOf({ type }).isSpoken && (recordingEnabled ?? calls?.recordingEnabled ?? false);
  if (!isWanted || setting === 'everything') return { status: 'none', notApplied: [], isWanted };
  return {
    status: 'not_stored',
    notApplied: [{ field: 'agentSettings.calls.recordingEnabled', reason: 'data_storage_setting' }],
    isWanted: false,
  };
}

/** A named provider must be there; `auto` is what is there, or nothing: the caller of a web call can type and read. */
function speechIssues(
  speech: SpeechChoice,
  { type }: RequestedCall,
  { sttProvider, ttsProvider, language }: Agent,
  setting: StorageSetting,
): Issue[] {
  const { isSpoken, hasPage } = channelOf({ type });
  if (!isSpoken) return [];
  const issues: Issue[] = [];
  const add = (field: 'sttProvider' | 'ttsProvider', message: string) => issues.push({ path: [field], message });
  const message = 'is not a speech provider that is configured here';
  if (sttProvider === 'browser') {
    if (!hasPage) add('sttProvider', 'cannot be browser in a phone call');
    else if (setting !== 'everything') add('sttProvider', 'cannot be browser unless everything is stored');
  } else if (sttProvider !== 'auto' && !speech.isConfigured('stt', sttProvider)) add('sttProvider', message);
  else if (!hasPage && speech.stt(sttProvider, language) === null) {
    add('sttProvider', `has no recognizer for ${language}, which a phone call needs`);
  }
  if (ttsProvider !== 'auto' && !speech.isConfigured('tts', ttsProvider)) add('ttsProvider', message);
  else if (!hasPage && speech.tts(ttsProvider, language) === null) {
    add('ttsProvider', `has no voice for ${language}, which a phone call needs`);
  }
  return issues;
}

/** `auto` with nothing for the language. */
function missingSpeech(speech: SpeechChoice, { sttProvider, ttsProvider, language }: Agent): NotApplied[] {
  const list: NotApplied[] = [];
  const reason = 'provider_not_configured';
  if (sttProvider === 'auto' && speech.stt('auto', language) === null) list.push({ field: 'sttProvider', reason });
  if (ttsProvider === 'auto' && speech.tts('auto', language) === null) list.push({ field: 'ttsProvider', reason });
  return list;
}

export function notAppliedIn(
  agent: Agent,
  type: Call['type'],
  engine: EngineName,
  {
    speechOf,
    hasModel,
  }: { readonly speechOf: (workspaceId: string) => SpeechChoice; readonly hasModel: (workspaceId: string) => boolean },
): NotApplied[] {
  const { isSpoken } = channelOf({ type });
  const { notApplied: settings } = policyOf(agent, {
    isChat: !isSpoken,
    isFlow: engine === 'flow',
    recognizer: { hasPartials: true, waitMs: 0, hasEcho: false },
  });
  const speech = speechOf(agent.workspaceId);
  const notApplied = isSpoken ? [...settings, ...missingSpeech(speech, agent)] : settings;
  return [...notApplied, ...unusedSettings(agent, engine, hasModel(agent.workspaceId))];
}

export function refuse(found: readonly Issue[]): void {
  const issues = new Issues();
  for (const issue of found) issues.add(issue);
  issues.throwIfAny(unprocessable);
}
