import type { SimulationScript } from '../../contract/simulations/script.ts';
import { expectationOf } from '../../voice/engines/flow/explore/script.ts';
import type { Turn } from '../../voice/ports.ts';
import { type CallerAction, type InteractiveCall, interruptedWords } from './interactive-call.ts';

interface TimedStep {
  readonly atMs: number;
  readonly steps: readonly string[];
}

/** A conversation as a script that repeats it, and expects what the agent said. */
export function scriptOf(
  { call, actions, answers }: InteractiveCall,
  { agent, now, variables, tools }: Omit<SimulationScript, 'steps'>,
): SimulationScript {
  const timed: TimedStep[] = [
    // At the same time, what the agent said comes first: the caller replied to it.
    ...call.turns.map((turn) => ({ atMs: turn.endMs, steps: expectationsOf(turn) })),
    ...actions.map(({ action, atMs }) => ({ atMs: Math.round(atMs), steps: [stepOf(action)] })),
  ];
  const steps = timed.toSorted((a, b) => a.atMs - b.atMs).flatMap((each) => each.steps);
  const end = call.endReason === null ? [] : [`expect end ${call.endReason}`];
  const asked = Map.groupBy(answers, ({ name }) => name);
  const results = [...asked].map(([name, list]) => [
    name,
    list.map(({ result }) => (result.isError ? { error: result.message } : { result: result.result })),
  ]);
  const allTools = { ...tools, ...(Object.fromEntries(results) as SimulationScript['tools']) };
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(now === undefined ? {} : { now }),
    ...(variables === undefined ? {} : { variables }),
    ...(Object.keys(allTools).length === 0 ? {} : { tools: allTools }),
    steps: [...steps, ...end],
  };
}

function stepOf(action: CallerAction): string {
  switch (action.type) {
    case 'say':
      return `say ${quoted(action.text)}`;
    case 'interrupt':
      return `interrupt after ${interruptedWords} words ${quoted(action.text)}`;
    case 'cough':
      return `cough ${action.ms}ms`;
    case 'wait':
      return `pause ${action.ms}ms`;
    case 'dial':
      return `dtmf ${action.digits}`;
    case 'hangUp':
      return 'hang up';
  }
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** What was interrupted is not expected: to wait for it would be to hear it out. */
function expectationsOf({ role, text, interrupted, toolCall }: Turn): string[] {
  if (toolCall !== null) return [`expect tool ${toolCall.name} ${JSON.stringify(toolCall.arguments)}`];
  return role === 'agent' && !interrupted && text.trim() !== '' ? [expectationOf(text.trim())] : [];
}
