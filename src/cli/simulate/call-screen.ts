import { setTimeout as delay } from 'node:timers/promises';
import type { Turn } from '../../voice/ports.ts';
import type { SimulatedCall } from '../../voice/simulation/simulated-call.ts';
import { paint, print } from '../context.ts';
import { cells, visible } from '../terminal/text.ts';
import { describeTurn, head, indent, noteOf, unheardOf } from '../terminal/transcript.ts';

/** How much faster than in a call the agent's words appear on a terminal. */
const speedUp = 8;
const longestDelayMs = 250;

/** Shows a call while it happens: the agent's words as they are heard. */
export class CallScreen {
  private readonly stream: NodeJS.WriteStream;
  /** The agent's line that is not finished yet. */
  private open: { readonly utterance: number; length: number; column: number } | null = null;
  private doneUtterance: number | null = null;
  private turnCount = 0;
  private readonly openTools = new Set<number>();
  /** What the caller says into the agent's line is shown below it. */
  private interruption: { readonly text: string; readonly atMs: number } | null = null;
  private readonly askedTools = new Set<string>();
  private lastMs = 0;

  constructor(stream: NodeJS.WriteStream) {
    this.stream = stream;
  }

  /** The call of a tool is shown with the question for its result. */
  expectAsked(toolCallId: string): void {
    this.askedTools.add(toolCallId);
  }

  /** Continues in an earlier moment of the call, in which the caller interrupts the agent. */
  rewound(call: SimulatedCall, text: string): void {
    const atMs = call.clock.now();
    this.open = null;
    this.doneUtterance = null;
    this.turnCount = call.turns.length;
    this.openTools.clear();
    this.interruption = { text, atMs };
    this.lastMs = atMs;
  }

  async update(call: SimulatedCall): Promise<void> {
    const text = `${this.heard(call)}${this.turns(call)}`;
    if (text === '') return;
    await print(this.stream, text);
    const passedMs = call.clock.now() - this.lastMs;
    this.lastMs = call.clock.now();
    if (this.stream.isTTY) await delay(Math.min(longestDelayMs, passedMs / speedUp));
  }

  /** The words that were heard since the last time. */
  private heard({ speaking }: SimulatedCall): string {
    if (speaking === null || speaking.startedAt === null || speaking.utterance === this.doneUtterance) return '';
    let start = '';
    if (this.open?.utterance !== speaking.utterance) {
      start = `${this.open === null ? '' : '\n'}${head(speaking.startedAt, 'agent', 'cyan', this.stream)}`;
      this.open = { utterance: speaking.utterance, length: 0, column: indent.length };
    }
    const piece = speaking.text.slice(this.open.length, speaking.heard);
    this.open.length = Math.max(this.open.length, speaking.heard);
    return `${start}${this.placed(visible(piece))}`;
  }

  private turns(call: SimulatedCall): string {
    let text = '';
    for (const turn of call.turns.slice(this.turnCount)) {
      // Turns are numbered when they begin, and tools end later.
      if (turn === undefined) break;
      this.turnCount = turn.index + 1;
      if (turn.role === 'tool') this.openTools.add(turn.index);
      // The caller's words were typed: they are on the screen already.
      else if (turn.role === 'agent') text += this.agentTurn(turn);
    }
    for (const index of this.openTools) text += this.toolTurn(call.turns[index] as Turn);
    return text;
  }

  private agentTurn(turn: Turn): string {
    const { open, stream } = this;
    if (open === null) return turn.text === '' ? '' : this.lines(turn);
    this.open = null;
    this.doneUtterance = open.utterance;
    const rest = this.placed(visible(turn.text.slice(open.length)), open);
    return `${rest}${unheardOf(turn, stream)}${noteOf(turn, stream)}\n${this.interrupted()}`;
  }

  private interrupted(): string {
    const { interruption, stream } = this;
    this.interruption = null;
    if (interruption === null) return '';
    return `${head(interruption.atMs, 'caller', 'green', stream)}${visible(interruption.text)}\n`;
  }

  private toolTurn(turn: Turn): string {
    const { id = '', durationMs = 0 } = turn.toolCall ?? {};
    if (durationMs === 0) return '';
    this.openTools.delete(turn.index);
    return this.askedTools.has(id) ? '' : this.lines(turn);
  }

  private lines(turn: Turn): string {
    const start = this.open === null ? '' : '\n';
    return `${start}${describeTurn(turn, this.stream).join('\n')}\n`;
  }

  /** On a terminal, continues below the start of the text where a word no longer fits. */
  private placed(piece: string, line = this.open): string {
    if (!this.stream.isTTY || line === null) return piece;
    const width = cells(piece);
    if (line.column + width < (this.stream.columns || 80)) {
      line.column += width;
      return piece;
    }
    line.column = indent.length + width;
    return `\n${indent}${piece.trimStart()}`;
  }

  note(text: string): string {
    return paint('gray', `${indent}${text}\n`, this.stream);
  }
}
