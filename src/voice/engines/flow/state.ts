import type { ToolCall, ToolResult } from '../../tools/tool.ts';
import type { AnswerValue } from '../../understanding/answer.ts';
import type { Variables } from '../../variables.ts';

/** Where a conversation is. Plain JSON: a chat keeps it between two messages. */
export interface FlowState {
  readonly skill: string;
  /**
   * `opening`: nothing was said yet. `asking`: `skill` has asked and listens. `confirming`: it has read `value` back.
   * `tool`: it waits for its tool. `talking`: the model leads. `entering`: `skill` is the next one, and has said
   * nothing yet, because the reply that led to it was cut off.
   */
  readonly phase: 'opening' | 'asking' | 'confirming' | 'tool' | 'talking' | 'entering' | 'ended';
  readonly retriesLeft: number;
  /** What was understood and is not confirmed yet. */
  readonly value: AnswerValue | null;
  /** The caller has rejected a read-back, so that the next one is character by character. */
  readonly isSpelledOut: boolean;
  /** What a repetition and a reminder say. */
  readonly question: string;
  /** What the caller said last, for a model that takes over. */
  readonly words: string;
  readonly collected: Variables;
  readonly skillsWithoutListening: number;
  /** How often the model of a `prompt` skill has replied. */
  readonly modelTurns: number;
}

/** What a conversation knows and does not change. */
export interface FlowFacts {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly variables: Variables;
  readonly agentVariables: Variables;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly hasModel: boolean;
}

export type FlowInput =
  /** `isGreeted`: a begin message was said. */
  | { readonly type: 'start'; readonly isGreeted?: boolean }
  | { readonly type: 'heard'; readonly words: string }
  | { readonly type: 'reminder' }
  /** `isCutOff`: nobody would hear what follows, so that it waits for the next reply. */
  | { readonly type: 'tool'; readonly result: ToolResult; readonly isCutOff?: boolean }
  /** The model of a `prompt` skill has replied, and moves on by a route or ends the call, or neither. */
  | { readonly type: 'model'; readonly route?: string | undefined; readonly endCall?: boolean | undefined }
  /** The model has chosen for a `choose` skill; undefined: it cannot tell, and the words decide. */
  | { readonly type: 'choice'; readonly route: number | undefined }
  /** What an `answer` skill has found; null: nothing that is good enough. */
  | { readonly type: 'answer'; readonly text: string | null };

export interface ModelRoute {
  readonly name: string;
  readonly description: string;
}

export type FlowOutput =
  | { readonly type: 'say'; readonly text: string; readonly isUninterruptible: boolean }
  | { readonly type: 'set'; readonly variables: Variables }
  | { readonly type: 'tool'; readonly call: ToolCall }
  | {
      readonly type: 'model';
      readonly kind: 'begin' | 'response' | 'reminder';
      readonly prompt: string;
      /** What the model may choose in order to leave the skill. */
      readonly routes: readonly ModelRoute[];
      readonly words: string;
    }
  | {
      readonly type: 'choose';
      readonly question: string;
      readonly routes: readonly (readonly string[])[];
      readonly words: string;
    }
  /** The question of the caller, for which an answer is searched. */
  | { readonly type: 'search'; readonly words: string; readonly minScore: number }
  /** An edge of the flow that was taken, such as `routes.2`, `next` or `retry`. */
  | { readonly type: 'took'; readonly skill: string; readonly way: string }
  | { readonly type: 'warning'; readonly code: string; readonly message: string }
  | { readonly type: 'end' }
  | { readonly type: 'failed'; readonly detail: string };

export interface FlowStep {
  readonly state: FlowState;
  readonly outputs: readonly FlowOutput[];
  readonly waitingFor: 'caller' | 'tool' | 'model' | 'choice' | 'answer' | 'nothing';
  /** The caller asked for a moment of this length. */
  readonly waitMs: number;
}

export function openingState(start: string): FlowState {
  return {
    skill: start,
    phase: 'opening',
    retriesLeft: 0,
    value: null,
    isSpelledOut: false,
    question: '',
    words: '',
    collected: {},
    skillsWithoutListening: 0,
    modelTurns: 0,
  };
}

/** The skill that a saved engine is at; null if it is not a flow. */
export function savedSkill(saved: unknown): string | null {
  return (saved as { readonly flow?: FlowState } | null | undefined)?.flow?.skill ?? null;
}
