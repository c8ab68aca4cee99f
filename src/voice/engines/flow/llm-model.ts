import type { LlmMessage } from '../../llm.ts';
import type { CallStart, Warn } from '../../text/variables.ts';
import { compileParameters } from '../../tools/arguments.ts';
import { endingTools, isPhoneTool } from '../../tools/built-in.ts';
import type { CallableTool } from '../../tools/definition.ts';
import { type KnowledgeMessages, type ModelKnowledge, withKnowledge } from '../knowledge/model-knowledge.ts';
import { instructionFor, type ModelTurn, messagesOf } from '../model/messages.ts';
import { ModelChain, type ModelChainOptions } from '../model/model-chain.ts';
import { type BuiltInTool, ModelReplies } from '../model/model-reply.ts';
import { systemMessages } from '../prompt.ts';
import type { FlowChoiceRequest, FlowModel } from './model.ts';
import type { ModelRoute } from './state.ts';

export interface FlowModelOptions extends ModelChainOptions {
  /** With the values of the call. */
  readonly globalPrompt: (warn: Warn) => string;
  readonly callStart: CallStart;
  readonly tools: readonly CallableTool[];
  /** The transcript so far, with the results of tools. */
  readonly history: () => readonly ModelTurn[];
  /** What the agent was told during the call, in order. */
  readonly contexts?: () => readonly string[];
  /** Null, or absent: the agent has no knowledge bases. */
  readonly knowledge?: ModelKnowledge | null;
}

/** The skills of a flow that use a language model. */
export function createFlowModel(options: FlowModelOptions): FlowModel {
  const { globalPrompt, callStart, tools, history, contexts = () => [], knowledge = null } = options;
  const models = new ModelChain(options);
  const replies = new ModelReplies(models);
  return {
    reply({ kind, prompt, routes, words }, output) {
      const routeTools = toolsOfRoutes(routes, tools);
      const messages = ({ instructions, beforeTurn }: KnowledgeMessages): LlmMessage[] => [
        ...systemMessages({ globalPrompt: globalPrompt(output.warn), prompt, callStart, knowledge }, (text) => text),
        ...instructions,
        ...contexts().map((content) => ({ role: 'system', content }) as const),
        ...messagesOf(history(), words, beforeTurn),
        ...instructionFor(kind),
      ];
      const builtInTools = [...routeTools.keys(), ...endingTools({ isSpoken: false })];
      return withKnowledge(knowledge, { kind, words }, output, (found) =>
        replies.request(
          { tools, builtInTools, messages: () => messages(found) },
          {
            text: output.text,
            tool: output.tool,
            end: (own) => {
              const route = [...routeTools].find(([{ name }]) => name === own?.name)?.[1];
              output.end(own === undefined ? {} : route === undefined ? { endCall: true } : { route });
            },
            failed: output.failed,
            switched: output.switched,
          },
        ),
      );
    },

    choose(request, onChoice, output) {
      const said = history().filter(({ role }) => role !== 'tool');
      const messages = [...choiceMessages(request), ...messagesOf(said, request.words)];
      const tool = choiceTool(request.routes.length);
      let choice: number | undefined;
      let text = '';
      return models.reply(
        { messages, tools: [tool] },
        {
          text: (piece) => {
            text += piece;
          },
          tool: ({ arguments: given }) => {
            choice ??= numberIn(given);
          },
          done: () => onChoice(indexOf(choice ?? numberIn(text), request.routes.length)),
          failed: () => onChoice(undefined),
          switched: output.switched,
        },
      );
    },

    prepare: (words) => knowledge?.prepare(words),
    answered: () => knowledge?.answered(),
    close: () => knowledge?.close(),
    usage: () => models.usage(),
    state: () => models.state(),
    restore: (state) => models.restore(state),
  };
}

/** Each route as a tool, under its own name unless a tool of the agent has it. */
function toolsOfRoutes(
  routes: readonly ModelRoute[],
  tools: readonly CallableTool[],
): ReadonlyMap<BuiltInTool, string> {
  const taken = new Set([...tools, ...endingTools({ isSpoken: true })].map(({ name }) => name));
  const parameters = { type: 'object', properties: {}, additionalProperties: false };
  const checkArguments = compileParameters(parameters);
  return new Map(
    routes.map(({ name, description }) => {
      const own = taken.has(name) || isPhoneTool(name) ? `${name.slice(0, 58)}_route` : name;
      return [{ name: own, description, parameters, checkArguments }, name];
    }),
  );
}

function choiceMessages({ question, routes }: FlowChoiceRequest): LlmMessage[] {
  const lines = routes.map((phrases, index) => `${index + 1}: ${phrases.join(' / ')}`);
  const content = [
    `The agent has asked: ${question}`,
    'Which of these does the answer mean? Each has examples of what a caller may say.',
    ...lines,
    'Call choose with its number, or with 0 if it is none of them or unclear.',
  ].join('\n');
  return [{ role: 'system', content }];
}

function choiceTool(routes: number) {
  const route = { type: 'integer', minimum: 0, maximum: routes, description: 'The number; 0 for none.' };
  const parameters = { type: 'object', properties: { route }, required: ['route'], additionalProperties: false };
  return { name: 'choose', description: 'States what the answer means.', parameters };
}

/** The first number: some models reply in text although there is a tool. */
function numberIn(text: string): number | undefined {
  const [digits] = /\d+/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function indexOf(choice: number | undefined, routes: number): number | undefined {
  return choice !== undefined && choice >= 1 && choice <= routes ? choice - 1 : undefined;
}
