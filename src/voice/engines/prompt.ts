import type { Llm, LlmMessage, LlmParameters } from '../llm.ts';
import { type CallStart, currentTimeSentence, fill, usesCurrentTime } from '../text/variables.ts';
import { builtInTools } from '../tools/built-in.ts';
import type { ToolDefinition } from '../tools/definition.ts';
import type { Engine, ReplyOutput, ReplyRequest, Scalar, Variables } from './engine.ts';
import { variablesIn } from './flow/variables.ts';
import { instructionFor, type ModelTurn, messagesOf } from './model/messages.ts';
import { ModelReplies, type OwnCall } from './model/model-reply.ts';

export interface PromptEngineOptions {
  readonly llm: Llm;
  readonly parameters: LlmParameters;
  readonly globalPrompt: string;
  readonly prompt: string;
  /** When and where the call began. */
  readonly callStart: CallStart;
  readonly tools: readonly ToolDefinition[];
  readonly isSpoken: boolean;
  /** The transcript so far. */
  readonly history: () => readonly ModelTurn[];
  /** Those of the call. */
  readonly variables?: Variables;
  /** The agent's defaults and the built-in ones. */
  readonly agentVariables?: Variables;
  /** What `state` returned earlier in the same call. */
  readonly state?: unknown;
}

interface PromptState {
  readonly variables: Variables;
  readonly collected: Variables;
}

/** A language model that follows a prompt. Its only state are variables: what was said is in the transcript. */
export function createPromptEngine(options: PromptEngineOptions): Engine {
  const { llm, parameters, tools, isSpoken, history } = options;
  const replies = new ModelReplies(llm);
  const ownTools = builtInTools({ isSpoken });
  const saved = options.state as PromptState | undefined;
  let variables: Variables = { ...options.variables, ...saved?.variables };
  let collected: Variables = { ...saved?.collected };

  const lookup = (name: string): Scalar | undefined =>
    [collected, variables, options.agentVariables ?? {}].find((each) => Object.hasOwn(each, name))?.[name];

  const messages = ({ kind, words }: ReplyRequest, output: ReplyOutput): readonly LlmMessage[] => [
    ...systemMessages(options, (text) =>
      fill(text, lookup, (name) => output.warn('unknown_variable', `the variable ${name} has no value`)),
    ),
    ...messagesOf(history(), words),
    ...instructionFor(kind),
  ];

  return {
    reply: (request, output) =>
      replies.request(
        { parameters, tools, ownTools, messages: () => messages(request, output) },
        {
          text: output.text,
          tool: (call, onResult) =>
            output.tool(call, (result) => {
              if (!result.isError) collected = { ...collected, ...variablesIn(result.result) };
              onResult(result);
            }),
          end: (own) => output.end(own === undefined ? {} : endingOf(own)),
          failed: output.failed,
        },
      ),
    accept: () => {},
    collected: () => collected,
    setVariables(given) {
      variables = { ...variables, ...given };
    },
    state: (): PromptState => ({ variables, collected }),
  };
}

/** The agent's own prompt follows what applies to all agents; then the time, unless the prompts state it. */
export function systemMessages(
  { globalPrompt, prompt, callStart }: Pick<PromptEngineOptions, 'globalPrompt' | 'prompt' | 'callStart'>,
  filled: (text: string) => string,
): LlmMessage[] {
  const whole = [globalPrompt, prompt].filter((part) => part.trim() !== '').join('\n\n');
  const contents = [filled(whole), usesCurrentTime(whole) ? '' : currentTimeSentence(callStart)];
  return contents.filter((content) => content !== '').map((content) => ({ role: 'system', content }));
}

function endingOf({ name, arguments: given }: OwnCall): { endCall?: boolean; waitMs?: number } {
  return name === 'wait' ? { waitMs: Number(given.seconds) * 1000 } : { endCall: true };
}
