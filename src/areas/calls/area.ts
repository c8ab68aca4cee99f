import type { Agent } from '../../contract/agents/agent.ts';
import type { Call } from '../../contract/calls/call.ts';
import { callsContract } from '../../contract/calls/index.ts';
import type { Eventually } from '../../core/eventually.ts';
import { signatureHeaders } from '../../core/webhook-signature.ts';
import type { RateLimitState } from '../../http/admission/rate-limit.ts';
import { WaitingReaders } from '../../http/waiting-readers.ts';
import type { Guard } from '../../net/guard.ts';
import type { PartnerSecret } from '../../net/partner/secrets.ts';
import type { Queries } from '../../storage/database.ts';
import { type Clock, realClock } from '../../voice/clock.ts';
import type { Llm } from '../../voice/llm.ts';
import type { TurnLatency } from '../../voice/ports.ts';
import type { SpeechProviders } from '../../voice/speech-ports.ts';
import { createHttpTools } from '../../voice/tools/http-tools.ts';
import { type Area, defineArea, type Kernel, type OnCallSettled } from '../area.ts';
import { createAgentRemoval } from './agent-removal.ts';
import { createAnalyzedCalls } from './analyzed-calls.ts';
import { storedCalls } from './call-row.ts';
import { createChats } from './chat/chats.ts';
import { createMessages } from './chat/messages.ts';
import { createPreparedAgents } from './chat/prepared-agents.ts';
import type { NewTools } from './chat/running-reply.ts';
import { createConcurrency } from './concurrency.ts';
import type { CallAgents } from './create.ts';
import { createCustomLlm } from './custom-llm.ts';
import { createDeadlines } from './deadlines.ts';
import { createEndCall } from './end.ts';
import { type CallOutboxEvent, createJournal, type JournalParts } from './journal.ts';
import { createCallListing } from './listing/listing.ts';
import { createLive, type LiveSettings } from './live/live.ts';
import { createPinnedAgents } from './pinned-agents.ts';
import { createRecordingFiles } from './recording-files.ts';
import { createRecordings, type RecordingFiles, recordingFailure } from './recordings.ts';
import { createRemoval, type RemovalParts } from './removal.ts';
import { createReplyMetrics } from './reply-metrics.ts';
import { callRoutes } from './routes.ts';
import { createCallStore } from './store.ts';
import type { EventRow } from './turns-and-events.ts';

export interface CallSettings {
  /** Null: no language model is connected. */
  readonly llm: Llm | null;
  /** Voice calls at a time per workspace. */
  readonly concurrency: number;
  /** The external address of the service, or null. */
  readonly publicUrl: string | null;
  /** How long a reply may be without a sign of life before another process takes over. */
  readonly leaseMs?: number | undefined;
  /** For the timeouts of replies; replaced in tests. */
  readonly clock?: Clock;
  /** How often calls that are due are looked for. */
  readonly sweepMs?: number;
  readonly live?: LiveSettings;
  /** Completes recordings; replaced in tests. */
  readonly recordings?: RecordingFiles;
}

/** What calls need from other areas. */
export interface CallDependencies {
  readonly agents: CallAgents;
  readonly guard: Guard;
  readonly speech: SpeechProviders;
  readonly secrets: (workspaceId: string, names: readonly string[]) => Promise<ReadonlyMap<string, PartnerSecret>>;
  readonly webhooks: {
    readonly write: (queries: Queries, event: CallOutboxEvent) => Promise<unknown>;
    readonly removal: RemovalParts['events'];
    readonly ensure: (queries: Queries, agent: Agent) => Promise<void>;
    readonly secrets: (workspaceId: string, agentId: string) => Promise<readonly string[]>;
  };
  readonly savedResponses: {
    removeContent(
      queries: Queries,
      callId: string,
      options: { readonly isDeleted: boolean; readonly onlySealed?: boolean },
    ): Promise<void>;
  };
  readonly analyses: RemovalParts['analyses'] & { readonly begin: JournalParts['beginAnalysis'] };
  readonly onSettled: OnCallSettled;
  /** The ids of these API keys that exist and are neither revoked nor expired. */
  readonly findValidKeys: (keyIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Counts a connection towards the limit of its access token. */
  readonly admitToken: (tokenId: string) => Eventually<RateLimitState>;
}

export interface Calls {
  readonly area: Area;
  /** What the analysis needs of calls. */
  readonly analyzed: ReturnType<typeof createAnalyzedCalls>;
}

const defaultLeaseMs = 15_000;
const defaultSweepMs = 500;

/** Conversations with agents. */
export function createCalls(kernel: Kernel, settings: CallSettings, dependencies: CallDependencies): Calls {
  const { database, newId, now, logger, sealer, accessTokens } = kernel;
  const { savedResponses, onSettled, webhooks } = dependencies;
  const hasModel = settings.llm !== null;
  const store = createCallStore(database, sealer);
  const agents = createPinnedAgents(store);
  const readers = new WaitingReaders<EventRow>(store.newestEvents);
  const recordings = createRecordings({
    database,
    jobs: kernel.jobs,
    media: kernel.media,
    files: settings.recordings ?? createRecordingFiles(kernel.media),
    store,
    logFailure: (callId) => logger.warn({ callId }, recordingFailure),
  });
  const journal = createJournal({
    recordings,
    store,
    agents,
    newId,
    now,
    writeEvent: async (queries, event) => void (await webhooks.write(queries, event)),
    removeSealedResponses: (queries, callId) =>
      savedResponses.removeContent(queries, callId, { isDeleted: false, onlySealed: true }),
    beginAnalysis: dependencies.analyses.begin,
    onSettled,
    onEvents: (callId, written) => readers.notify(callId, written),
  });
  const removal = createRemoval({
    store,
    journal,
    events: webhooks.removal,
    analyses: dependencies.analyses,
    removeSavedResponses: (queries, callId, isDeleted) => savedResponses.removeContent(queries, callId, { isDeleted }),
    removeRecording: recordings.remove,
    onSettled,
    removedContent: kernel.removedContent,
  });
  const concurrency = createConcurrency(database, settings.concurrency);
  const listing = createCallListing(database);
  const replyMetrics = createReplyMetrics();
  const clock = settings.clock ?? realClock;
  const customLlm = createCustomLlm({
    guard: dependencies.guard,
    secrets: webhooks.secrets,
    database,
    journal,
    clock,
    now,
    logFailure: ({ name, message }) =>
      logger.warn({ err: { type: name, message } }, 'what a custom LLM did in a chat could not be recorded'),
  });
  const shared = {
    database,
    store,
    journal,
    prepare: createPreparedAgents(agents, hasModel),
    llm: settings.llm,
    customLlm,
    newTools: toolsOf(dependencies, now, settings.clock),
    newId,
    now,
    clock,
  };
  const observe = (type: Call['type']) => (latency: TurnLatency) => replyMetrics.observe(type, latency);
  const chats = createChats({ ...shared, onLatency: observe('chat'), leaseMs: settings.leaseMs ?? defaultLeaseMs });
  const endCall = createEndCall({ journal, chats });
  const sendMessage = createMessages({ database, journal, agents, chats });
  const live = createLive(kernel, settings.live ?? {}, {
    ...shared,
    onLatency: observe('web'),
    speech: dependencies.speech,
    agents,
    readers,
    sendMessage,
    endCall,
    findValidKeys: dependencies.findValidKeys,
    admit: dependencies.admitToken,
  });
  const deadlines = createDeadlines({
    database,
    store,
    journal,
    agents,
    concurrency,
    hasModel,
    speech: dependencies.speech,
    now,
    startedAt: live.startedAt,
    remove: removal.remove,
    logFailure: (count, { name, message }) =>
      logger.warn({ calls: count, err: { type: name, message } }, 'calls that are due could not be ended'),
  });

  const area = defineArea(callsContract, {
    handlers: callRoutes({
      database,
      store,
      journal,
      listing,
      create: {
        agents: dependencies.agents,
        store,
        journal,
        concurrency,
        newId,
        now,
        hasModel,
        speech: dependencies.speech,
        isBusy: live.isBusy,
        ensureWebhook: webhooks.ensure,
      },
      control: { journal, agents, chats },
      chats,
      sendMessage,
      live: live.calls,
      endCall,
      mediaUrls: kernel.mediaUrls,
      concurrency,
      tokens: { tokens: accessTokens, newId, publicUrl: settings.publicUrl },
      removal,
      readers,
      now,
      logFailure: ({ name, message }) =>
        logger.warn({ err: { type: name, message } }, 'the agent could not take its turn'),
      onSettled,
    }),
    documents: storedCalls(database),
    tasks: [
      ...live.tasks,
      { name: 'end calls that are due', everyMs: settings.sweepMs ?? defaultSweepMs, run: deadlines.act },
      { name: 'start queued calls', everyMs: settings.sweepMs ?? defaultSweepMs, run: deadlines.startQueued },
      {
        name: 'find events of other processes',
        everyMs: 500,
        run: async () => {
          await readers.poll();
          return false;
        },
      },
      {
        name: 'stop replies in calls that other processes have ended',
        everyMs: 500,
        run: async () => {
          await chats.stopLost();
          return false;
        },
      },
      {
        name: 'remove the agents of ended calls',
        everyMs: 600_000,
        run: createAgentRemoval(database),
      },
    ],
    jobs: recordings.kinds(journal),
    sockets: [live.route],
    metrics: [replyMetrics.source, ...live.metrics],
    onClose: async () => {
      await live.close();
      customLlm.close();
      await listing.close();
    },
  });
  return { area, analyzed: createAnalyzedCalls({ store, journal, agents, onSettled }) };
}

/** The tools of a call on the partner's servers, signed like webhooks with the secret of the agent. */
function toolsOf(
  { guard, secrets, webhooks }: CallDependencies,
  now: () => number,
  clock: Clock = realClock,
): NewTools {
  return ({ id, agentId, agentVersion, workspaceId }, tools, variables) =>
    createHttpTools({
      tools,
      guard,
      call: { id, agentId, agentVersion },
      variables,
      sign: async (toolCallId, body) => ({
        ...signatureHeaders(toolCallId, Math.floor(now() / 1000), body, await webhooks.secrets(workspaceId, agentId)),
      }),
      secrets: (names) => secrets(workspaceId, names),
      clock,
    });
}
