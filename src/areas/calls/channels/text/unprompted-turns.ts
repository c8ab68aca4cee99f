import type { Agent } from '../../../../contract/agents/agent.ts';
import type { Call } from '../../../../contract/calls/call.ts';
import type { Database } from '../../../../storage/database.ts';
import type { CustomLlm } from '../../conversation/custom-llm.ts';
import { setConversationState } from '../../conversation/state.ts';
import { dueAt } from '../../lifecycle/due.ts';
import type { Journal } from '../../record/journal.ts';
import { addAgentTurn, chatStateOf } from './chat-state.ts';

export interface UnpromptedTurnParts {
  readonly database: Database;
  readonly journal: Journal;
  readonly customLlm: Pick<CustomLlm, 'disconnect'>;
  readonly logFailure: (error: Error) => void;
}

/** What the server of a custom LLM says in a chat while no message is being answered; it may also hang up. */
export function createUnpromptedTurns({ database, journal, customLlm, logFailure }: UnpromptedTurnParts) {
  return (agent: Agent, { workspaceId, id }: Call, text: string, endCall: boolean): void => {
    database
      .transaction(async (queries) => {
        const locked = await journal.lock(queries, workspaceId, id);
        if (locked?.call.status !== 'ongoing') return;
        if (text !== '') {
          setConversationState(locked, addAgentTurn(locked, chatStateOf(locked), text, 'engine'));
          // Silence is measured from the last turn.
          locked.set({ dueAt: dueAt(agent, locked.row, locked.now) });
        }
        const hangUp = { reason: 'agent_hangup', by: 'agent', at: locked.now, detail: null } as const;
        const ending = endCall ? hangUp : locked.endingByLimit;
        if (ending !== null) queries.atEnd(() => customLlm.disconnect(id));
        await (ending === null ? journal.write(queries, locked) : journal.end(queries, locked, ending));
      })
      .catch(logFailure);
  };
}
