import { agentWith } from '../../../campaigns/voice/random-agent.ts';
import type { Agent } from '../../../src/contract/agents/agent.ts';
import type { KnowledgeSettings } from '../../../src/contract/agents/settings/knowledge.ts';
import { VirtualClock } from '../../../src/voice/clock.ts';
import { engineFor } from '../../../src/voice/engines/choose.ts';
import { prepareEngine } from '../../../src/voice/engines/create.ts';
import type { Knowledge } from '../../../src/voice/knowledge.ts';
import type { LlmRequest } from '../../../src/voice/llm.ts';
import { policyOf } from '../../../src/voice/policy.ts';
import type { RecordedEvent, Turn } from '../../../src/voice/ports.ts';
import { Session } from '../../../src/voice/session.ts';
import { noInput, TextOutput } from '../../../src/voice/text-output.ts';
import { scriptedLlm } from '../simulation/scripted-llm.ts';
import { FakeKnowledge, type FakeKnowledgeOptions } from './fake-knowledge.ts';

export const prompted = { responseEngine: { type: 'single_prompt', model: 'some-model', prompt: 'Help.' } } as const;

export function settingsWith(knowledge: Partial<KnowledgeSettings> = {}, others: object = {}) {
  return { agentSettings: { ...others, knowledge: { bases: [{ id: 'kb_1' }], ...knowledge } } };
}

interface ChatOptions {
  readonly knowledge?: FakeKnowledgeOptions | null;
  /** False: no model is connected. */
  readonly hasModel?: boolean;
}

/** A chat on a virtual clock, with an agent whose model says "Ok." after 100 ms. */
export function startChat(fields: Partial<Agent>, { knowledge = {}, hasModel = true }: ChatOptions = {}) {
  const clock = new VirtualClock();
  const agent = agentWith({ beginMessage: '', language: 'en', ...prompted, ...fields });
  const llm = scriptedLlm(clock, () => [{ after: 100, text: 'Ok.' }]);
  const port: (Knowledge & FakeKnowledge) | null = knowledge && new FakeKnowledge(clock, knowledge);
  const turns: Turn[] = [];
  const events: RecordedEvent[] = [];
  const engine = prepareEngine(
    agent,
    hasModel,
  )({
    clock,
    startedAt: 0,
    time: () => clock.now(),
    variables: {},
    defaults: {},
    isSpoken: false,
    llm: hasModel ? llm : null,
    knowledge: port,
    history: () => turns,
  });
  const recognizer = { hasPartials: false, waitMs: 0, hasEcho: false };
  const isFlow = engineFor(agent, hasModel) === 'flow';
  const session = new Session({
    clock,
    policy: policyOf(agent, { isChat: true, isFlow, recognizer }).turn,
    language: agent.language,
    engine,
    input: noInput,
    output: (outputEvents) => new TextOutput(outputEvents),
    newStages: () => [],
    tools: { run: () => {} },
    newToolCallId: () => 'tcl_1',
    recorder: {
      turn: (turn) => {
        turns[turn.index] = turn;
      },
      event: (event) => {
        if (!event.type.startsWith('speech_')) events.push(event);
      },
      ended: () => {},
    },
  });
  session.dispatch({ type: 'connected' });
  return {
    clock,
    turns,
    events,
    engine,
    requests: llm.requests as readonly LlmRequest[],
    knowledge: port as FakeKnowledge,
    say(text: string, ms = 1000): Turn | undefined {
      session.dispatch({ type: 'text', text });
      clock.advance(ms);
      return turns.findLast(({ role }) => role === 'agent');
    },
    eventsOf: <T extends RecordedEvent['type']>(type: T) =>
      events.filter((event) => event.type === type) as Extract<RecordedEvent, { type: T }>[],
  };
}
