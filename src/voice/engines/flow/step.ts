import type { ToolCall } from '../../tools/tool.ts';
import { momentMs } from './listening-skill.ts';
import type { FlowOutput, FlowState, FlowStep } from './state.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A step of a conversation while it is taken: the state that changes, and what comes of it. */
export class Step implements FlowStep {
  readonly state: Mutable<FlowState>;
  readonly outputs: FlowOutput[] = [];
  waitingFor: FlowStep['waitingFor'] = 'caller';
  waitMs = 0;

  constructor(state: FlowState) {
    this.state = { ...state };
  }

  say(text: string, isUninterruptible = false): void {
    this.outputs.push({ type: 'say', text, isUninterruptible });
  }

  prepareToAsk(retries: number): void {
    this.state.retriesLeft = retries;
    this.state.value = null;
    this.state.isSpelledOut = false;
  }

  ask(question: string, leadIn = ''): void {
    this.state.question = question;
    this.say(leadIn + question);
    this.listen();
  }

  listen(): void {
    this.state.skillsWithoutListening = 0;
    this.waitingFor = 'caller';
  }

  /** The caller asked for it. */
  giveMoment(sentence: string): void {
    this.say(sentence);
    this.waitMs = momentMs;
  }

  took(skill: string, way: string): void {
    this.outputs.push({ type: 'took', skill, way });
  }

  runTool(call: ToolCall): void {
    this.state.phase = 'tool';
    this.request({ type: 'tool', call }, 'tool');
  }

  /** The conversation goes on with what comes of it. */
  request(output: FlowOutput, waitingFor: FlowStep['waitingFor']): void {
    this.outputs.push(output);
    this.waitingFor = waitingFor;
  }

  warnNotUnderstood(): void {
    this.outputs.unshift(notUnderstood);
  }

  end(): void {
    this.#stop({ type: 'end' });
  }

  fail(detail: string): void {
    this.#stop({ type: 'failed', detail });
  }

  #stop(output: FlowOutput): void {
    this.state.phase = 'ended';
    this.request(output, 'nothing');
  }
}

const notUnderstood: FlowOutput = {
  type: 'warning',
  code: 'understanding_limit',
  message: 'the words were not understood: comparing them with the phrases of the flow takes too long',
};
