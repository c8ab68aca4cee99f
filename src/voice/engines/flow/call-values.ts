import { fill, lengthWithoutTags, roomBesides, roomIn, type Warn } from '../../text/variables.ts';
import type { Scalar, Variables } from '../../variables.ts';
import { collect, warnRejected } from '../collected.ts';
import type { CompiledFlow } from './compile.ts';
import type { FlowFacts, FlowOutput } from './state.ts';
import { fillValue } from './values.ts';
import { readField, spokenVariable, storedValue } from './variables.ts';

export type CallValues = ReturnType<typeof createCallValues>;

/** The variables of a call, and the texts of its flow with them. Warnings and changes are added to the outputs. */
export function createCallValues(flow: CompiledFlow, facts: FlowFacts, known: Variables, outputs: FlowOutput[]) {
  let collected = known;
  /** Shared by all texts of a step, because they are spoken in one reply. */
  const spokenRoom = roomBesides();
  const warn: Warn = (code, message) => {
    outputs.push({ type: 'warning', code, message });
  };
  const lookup = (name: string) => storedValue(name, collected, facts);
  const speak = (name: string) => spokenVariable(flow, name, collected, facts);
  /** Returns the names of those that are beyond the limits. */
  const add = (variables: Variables): readonly string[] => {
    const { set, rejected, ...result } = collect(collected, variables);
    collected = result.collected;
    if (Object.keys(set).length > 0 || rejected.length === 0) outputs.push({ type: 'set', variables: set });
    return rejected;
  };
  return {
    collected: () => collected,
    read: (field: string): unknown => readField(field, collected, facts),
    text: (text: string): string => {
      // What follows a cut is not said.
      if (spokenRoom.isUsedUp) return '';
      spokenRoom.left -= lengthWithoutTags(text);
      return fill(text, speak, warn, spokenRoom);
    },
    /** A prompt may be much longer than what is said. */
    prompt: (text: string): string => fill(text, speak, warn, roomBesides()),
    /** What a tool gets. */
    arguments: (values: Readonly<Record<string, unknown>>) =>
      fillValue(values, lookup, warn, roomBesides()) as Record<string, unknown>,
    set: (variables: Variables): void => warnRejected(add(variables), warn),
    /** Each value may use those before it. */
    setFilled: (variables: Variables): void => {
      const rejected = Object.entries(variables).flatMap(([name, value]) => {
        const filled = typeof value === 'string' ? fillValue(value, lookup, warn, roomIn(value)) : value;
        return add({ [name]: filled as Scalar });
      });
      warnRejected(rejected, warn);
    },
  };
}
