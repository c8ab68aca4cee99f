import { hash } from 'node:crypto';
import type { Agent } from '../../../contract/agents/agent.ts';
import type { CallSettings } from '../../../contract/agents/settings/index.ts';
import { versionNameOf } from '../../../contract/agents/version.ts';
import type { Call } from '../../../contract/calls/call.ts';
import type { CreateCall } from '../../../contract/calls/requests.ts';
import { notAccepting, providerNotConfigured, unprocessable, validationFailed } from '../../../core/errors.ts';
import { type Issue, Issues } from '../../../core/issues.ts';
import type { Queries } from '../../../storage/database.ts';
import { engineFor, flowOf } from '../../../voice/engines/choose.ts';
import { unusedSettings } from '../../../voice/engines/unused-settings.ts';
import { type NotApplied, policyOf } from '../../../voice/policy.ts';
import type { SpeechProviders } from '../../../voice/speech-ports.ts';
import { channelOf } from '../conversation/channel.ts';
import type { StateBeforeStart } from '../conversation/state.ts';
import { newCall } from '../record/call.ts';
import type { Journal } from '../record/journal.ts';
import type { LockedCall } from '../record/locked-call.ts';
import { recordingNameOf } from '../record/recordings.ts';
import { isLooser, isSealed, partialRedaction, type StorageSetting } from '../record/storage-setting.ts';
import type { CallStore, PinnedAgent } from '../record/store.ts';
import { type Concurrency, poolOf } from './concurrency.ts';

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

export interface CreateParts {
  readonly agents: CallAgents;
  readonly store: CallStore;
  readonly journal: Journal;
  readonly concurrency: Concurrency;
  readonly newId: (prefix: string) => string;
  readonly now: () => number;
  /** Whether a language model is connected. */
  readonly hasModel: boolean;
  readonly speech: SpeechChoice;
  /** Whether this process is too busy for another voice call. */
  readonly isBusy: () => boolean;
  /** Creates the webhook of the agent if the version needs its secret. */
  readonly ensureWebhook: (queries: Queries, agent: Agent) => Promise<unknown>;
}

/** Which speech there is for the calls of an agent. */
export type SpeechChoice = Pick<SpeechProviders, 'isConfigured' | 'stt' | 'tts'>;

const maxStartMs = 30 * 24 * 3_600_000;
export const joinMs = 120_000;

/** Creates a call in the caller's transaction. The order of the checks is part of the contract. */
export async function createCall(
  parts: CreateParts,
  queries: Queries,
  workspaceId: string,
  body: CreateCall,
): Promise<LockedCall> {
  const { store, journal, concurrency, newId } = parts;
  const now = parts.now();
  const startAt = startTime(body, now);
  const channel = channelOf(body);
  if (channel.needsCarrier) throw providerNotConfigured('carrier');
  const version = await findVersion(parts.agents, queries, workspaceId, body);
  const pinned = startingAt(version, body.startSkillId);
  const { agent } = pinned;
  const setting = body.dataStorageSetting ?? agent.dataStorageSetting;
  refuse([
    ...(await parts.agents.publishingIssues(queries, version)),
    ...startIssues(body, version.agent),
    ...settingIssues(body, agent, setting),
    ...speechIssues(parts.speech, body, agent, setting),
  ]);

  const pool = poolOf(body.type);
  const free = await concurrency.free(queries, workspaceId, pool);
  const isQueued = startAt !== null || (free <= 0 && body.queue);
  if (free <= 0 && !isQueued) throw concurrency.refusal(pool, free);
  if (channel.isSpoken && !isQueued && parts.isBusy()) throw tooBusy();

  const engine = engineFor(agent, parts.hasModel);
  const recording = recordingOf(agent, body, setting);
  const call = newCall({
    id: newId('call'),
    agent,
    body,
    engine,
    setting,
    status: isQueued ? 'queued' : 'registered',
    notApplied: [...notAppliedIn(agent, body.type, engine, parts), ...recording.notApplied],
    recording: recording.status,
    now: new Date(now).toISOString(),
  });
  const dueFrom = startAt ?? now;
  const queue = isQueued ? { mayWait: body.queue, expiresAt: dueFrom + body.expiresInSeconds * 1000 } : null;
  const locked = journal.newCall({
    call,
    language: agent.language,
    agentDigest: pinned.digest,
    dueAt: isQueued ? dueFrom : now + joinMs,
    owner: null,
    ownerEpoch: 0,
    leaseUntil: queue === null ? null : queue.mayWait ? queue.expiresAt : dueFrom,
    nextTurn: 0,
    transcriptBytes: 0,
    nextEvent: 1,
    nextSequence: 1,
    tokenNumber: 0,
    joinedToken: null,
    state: null,
    recording: recording.isWanted ? { name: recordingNameOf(call.id), sha256: null } : null,
  });
  locked.addEvent('state_changed', { from: null, to: call.status, endReason: null });
  if (setting === 'everything_except_pii') locked.addEvent('warning', partialRedaction);
  await store.keepAgent(queries, workspaceId, pinned);
  const state: StateBeforeStart = { variables: body.variables, queue };
  if (isSealed(setting) || isQueued) locked.set({ state });
  await parts.ensureWebhook(queries, agent);
  return locked;
}

function startTime({ startAt }: CreateCall, now: number): number | null {
  if (startAt === undefined) return null;
  const time = Date.parse(startAt);
  if (time <= now) throw validationFailed({ startAt: ['must be in the future'] });
  if (time > now + maxStartMs) throw validationFailed({ startAt: ['must be at most 30 days ahead'] });
  return time;
}

async function findVersion(
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

function startIssues({ startSkillId }: CreateCall, agent: Agent): Issue[] {
  if (startSkillId === undefined) return [];
  const path = ['startSkillId'];
  if (engineFor(agent, true) !== 'flow') return [{ path, message: 'is for a conversation flow only' }];
  // A flow that is not valid has issues of its own.
  const { skills } = flowOf(agent);
  const isKnown = Array.isArray(skills) && skills.some((skill) => skill?.id === startSkillId);
  return isKnown ? [] : [{ path, message: 'is not the id of a skill' }];
}

/** The version with another start, for this call alone. */
function startingAt(version: AgentVersion, startSkillId: string | undefined): AgentVersion {
  if (startSkillId === undefined) return version;
  const agent = { ...version.agent, startSkillId };
  const document = JSON.stringify(agent);
  return { ...version, agent, document, digest: hash('sha256', document, 'base64url').slice(0, 27) };
}

function settingIssues(body: CreateCall, agent: Agent, setting: StorageSetting): Issue[] {
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

function recordingOf(
  agent: Agent,
  { type, recordingEnabled }: CreateCall,
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

/** A named provider must be there; `auto` is what is there, or nothing. */
function speechIssues(
  speech: SpeechChoice,
  { type }: CreateCall,
  { sttProvider, ttsProvider }: Agent,
  setting: StorageSetting,
): Issue[] {
  if (!channelOf({ type }).isSpoken) return [];
  const issues: Issue[] = [];
  const message = 'is not a speech provider that is configured here';
  if (sttProvider === 'browser') {
    if (setting !== 'everything') {
      issues.push({ path: ['sttProvider'], message: 'cannot be browser unless everything is stored' });
    }
  } else if (sttProvider !== 'auto' && !speech.isConfigured('stt', sttProvider)) {
    issues.push({ path: ['sttProvider'], message });
  }
  if (ttsProvider !== 'auto' && !speech.isConfigured('tts', ttsProvider)) {
    issues.push({ path: ['ttsProvider'], message });
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

function tooBusy() {
  return notAccepting('This process is too busy for another voice call.');
}

export function notAppliedIn(
  agent: Agent,
  type: Call['type'],
  engine: Call['engine'],
  { speech, hasModel }: Pick<CreateParts, 'speech' | 'hasModel'>,
): NotApplied[] {
  const { isSpoken } = channelOf({ type });
  const { notApplied: settings } = policyOf(agent, {
    isChat: !isSpoken,
    isFlow: engine === 'flow',
    recognizer: { hasPartials: true, waitMs: 0, hasEcho: false },
  });
  const notApplied = isSpoken ? [...settings, ...missingSpeech(speech, agent)] : settings;
  return [...notApplied, ...unusedSettings(agent, engine, hasModel)];
}

function refuse(found: readonly Issue[]): void {
  const issues = new Issues();
  for (const issue of found) issues.add(issue);
  issues.throwIfAny(unprocessable);
}
