import type { SimulationScript } from '../../../contract/simulations/script.ts';
import { maxSteps } from '../../../contract/simulations/steps.ts';
import { expectationOf } from '../../engines/flow/explore/script.ts';
import type { Turn } from '../../ports.ts';
import type { EndReason } from '../../turn/events.ts';
import { spokenWords } from '../spoken-words.ts';

/** What a script needs to know about a call that has ended. */
export interface EndedCall {
  readonly agentId: string;
  readonly type: 'chat' | 'web' | 'phone';
  /** What replied. */
  readonly engine: string;
  readonly language: string;
  /** An ISO time; null if nobody joined. */
  readonly startedAt: string | null;
  readonly endReason: string | null;
  readonly variables: SimulationScript['variables'];
  readonly turns: readonly Turn[];
}

/** A caller who answers sooner does not let the agent wait. */
const shortestPauseMs = 500;
/** Ends that the caller or the agent brings about. Others depend on the service. */
const repeatedEnds: readonly EndReason[] = [
  'caller_hangup',
  'agent_hangup',
  'silence_timeout',
  'max_duration',
  'transferred',
];
const maxTextLength = 3900;

/** A script that repeats a call, and expects what the agent said in it. Null if it would have too many steps. */
export function scriptOfCall(call: EndedCall): SimulationScript | null {
  const { agentId, startedAt, variables, turns, endReason } = call;
  const tools = hasOwnTools(call) ? toolsOf(turns) : {};
  const end = repeatedEnds.find((reason) => reason === endReason);
  const steps = [
    ...turns.flatMap((turn, index) => stepsOf(call, turn, turns[index - 1])),
    ...(end === 'caller_hangup' ? ['hang up'] : []),
    ...(end === undefined ? [] : [`expect end ${end}`]),
  ];
  if (steps.length > maxSteps) return null;
  return {
    agent: agentId,
    ...(startedAt !== null && { now: startedAt }),
    ...(variables !== undefined && Object.keys(variables).length > 0 && { variables }),
    ...(Object.keys(tools).length > 0 && { tools }),
    steps,
  };
}

function stepsOf(call: EndedCall, turn: Turn, before: Turn | undefined): string[] {
  const { role, source, text, interrupted, toolCall } = turn;
  if (toolCall !== null && !hasOwnTools(call)) return [];
  if (toolCall !== null) return [`expect tool ${toolCall.name} ${JSON.stringify(toolCall.arguments)}`];
  if (role === 'caller') return callerSteps(call, turn, before);
  // What came from the API is not repeated, and what was interrupted is not expected: to wait for it would be to hear it
  // out.
  const isRepeated = source !== 'control' && source !== 'waiting' && !interrupted;
  return isRepeated && text.trim() !== '' ? [expectationOf(text.trim())] : [];
}

/** A custom LLM server carries out its tools itself: a script neither provides nor expects them. */
function hasOwnTools({ engine }: EndedCall): boolean {
  return engine !== 'custom_llm';
}

function callerSteps(
  { type, language }: EndedCall,
  { text, startMs, endMs }: Turn,
  before: Turn | undefined,
): string[] {
  const words = quoted(text);
  if (words === '""') return [];
  if (type === 'chat') return [`say ${words}`];
  if (before?.role === 'agent' && before.interrupted) {
    return [`interrupt after ${Math.max(1, spokenWords(before.text, language).length)} words ${words}`];
  }
  const pauseMs = before?.role === 'agent' ? startMs - before.endMs : 0;
  return [
    ...(pauseMs >= shortestPauseMs ? [`pause ${pauseMs}ms`] : []),
    endMs > startMs ? `say ${words} for ${endMs - startMs}ms` : `say ${words}`,
  ];
}

function quoted(text: string): string {
  return `"${text.replaceAll(/\s+/g, ' ').trim().slice(0, maxTextLength).replaceAll(/["\\]/g, '\\$&')}"`;
}

/** What each tool has returned, one entry per call. */
function toolsOf(turns: readonly Turn[]): NonNullable<SimulationScript['tools']> {
  const calls = turns.flatMap(({ toolCall }) => (toolCall === null ? [] : [toolCall]));
  const byName = Map.groupBy(calls, ({ name }) => name);
  return Object.fromEntries(
    [...byName].map(([name, list]) => [
      name,
      list.map(({ result, isError, durationMs }) => ({
        ...(isError ? { error: errorText(result) } : { result }),
        delayMs: Math.min(Math.round(durationMs), 30_000),
      })),
    ]),
  );
}

function errorText(result: unknown): string {
  const text = typeof result === 'string' ? result : JSON.stringify(result ?? 'failed');
  return text.slice(0, 1000);
}
