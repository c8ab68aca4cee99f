import { boundedJson } from '../../core/json-limits.ts';
import type { LlmMessage } from '../llm.ts';
import {
  type CallStart,
  currentTimeSentence,
  fill,
  roomBesides,
  usesCurrentTime,
  type Warn,
} from '../text/variables.ts';
import { endingTools } from '../tools/built-in.ts';
import type { CallableTool } from '../tools/definition.ts';
import { isUnfinished, type ToolTurn } from '../tools/tool.ts';
import type { Scalar, Variables } from '../variables.ts';
import { collect, warnRejected } from './collected.ts';
import type { Engine, ReplyOutput, ReplyRequest } from './engine.ts';
import { variablesIn } from './flow/variables.ts';
import {
  type KnowledgeMessages,
  knowledgeRules,
  type ModelKnowledge,
  withKnowledge,
} from './knowledge/model-knowledge.ts';
import { instructionFor, type ModelTurn, messagesOf } from './model/messages.ts';
import { ModelChain, type ModelChainOptions, type ModelChainState } from './model/model-chain.ts';
import { type BuiltInCall, ModelReplies } from './model/model-reply.ts';

export interface PromptEngineOptions extends ModelChainOptions {
  readonly globalPrompt: string;
  readonly prompt: string;
  /** When and where the call began. */
  readonly callStart: CallStart;
  readonly tools: readonly CallableTool[];
  readonly isSpoken: boolean;
  /** The transcript so far. */
  readonly history: () => readonly ModelTurn[];
  /** What the agent was told during the call, in order. */
  readonly contexts?: () => readonly string[];
  /** Null, or absent: the agent has no knowledge bases. */
  readonly knowledge?: ModelKnowledge | null;
  /** The variables of the call. */
  readonly variables?: Variables;
  /** The agent's defaults and the built-in ones. */
  readonly agentVariables?: Variables;
  /** What `state` returned earlier in the same call. */
  readonly state?: unknown;
}

interface PromptState {
  readonly variables: Variables;
  readonly collected: Variables;
  readonly model: ModelChainState;
}

/** A language model that follows a prompt. What was said is in the transcript, and not part of its state. */
export function createPromptEngine(options: PromptEngineOptions): Engine {
  const { tools, isSpoken, history, contexts = () => [], knowledge = null } = options;
  const models = new ModelChain(options);
  const replies = new ModelReplies(models);
  const builtInTools = endingTools({ isSpoken });
  const saved = options.state as PromptState | undefined;
  const variables: Variables = { ...options.variables, ...saved?.variables };
  let collected: Variables = { ...saved?.collected };
  models.restore(saved?.model);

  const lookup = (name: string): Scalar | undefined =>
    [collected, variables, options.agentVariables ?? {}].find((each) => Object.hasOwn(each, name))?.[name];

  const messages = (
    { kind, words, resumedTools }: ReplyRequest,
    output: ReplyOutput,
    { instructions, beforeTurn }: KnowledgeMessages,
  ): readonly LlmMessage[] => [
    ...systemMessages(options, (text) => fill(text, lookup, output.warn, roomBesides())),
    ...instructions,
    ...contexts().map((content) => ({ role: 'system', content }) as const),
    ...messagesOf(withoutUnfinished(history(), resumedTools), words, beforeTurn),
    ...instructionFor(kind),
  ];

  const setVariables = (given: Variables): readonly string[] => {
    const { rejected, ...result } = collect(collected, given);
    collected = result.collected;
    return rejected;
  };
  const collectFrom = (result: unknown, warn: Warn): void => warnRejected(setVariables(variablesIn(result)), warn);

  return {
    reply(request, output) {
      const { resumedTools = [] } = request;
      for (const tool of resumedTools) if (!tool.isError) collectFrom(tool.result, output.warn);
      const unfinished = resumedTools
        .filter(isUnfinished)
        .map(({ id, name, arguments: given }) => ({ id, name, arguments: boundedJson(given) }));
      const ask = (found: KnowledgeMessages) =>
        replies.request(
          { tools, builtInTools, unfinished, messages: () => messages(request, output, found) },
          {
            text: output.text,
            tool: (call, onResult) =>
              output.tool(call, (result) => {
                if (!result.isError) collectFrom(result.result, output.warn);
                onResult(result);
              }),
            end: (own) => output.end(own === undefined ? {} : endingOf(own)),
            failed: output.failed,
            switched: output.switched,
          },
        );
      return withKnowledge(knowledge, request, output, ask);
    },
    prepare: (words) => knowledge?.prepare(words),
    accept: () => knowledge?.answered(),
    detach: () => knowledge?.close(),
    collected: () => collected,
    setVariables,
    usage: () => models.usage(),
    state: (): PromptState => ({ variables, collected, model: models.state() }),
  };
}

/** The agent's own prompt follows what applies to all agents; then the time, unless the prompts state it. */
export function systemMessages(
  {
    globalPrompt,
    prompt,
    callStart,
    knowledge = null,
  }: Pick<PromptEngineOptions, 'globalPrompt' | 'prompt' | 'callStart' | 'knowledge'>,
  filled: (text: string) => string,
): LlmMessage[] {
  const whole = [globalPrompt, prompt].filter((part) => part.trim() !== '').join('\n\n');
  const contents = [filled(whole), usesCurrentTime(whole) ? '' : currentTimeSentence(callStart)];
  return [
    ...contents.filter((content) => content !== '').map((content) => ({ role: 'system', content }) as const),
    ...(knowledge === null ? [] : [knowledgeRules]),
  ];
}

/** The result of a tool that is called again follows the transcript. */
function withoutUnfinished(
  history: readonly ModelTurn[],
  resumed: readonly ToolTurn[] | undefined,
): readonly ModelTurn[] {
  const ids = new Set(resumed?.filter(isUnfinished).map(({ id }) => id));
  return history.filter(({ toolCall }) => toolCall == null || !ids.has(toolCall.id));
}

function endingOf({ name, arguments: given }: BuiltInCall): Parameters<ReplyOutput['end']>[0] {
  if (name === 'wait') return { waitMs: Number(given.seconds) * 1000 };
  const { reason } = given;
  return { endCall: true, ...(typeof reason === 'string' && reason.trim() !== '' && { reason }) };
}
