import type { Agent } from '../../contract/agents/agent.ts';
import type { Call } from '../../contract/calls/call.ts';
import { callSignature } from '../../core/webhook-signature.ts';
import type { Guard } from '../../net/guard.ts';
import type { Database } from '../../storage/database.ts';
import type { Clock } from '../../voice/clock.ts';
import type { CallOnCustomLlm } from '../../voice/engines/create.ts';
import type { ConnectionParts } from '../../voice/engines/custom-llm/connection.ts';
import { KeptConnections, ownConnection } from '../../voice/engines/custom-llm/connections.ts';
import { addressOf, outboundSocket } from '../../voice/engines/custom-llm/outbound-socket.ts';
import { chatStateOf, setChatState } from './chat/chat-state.ts';
import { dueAt } from './due.ts';
import type { Journal } from './journal.ts';
import { said } from './said.ts';

export interface CustomLlmParts {
  readonly guard: Guard;
  /** The secrets of the agent's webhook, the newest first. */
  readonly secrets: (workspaceId: string, agentId: string) => Promise<readonly string[]>;
  readonly database: Database;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly now: () => number;
  readonly logFailure: (error: Error) => void;
}

/** How the calls of custom LLM agents reach the server of their partner. */
export type CustomLlm = ReturnType<typeof createCustomLlm>;

export function createCustomLlm({ guard, secrets, database, journal, clock, now, logFailure }: CustomLlmParts) {
  const kept = new KeptConnections(clock);

  const partsOf = ({ responseEngine }: Agent, { id, workspaceId, agentId }: Call): ConnectionParts => {
    const headers = async () => ({
      'x-voice-agents-signature': callSignature(id, Math.floor(now() / 1000), await secrets(workspaceId, agentId)),
    });
    // Publishing requires the address, and so does every call.
    const url = addressOf(responseEngine.llmWebsocketUrl as string, id);
    return { open: outboundSocket({ guard, url, headers }), clock, time: now };
  };

  /** The server speaks or hangs up in a chat in which no message is being answered. */
  const act = (agent: Agent, { workspaceId, id }: Call, text: string, endCall: boolean): void => {
    database
      .transaction(async (queries) => {
        const held = await journal.hold(queries, workspaceId, id);
        if (held?.call.status !== 'ongoing') return;
        if (text !== '') {
          setChatState(held, said(held, chatStateOf(held), text, 'engine'));
          // Silence is measured from the last turn.
          held.set({ dueAt: dueAt(agent, held.row, held.now) });
        }
        const hangUp = { reason: 'agent_hangup', by: 'agent', at: held.now, detail: null } as const;
        const ending = endCall ? hangUp : held.endingByLimit;
        if (ending !== null) queries.atEnd(() => kept.close(id));
        await (ending === null ? journal.write(queries, held) : journal.end(queries, held, ending));
      })
      .catch(logFailure);
  };

  return {
    forChat: (agent: Agent, call: Call): CallOnCustomLlm => ({
      connections: kept.of(call.id, partsOf(agent, call), {
        said: (text, endCall) => act(agent, call, text, endCall),
        hungUp: () => act(agent, call, '', true),
      }),
      call: { call_id: call.id, call_type: 'chat' },
    }),
    forWebCall: (agent: Agent, call: Call): CallOnCustomLlm => ({
      connections: ownConnection(partsOf(agent, call)),
      call: { call_id: call.id, call_type: 'web_call' },
    }),
    /** The chat is over. */
    closeChat: (callId: string): void => kept.close(callId),
    close: (): void => kept.closeAll(),
  };
}
