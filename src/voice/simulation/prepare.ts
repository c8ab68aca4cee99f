import type { Agent } from '../../contract/agents/agent.ts';
import type { Cassette } from '../../contract/simulations/cassette.ts';
import type { SimulationScript } from '../../contract/simulations/script.ts';
import type { Step } from '../../contract/simulations/steps.ts';
import { epochOf } from '../calendar.ts';
import { hasPhoneSettings, timeZoneOf, toolsOf, transfersOf } from '../engines/agent-parts.ts';
import { engineFor } from '../engines/choose.ts';
import { prepareEngine } from '../engines/create.ts';
import { ownConnection } from '../engines/custom-llm/connections.ts';
import { filledAgent } from '../filled-agent.ts';
import { agentVariables, policyOf } from '../policy.ts';
import { memo } from '../text/memo.ts';
import { compilePronunciation } from '../text/pronunciation.ts';
import { createSpeakableStage } from '../text/speakable.ts';
import { builtInVariables } from '../text/variables.ts';
import { urlRefusal } from '../tools/tool-url.ts';
import type { TurnPolicy } from '../turn/events.ts';
import { replayCassette } from './cassette.ts';
import type { NewLlm, NewSocket } from './simulated-engine.ts';
import type { Simulation } from './simulation.ts';
import { replayExchanges } from './socket-cassette.ts';

/** A Monday morning in Tokyo: without a time of its own, every run of a script is the same. */
const defaultNow = '2026-01-05T01:00:00Z';
/** The same in milliseconds since 1970. */
export const defaultStart = epochOf(defaultNow);
/** As many partial transcripts as a long script has. */
const maxHints = 500;
/** A recognizer at the usual distance. */
const recognizer = { hasPartials: true, waitMs: 1000, hasEcho: false };

/** The model that an agent has in a simulation: one that replies what was recorded. */
export function modelOn(cassette: Cassette): NewLlm {
  return (clock, { missed }) => replayCassette(cassette, clock, missed);
}

/** The server that a custom LLM agent has in a simulation: one that sends what was recorded. */
export function socketOn(cassette: Cassette): NewSocket {
  return (clock, { missed }) => replayExchanges(cassette, clock, missed);
}

/** Without a model, an agent that needs one only rehearses. */
export function prepareSimulation(
  agent: Agent,
  script: SimulationScript,
  steps: readonly Step[],
  newLlm: NewLlm | null = null,
  newSocket: NewSocket | null = null,
): Simulation {
  const { language } = agent;
  const now = epochOf(script.now ?? defaultNow);
  const isFlow = engineFor(agent, false) === 'flow';
  const timeZone = timeZoneOf(agent);
  const defaults = {
    ...builtInVariables({ now, timeZone, language, callId: 'call_simulated', agentName: agent.name }),
    ...agentVariables(agent),
  };
  const variables = script.variables ?? {};
  const filled = filledAgent(agent, { ...defaults, ...variables }, () => {});
  const agentTools = toolsOf(agent);
  const { turn, speechRate } = policyOf(filled, { isChat: false, isFlow, recognizer });
  const create = prepareEngine(agent, newLlm !== null);
  const pronounce = compilePronunciation(agent.pronunciationDictionary ?? []);
  return {
    steps,
    tools: script.tools ?? {},
    refuseTool: (call) => urlRefusal(agentTools, call),
    noise: script.noise ?? 0,
    policy: { ...turn, language: { ...turn.language, hint: rememberedHint(turn.language.hint) } },
    language,
    speed: speechRate.speed,
    newStages: () => [createSpeakableStage(language), pronounce],
    transfers: hasPhoneSettings(agent) ? transfersOf(agent) : null,
    newEngine: (clock, call) => {
      const time = () => now + clock.now();
      return create({
        clock,
        startedAt: now,
        time,
        variables,
        defaults,
        isSpoken: true,
        isPhone: hasPhoneSettings(agent),
        llm: newLlm?.(clock, call) ?? null,
        customLlm: newSocket && {
          connections: ownConnection({ open: newSocket(clock, call), clock, time }),
          call: { call_id: 'call_simulated', call_type: 'web_call' },
        },
        history: call.history,
        onRoute: call.took,
      });
    },
  };
}

/** The callers of all runs say the same, and hints would take a seventh of the time of a run. */
function rememberedHint(hint: TurnPolicy['language']['hint']): TurnPolicy['language']['hint'] {
  const remembered = memo((words) => ({ hint: hint(words) }), maxHints);
  return (words) => remembered(words).hint;
}
