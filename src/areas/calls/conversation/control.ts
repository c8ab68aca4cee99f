import type { Call } from '../../../contract/calls/call.ts';
import type { ControlCall } from '../../../contract/calls/requests.ts';
import { sizeIssues, variableLimits } from '../../../contract/calls/values.ts';
import { stateConflict, unprocessable } from '../../../core/errors.ts';
import type { Variables } from '../../../voice/variables.ts';
import type { ConversationState } from './state.ts';

export interface ControlFacts {
  readonly status: Call['status'];
  readonly collected: Variables;
  readonly isRecording: boolean;
  readonly isReplying: boolean;
  readonly isPhone: boolean;
}

/** Throws if the API cannot do this in a conversation now. */
export function checkControl(body: ControlCall, facts: ControlFacts): void {
  const { status, collected, isRecording, isReplying, isPhone } = facts;
  if ((body.action === 'send_dtmf' || body.action === 'transfer') && !isPhone) {
    throw unprocessable({ action: ['is for phone calls only'] });
  }
  if ((body.action === 'pause_recording' || body.action === 'resume_recording') && !isRecording) {
    throw unprocessable({ action: ['is not possible: the call is not being recorded'] });
  }
  if (body.action === 'respond' && isReplying) {
    throw stateConflict('call', { status, allowed: ['ongoing'], reason: 'reply_in_progress', retryAfterSeconds: 1 });
  }
  if (body.action !== 'set_variables') return;
  const issues = sizeIssues({ ...collected, ...body.variables }, variableLimits);
  if (issues.length > 0) throw unprocessable({ variables: issues });
}

/** What an action changes in the state of a conversation, whether the agent is speaking or not. */
export function controlled<State extends Pick<ConversationState, 'contexts' | 'isMuted'>>(
  state: State,
  { action, text }: ControlCall,
): State {
  if (action === 'add_context') return { ...state, contexts: [...state.contexts, text as string] };
  if (action === 'mute_agent' || action === 'unmute_agent') return { ...state, isMuted: action === 'mute_agent' };
  return state;
}
