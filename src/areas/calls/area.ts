import type { Agent } from '../../contract/agents/agent.ts';
import { callsContract } from '../../contract/calls/index.ts';
import type { MaybePromise } from '../../core/maybe-promise.ts';
import { signatureHeaders } from '../../core/webhook-signature.ts';
import type { RateLimitState } from '../../http/admission/rate-limit.ts';
import { WaitingReaders } from '../../http/waiting-readers.ts';
import type { Guard } from '../../net/guard.ts';
import type { PartnerSecret } from '../../net/partner/secrets.ts';
import type { Queries } from '../../storage/database.ts';
import type { Tracing } from '../../tracing/tracing.ts';
import { type Clock, realClock } from '../../voice/clock.ts';
import type { Llm } from '../../voice/llm.ts';
import type { SpeechProviders } from '../../voice/speech-ports.ts';
import { createHttpTools } from '../../voice/tools/http-tools.ts';
import { type Area, type CostOf, defineArea, type Kernel, type OnCallSettled } from '../area.ts';
import { type AudioSettings, createAudioChannel } from './channels/audio/audio-channel.ts';
import { createPageChannel } from './channels/page/page-channel.ts';
import { createPhoneCalls, type PhoneCalls } from './channels/phone/phone-calls.ts';
import { createChats } from './channels/text/chats.ts';
import { createMessages } from './channels/text/messages.ts';
import { createUnpromptedTurns } from './channels/text/unprompted-turns.ts';
import type { NewTools } from './conversation/conversation.ts';
import { createCustomLlm } from './conversation/custom-llm.ts';
import type { CallKnowledge } from './conversation/knowledge.ts';
import { createPreparedAgents } from './conversation/prepared-agents.ts';
import { createReplyMetrics } from './conversation/reply-times.ts';
import { createAgentRemoval } from './lifecycle/agent-removal.ts';
import type { CallAgents } from './lifecycle/call-agent.ts';
import { createConcurrency } from './lifecycle/concurrency.ts';
import type { CreateParts } from './lifecycle/create.ts';
import { createDeadlines } from './lifecycle/deadlines.ts';
import { createEndCall } from './lifecycle/end.ts';
import type { PhoneLines } from './lifecycle/phone-lines.ts';
import { createRemoval, type RemovalParts } from './lifecycle/removal.ts';
import { createWorkflowCalls } from './lifecycle/workflow-calls.ts';
import { createCallListing } from './listing/listing.ts';
import { createAnalyzedCalls } from './record/analyzed-calls.ts';
import { agentOf } from './record/call.ts';
import { storedCalls } from './record/call-row.ts';
import { createCallsBefore } from './record/calls-before.ts';
import { createCatchUp } from './record/catch-up.ts';
import { type CallOutboxEvent, createJournal, type JournalParts, type LogCallFailure } from './record/journal.ts';
import { createPinnedAgents } from './record/pinned-agents.ts';
import { createPricedCalls } from './record/priced-calls.ts';
import { createRecordingFiles, type RecordingFiles } from './record/recording-files.ts';
import { createRecordings, recordingFailure } from './record/recordings.ts';
import { createCallStore } from './record/store.ts';
import { createTranscriptIndex } from './record/transcript-index.ts';
import type { EventRow } from './record/turns-and-events.ts';
import { callRoutes } from './routes.ts';

export interface CallSettings {
  /** The language model of the operator. Null: none is connected. */
  readonly llm: Llm | null;
  /** Voice calls at a time per workspace. */
  readonly concurrency: number;
  /** How many of these are for inbound phone calls only. */
  readonly reservedInbound?: number;
  /** Replaces the phone numbers and carriers in tests. */
  readonly phone?: PhoneLines;
  /** Replaces the knowledge bases in tests. */
  readonly knowledge?: CallKnowledge;
  /** The external address of the service, or null. */
  readonly publicUrl: string | null;
  /** How long the lease of a reply lasts. If it is not renewed in time, another process may take over. */
  readonly leaseMs?: number | undefined;
  /** For the timeouts of replies; replaced in tests. */
  readonly clock?: Clock;
  /** How often calls that are due are looked for. */
  readonly sweepMs?: number;
  readonly live?: AudioSettings;
  /** Where traces go. Null: calls are not traced. */
  readonly tracing?: Tracing | null;
  /** Completes recordings; replaced in tests. */
  readonly recordings?: Partial<RecordingFiles>;
}

/** What calls need from other areas. */
export interface CallDependencies {
  readonly agents: CallAgents;
  readonly guard: Guard;
  /** What a workspace hears, speaks and writes with. */
  readonly speechOf: (workspaceId: string) => SpeechProviders;
  readonly llmOf: (workspaceId: string) => Llm | null;
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
  readonly costOf: CostOf;
  readonly onSettled: OnCallSettled;
  readonly onMissed: NonNullable<Area['onCallMissed']>;
  readonly phone: PhoneLines;
  readonly knowledge: CallKnowledge;
  /** The ids of these API keys that exist and are neither revoked nor expired. */
  readonly findValidKeys: (keyIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Counts a connection towards the limit of its access token. */
  readonly admitToken: (tokenId: string) => MaybePromise<RateLimitState>;
}

export interface Calls {
  readonly area: Area;
  /** What the analysis needs of calls. */
  readonly analyzed: ReturnType<typeof createAnalyzedCalls>;
  /** What phone numbers and carriers need of calls. */
  readonly phone: PhoneCalls;
  /** What a change of prices needs of calls. */
  readonly priced: ReturnType<typeof createPricedCalls>;
  /** For areas that keep figures of calls, and catch up with older ones. */
  readonly before: ReturnType<typeof createCallsBefore>;
  /** What workflows need of calls. */
  readonly ofWorkflows: ReturnType<typeof createWorkflowCalls>;
}

const defaultLeaseMs = 10_000;
const defaultSweepMs = 500;
const fillingEveryMs = 5000;
const catchUpEveryMs = 1000;

/** Conversations with agents. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: wiring that creates the parts of the area and connects them.
export function createCalls(kernel: Kernel, settings: CallSettings, dependencies: CallDependencies): Calls {
  const { database, newId, now, logger, sealer, accessTokens } = kernel;
  const { savedResponses, costOf, webhooks, speechOf, llmOf } = dependencies;
  const { knowledge = dependencies.knowledge } = settings;
  const hasModel = (workspaceId: string): boolean => llmOf(workspaceId) !== null;
  const store = createCallStore(database, sealer);
  const catchUp = createCatchUp({ database, store, derive: dependencies.onMissed });
  const onSettled: OnCallSettled = async (queries, settled) => {
    await dependencies.onSettled(queries, settled);
    await catchUp.note(queries, settled.call);
  };
  const agents = createPinnedAgents(store);
  const readers = new WaitingReaders<EventRow>(store.newestEvents);
  const recordings = createRecordings({
    database,
    jobs: kernel.jobs,
    media: kernel.media,
    spool: kernel.spool,
    files: { ...createRecordingFiles(kernel.spool.folder), ...settings.recordings },
    store,
    now,
    logFailure: (callId) => logger.warn({ callId }, recordingFailure),
    logDelay: (callId, error) => {
      const { name, message } = error as Error;
      logger.warn({ callId, err: { type: name, message } }, 'a recording could not be uploaded yet');
    },
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
    costOf,
    onSettled,
    onEvents: (callId, written) => readers.notify(callId, written),
    tracing: settings.tracing ?? null,
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
  const concurrency = createConcurrency(database, settings.concurrency, settings.reservedInbound ?? 0);
  const listing = createCallListing(database);
  const transcripts = createTranscriptIndex(database, store);
  const replyMetrics = createReplyMetrics();
  const clock = settings.clock ?? realClock;
  const customLlm = createCustomLlm({
    guard: dependencies.guard,
    secrets: webhooks.secrets,
    clock,
    now,
  });
  const takeUnpromptedTurn = createUnpromptedTurns({
    database,
    journal,
    customLlm,
    logFailure: ({ name, message }) =>
      logger.warn({ err: { type: name, message } }, 'an action of a custom LLM in a chat could not be recorded'),
  });
  const shared = {
    database,
    store,
    journal,
    prepare: createPreparedAgents(agents, hasModel),
    llmOf,
    customLlm,
    newTools: toolsOf(dependencies, now, settings.clock),
    knowledge,
    newId,
    now,
    clock,
    onLatency: replyMetrics.observe,
    tracing: settings.tracing ?? null,
  };
  const chats = createChats({
    ...shared,
    takeUnpromptedTurn,
    leaseMs: settings.leaseMs ?? defaultLeaseMs,
  });
  const endCall = createEndCall({ journal, stopReply: chats.stop });
  const sendMessage = createMessages({ database, journal, agents, chats });
  const delay = (ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve));
  const logCallFailure: LogCallFailure = (callId, what, error) => {
    const { name, message } = error as Error;
    logger.warn({ callId, err: { type: name, message } }, what);
  };
  const lines = settings.phone ?? dependencies.phone;
  const audio = createAudioChannel(kernel, settings.live ?? {}, {
    ...shared,
    phone: lines,
    speechOf,
    delay,
    logFailure: logCallFailure,
  });
  const page = createPageChannel(kernel, {
    ...shared,
    calls: audio.calls,
    agents,
    readers,
    sendMessage,
    endCall,
    findValidKeys: dependencies.findValidKeys,
    admit: dependencies.admitToken,
    delay,
    logFailure: logCallFailure,
  });
  const create: CreateParts = {
    agents: dependencies.agents,
    store,
    journal,
    concurrency,
    newId,
    now,
    hasModel,
    speechOf,
    phone: lines,
    knowledge,
    isBusy: audio.isBusy,
    prepareSpeech: audio.prepareSpeech,
    ensureWebhook: webhooks.ensure,
  };
  const phone = createPhoneCalls({
    store,
    journal,
    create,
    calls: audio.calls,
    loadSpeech: audio.loadSpeech,
    costOf,
    onSettled,
    now,
  });
  const deadlines = createDeadlines({
    ...create,
    database,
    agents,
    startedAt: audio.startedAt,
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
      create,
      control: { database, journal, agents, chats },
      sendMessage,
      ownedCalls: audio.calls,
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
      ...audio.tasks,
      page.task,
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
      { name: 'index transcripts of older calls', everyMs: fillingEveryMs, run: transcripts.fill },
      { name: 'catch up with calls of an earlier release', everyMs: catchUpEveryMs, run: catchUp.run },
      {
        name: 'remove the agents of ended calls',
        everyMs: 600_000,
        run: createAgentRemoval(database),
      },
    ],
    jobs: recordings.kinds(journal),
    onCallSettled: transcripts.onCallSettled,
    onCallMissed: transcripts.onCallMissed,
    sockets: [page.route],
    metrics: [replyMetrics.source, page.metric, audio.metric],
    onClose: async () => {
      await audio.close();
      await recordings.flush(journal);
      customLlm.close();
      await listing.close();
    },
  });
  return {
    area,
    phone,
    analyzed: createAnalyzedCalls({ store, journal, agents, costOf, onSettled }),
    priced: createPricedCalls(database, { journal, onSettled }),
    before: createCallsBefore(database, store),
    ofWorkflows: createWorkflowCalls({ database, store, journal, create, onSettled }),
  };
}

/** The tools of a call on the partner's servers, signed like webhooks with the secret of the agent. */
function toolsOf(
  { guard, secrets, webhooks }: CallDependencies,
  now: () => number,
  clock: Clock = realClock,
): NewTools {
  return (call, tools, variables, traceparent) => {
    const { workspaceId } = call;
    const agent = agentOf(call);
    return createHttpTools({
      tools,
      guard,
      call: agent,
      variables,
      traceparent,
      sign: async (toolCallId, body) => {
        const keys = await webhooks.secrets(workspaceId, agent.agentId);
        return { ...signatureHeaders(toolCallId, Math.floor(now() / 1000), body, keys) };
      },
      secrets: (names) => secrets(workspaceId, names),
      clock,
    });
  };
}
