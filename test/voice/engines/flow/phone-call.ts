import { flowSchema } from '../../../../src/contract/agents/settings/flow.ts';
import type { Engine, ReplyKind, ReplyOutput } from '../../../../src/voice/engines/engine.ts';
import { compileFlow } from '../../../../src/voice/engines/flow/compile.ts';
import { createFlowEngine, type FlowEngineOptions } from '../../../../src/voice/engines/flow/engine.ts';
import type { ToolCall, ToolResult } from '../../../../src/voice/tools/tool.ts';

/** Monday, 16 November 2026, 10:00 in Tokyo. */
export const now = Date.parse('2026-11-16T01:00:00Z');

export interface PhoneCallOptions extends Partial<Omit<FlowEngineOptions, 'flow'>> {
  readonly language?: string;
  readonly startSkillId?: string;
  readonly tools?: Readonly<Record<string, (call: ToolCall) => ToolResult>>;
}

/** A caller on the real engine, who lets the agent finish and whose every turn is accepted. */
export class PhoneCall {
  readonly engine: Engine;
  readonly tools: ToolCall[] = [];
  readonly warnings: string[] = [];
  readonly uninterruptible: string[] = [];
  ended: 'by the agent' | 'as failed' | undefined;
  #turn = 0;
  readonly #answers: NonNullable<PhoneCallOptions['tools']>;

  constructor(flow: unknown, { language = 'ja', startSkillId, tools = {}, ...options }: PhoneCallOptions = {}) {
    this.#answers = tools;
    const compiled = compileFlow(flowSchema.parse(flow), { language, startSkillId });
    this.engine = createFlowEngine({ flow: compiled, beginMessage: null, now: () => now, ...options });
  }

  open(): string {
    return this.#request('begin');
  }

  say(words: string): string {
    return this.#request('response', words);
  }

  remind(): string {
    return this.#request('reminder');
  }

  #request(kind: ReplyKind, words = ''): string {
    const said: string[] = [];
    this.#turn += 1;
    this.engine.reply({ turn: this.#turn, kind, words }, this.#output(said));
    this.engine.accept(this.#turn);
    return said.join('');
  }

  #output(said: string[]): ReplyOutput {
    return {
      text: (text, options) => {
        said.push(text);
        if (options?.isUninterruptible === true) this.uninterruptible.push(text);
      },
      tool: (call, onResult) => {
        this.tools.push(call);
        const missing: ToolResult = { isError: true, code: 'failed', message: 'no such tool' };
        onResult(this.#answers[call.name]?.(call) ?? missing);
      },
      end: ({ endCall } = {}) => {
        if (endCall === true) this.ended = 'by the agent';
      },
      failed: () => {
        this.ended = 'as failed';
      },
      warn: (code, message) => this.warnings.push(`${code}: ${message}`),
      knowledge: () => {},
      switched: () => {},
    };
  }
}
