import { lengthWithoutTags, roomBesides, roomIn, type Warn } from '../../text/variables.ts';
import { collect, warnRejected } from '../collected.ts';
import type { Scalar, Variables } from '../engine.ts';
import type { CompiledFlow } from './compile.ts';
import type { FlowFacts, FlowOutput } from './state.ts';
import { fillValue } from './values.ts';
import { fillText, readField, storedValue } from './variables.ts';

/** The variables of a call, and the texts of its flow with them. Warnings and changes are added to the outputs. */
export class CallValues {
  readonly #flow: CompiledFlow;
  readonly #facts: FlowFacts;
  readonly #outputs: FlowOutput[];
  /** Shared by all texts of a step, because they are spoken in one reply. */
  readonly #spokenRoom = roomBesides();
  collected: Variables;

  constructor(flow: CompiledFlow, facts: FlowFacts, collected: Variables, outputs: FlowOutput[]) {
    this.#flow = flow;
    this.#facts = facts;
    this.#outputs = outputs;
    this.collected = collected;
  }

  readonly #warn: Warn = (code, message) => {
    this.#outputs.push({ type: 'warning', code, message });
  };

  read(field: string): unknown {
    return readField(field, this.collected, this.#facts);
  }

  text(text: string): string {
    // What follows a cut is not said.
    if (this.#spokenRoom.isUsedUp) return '';
    this.#spokenRoom.left -= lengthWithoutTags(text);
    return fillText(this.#flow, text, this.collected, this.#facts, this.#warn, this.#spokenRoom);
  }

  /** A prompt may be much longer than what is said. */
  prompt(text: string): string {
    return fillText(this.#flow, text, this.collected, this.#facts, this.#warn, roomBesides());
  }

  /** What a tool gets. */
  arguments(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const filled = fillValue(
      values,
      (name) => storedValue(name, this.collected, this.#facts),
      this.#warn,
      roomBesides(),
    );
    return filled as Record<string, unknown>;
  }

  set(variables: Variables): void {
    warnRejected(this.#collect(variables), this.#warn);
  }

  /** Each value may use those before it. */
  setFilled(variables: Variables): void {
    const lookup = (name: string) => storedValue(name, this.collected, this.#facts);
    const rejected = Object.entries(variables).flatMap(([name, value]) => {
      const filled = typeof value === 'string' ? fillValue(value, lookup, this.#warn, roomIn(value)) : value;
      return this.#collect({ [name]: filled as Scalar });
    });
    warnRejected(rejected, this.#warn);
  }

  #collect(variables: Variables): readonly string[] {
    const { collected, set, rejected } = collect(this.collected, variables);
    this.collected = collected;
    if (Object.keys(set).length > 0 || rejected.length === 0) this.#outputs.push({ type: 'set', variables: set });
    return rejected;
  }
}
