import type { ModelUsage } from '../../llm.ts';
import type { ReplyKind, ReplyOutput } from '../engine.ts';
import type { ModelRoute } from './state.ts';

/** What was said and heard so far, as the caller heard it. */
export interface FlowTurn {
  readonly role: 'agent' | 'caller';
  readonly text: string;
}

export interface FlowModelRequest {
  readonly kind: ReplyKind;
  readonly prompt: string;
  /** What the model may choose in order to leave the skill. */
  readonly routes: readonly ModelRoute[];
  readonly words: string;
  readonly history: readonly FlowTurn[];
}

export interface FlowModelOutput extends Pick<ReplyOutput, 'text' | 'tool' | 'failed' | 'warn' | 'switched'> {
  end(options?: { readonly route?: string; readonly endCall?: boolean }): void;
}

export interface FlowChoiceRequest {
  readonly question: string;
  readonly routes: readonly (readonly string[])[];
  readonly words: string;
  readonly history: readonly FlowTurn[];
}

/** The language model of the skills that use one. Both return how to cancel. */
export interface FlowModel {
  reply(request: FlowModelRequest, output: FlowModelOutput): () => void;
  /** Reports the index of a route, or undefined if the model cannot tell or fails: the words decide then. */
  choose(
    request: FlowChoiceRequest,
    onChoice: (route: number | undefined) => void,
    output: Pick<ReplyOutput, 'switched'>,
  ): () => void;
  usage?(): readonly ModelUsage[];
  /** As JSON, for a call that continues elsewhere or later. */
  state?(): unknown;
  restore?(state: unknown): void;
}
