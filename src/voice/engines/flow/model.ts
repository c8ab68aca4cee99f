import type { ModelUsage } from '../../llm.ts';
import type { ReplyOutput } from '../engine.ts';
import type { FlowOutput } from './state.ts';

export type FlowModelRequest = Omit<Extract<FlowOutput, { type: 'model' }>, 'type'>;
export type FlowChoiceRequest = Omit<Extract<FlowOutput, { type: 'choose' }>, 'type'>;

export interface FlowModelOutput
  extends Pick<ReplyOutput, 'text' | 'tool' | 'failed' | 'warn' | 'knowledge' | 'switched'> {
  end(options?: { readonly route?: string; readonly endCall?: boolean }): void;
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
  /** The caller may still continue: looks things up for a reply to these words. */
  prepare?(words: string): void;
  /** A turn is answered. */
  answered?(): void;
  close?(): void;
  usage?(): readonly ModelUsage[];
  /** As JSON, for a call that continues elsewhere or later. */
  state?(): unknown;
  restore?(state: unknown): void;
}
