import type { Agent } from '../../../contract/agents/agent.ts';
import type { Call } from '../../../contract/calls/call.ts';
import { callSignature } from '../../../core/webhook-signature.ts';
import type { Guard } from '../../../net/guard.ts';
import type { Clock } from '../../../voice/clock.ts';
import type { CallOnCustomLlm } from '../../../voice/engines/create.ts';
import type { ConnectionParts } from '../../../voice/engines/custom-llm/connection.ts';
import { KeptConnections, ownConnection } from '../../../voice/engines/custom-llm/connections.ts';
import { addressOf, outboundSocket } from '../../../voice/engines/custom-llm/outbound-socket.ts';
import { channelOf } from './channel.ts';

export interface CustomLlmParts {
  readonly guard: Guard;
  /** The secrets of the agent's webhook, the newest first. */
  readonly secrets: (workspaceId: string, agentId: string) => Promise<readonly string[]>;
  readonly clock: Clock;
  readonly now: () => number;
}

/** How the calls of custom LLM agents reach the server of their partner. */
export type CustomLlm = ReturnType<typeof createCustomLlm>;

export function createCustomLlm({ guard, secrets, clock, now }: CustomLlmParts) {
  const kept = new KeptConnections(clock);

  const partsOf = ({ id: agentId, responseEngine }: Agent, { id, workspaceId }: Call): ConnectionParts => {
    const headers = async () => ({
      'x-voice-agents-signature': callSignature(id, Math.floor(now() / 1000), await secrets(workspaceId, agentId)),
    });
    // Publishing requires the address, and so does every call.
    const url = addressOf(responseEngine.llmWebsocketUrl as string, id);
    return { open: outboundSocket({ guard, url, headers }), clock, time: now };
  };

  const callOf = (call: Call) => ({ call_id: call.id, call_type: channelOf(call).customLlmType });

  return {
    /** A connection of its own, for as long as the conversation of a spoken call is in this process. */
    connect: (agent: Agent, call: Call): CallOnCustomLlm => ({
      connections: ownConnection(partsOf(agent, call)),
      call: callOf(call),
    }),
    /**
     * A connection that is kept between the messages of a chat. `onTurn`: the server speaks or hangs up while no message
     * is being answered.
     */
    keepConnected: (agent: Agent, call: Call, onTurn: (text: string, endCall: boolean) => void): CallOnCustomLlm => ({
      connections: kept.of(call.id, partsOf(agent, call), { reported: onTurn, hungUp: () => onTurn('', true) }),
      call: callOf(call),
    }),
    /** The chat is over. */
    disconnect: (callId: string): void => kept.close(callId),
    close: (): void => kept.closeAll(),
  };
}
