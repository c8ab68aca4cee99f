import type { Agent } from '../../contract/agent.ts';
import type { Call } from '../../contract/calls/call.ts';
import { callsContract } from '../../contract/calls/index.ts';
import { signatureHeaders } from '../../core/webhook-signature.ts';
import type { Guard } from '../../net/guard.ts';
import type { Queries } from '../../storage/database.ts';
import { type Clock, realClock } from '../../voice/clock.ts';
import type { Llm } from '../../voice/llm.ts';
import { createHttpTools, type ToolSecret } from '../../voice/tools/http-tools.ts';
import { type Area, defineArea, type Kernel } from '../area.ts';
import { createAnalyzedCalls } from './analyzed-calls.ts';
import { createChats } from './chat/chats.ts';
import { createMessages } from './chat/messages.ts';
import { createPreparedAgents } from './chat/prepared-agents.ts';
import type { NewTools } from './chat/running-reply.ts';
import { createConcurrency } from './concurrency.ts';
import type { CallAgents } from './create.ts';
import { createDeadlines } from './deadlines.ts';
import { type CallOutboxEvent, createJournal, type JournalParts } from './journal.ts';
import { createCallListing } from './listing/listing.ts';
import { createPinnedAgents } from './pinned-agents.ts';
import { createRemoval, type RemovalParts } from './removal.ts';
import { callRoutes } from './routes.ts';
import { createCallStore } from './store.ts';
import { WaitingReaders } from './waiting-readers.ts';

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
}

/** What calls need from other areas. */
export interface CallNeighbors {
  readonly agents: CallAgents;
  readonly guard: Guard;
  readonly secrets: (workspaceId: string, names: readonly string[]) => Promise<ReadonlyMap<string, ToolSecret>>;
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
  /** Called in every transaction that ends, updates, redacts or deletes a call. */
  readonly onSettled: (queries: Queries, call: Call) => Promise<void>;
}

export interface Calls {
  readonly area: Area;
  /** What the analysis needs of calls. */
  readonly analyzed: ReturnType<typeof createAnalyzedCalls>;
}

const defaultLeaseMs = 60_000;
const defaultSweepMs = 500;
const agentsPerStep = 100;

/** Conversations with agents. */
export function createCalls(kernel: Kernel, settings: CallSettings, neighbors: CallNeighbors): Calls {
  const { database, newId, now, logger, sealer, accessTokens } = kernel;
  const { savedResponses, onSettled, webhooks } = neighbors;
  const hasModel = settings.llm !== null;
  const store = createCallStore(database, sealer);
  const agents = createPinnedAgents(store);
  const readers = new WaitingReaders({ newestEvents: store.newestEvents });
  const journal = createJournal({
    store,
    agents,
    newId,
    now,
    writeEvent: async (queries, event) => void (await webhooks.write(queries, event)),
    removeSealedResponses: (queries, callId) =>
      savedResponses.removeContent(queries, callId, { isDeleted: false, onlySealed: true }),
    beginAnalysis: neighbors.analyses.begin,
    onSettled,
    onEvents: (callId) => readers.notify(callId),
  });
  const removal = createRemoval({
    store,
    journal,
    events: webhooks.removal,
    analyses: neighbors.analyses,
    removeSavedResponses: (queries, callId, isDeleted) => savedResponses.removeContent(queries, callId, { isDeleted }),
    onSettled,
  });
  const concurrency = createConcurrency(database, settings.concurrency);
  const listing = createCallListing(database);
  const chats = createChats({
    database,
    store,
    journal,
    prepare: createPreparedAgents(agents, hasModel),
    llm: settings.llm,
    newTools: toolsOf(neighbors, now, settings.clock),
    newId,
    now,
    leaseMs: settings.leaseMs ?? defaultLeaseMs,
    clock: settings.clock ?? realClock,
  });
  const deadlines = createDeadlines({
    database,
    store,
    journal,
    agents,
    concurrency,
    hasModel,
    now,
    remove: removal.remove,
  });
  let agentsAfter = '';

  const area = defineArea(callsContract, {
    handlers: callRoutes({
      database,
      store,
      journal,
      listing,
      create: {
        agents: neighbors.agents,
        store,
        journal,
        concurrency,
        newId,
        now,
        hasModel,
        ensureWebhook: webhooks.ensure,
      },
      control: { journal, agents, chats },
      chats,
      sendMessage: createMessages({ database, journal, agents, chats }),
      concurrency,
      tokens: { tokens: accessTokens, newId, publicUrl: settings.publicUrl },
      removal,
      readers,
      now,
      logFailure: ({ name, message }) =>
        logger.warn({ err: { type: name, message } }, 'the agent could not take its turn'),
      onSettled,
    }),
    tasks: [
      { name: 'end and start calls', everyMs: settings.sweepMs ?? defaultSweepMs, run: deadlines.run },
      {
        name: 'find events of other processes',
        everyMs: 500,
        run: async () => {
          await readers.poll();
          return false;
        },
      },
      {
        name: 'remove the agents of ended calls',
        everyMs: 600_000,
        run: async () => {
          const last = await store.removeAgents(agentsPerStep, agentsAfter);
          agentsAfter = last ?? '';
          return last !== null;
        },
      },
    ],
    onClose: listing.close,
  });
  return { area, analyzed: createAnalyzedCalls(store, journal, agents) };
}

/** The tools of a call on the partner's servers, signed like webhooks with the secret of the agent. */
function toolsOf({ guard, secrets, webhooks }: CallNeighbors, now: () => number, clock: Clock = realClock): NewTools {
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
