import type { Turn } from '../ports.ts';
import type { TurnEvent } from '../turn/events.ts';
import type { TurnMachine } from '../turn/machine.ts';

/** What was said so far in a turn. A later one with the same `turn` replaces it, also if it was final. */
export interface TranscriptFrame {
  readonly role: 'caller' | 'agent';
  readonly text: string;
  readonly isFinal: boolean;
  readonly turn: number;
}

/** Shows what is said while it is said. The index of a turn is foreseen until it is committed. */
export class LiveTranscript {
  private nextIndex: number;
  private caller = { text: '', isFinal: false };
  private agentText = '';
  private readonly send: (frame: TranscriptFrame) => void;

  constructor(firstIndex: number, send: (frame: TranscriptFrame) => void) {
    this.nextIndex = firstIndex;
    this.send = send;
  }

  /** After a step of the machine. */
  observe({ type }: TurnEvent, machine: TurnMachine): void {
    if (type === 'stt.partial' || type === 'stt.final') this.observeCaller(machine, type === 'stt.final');
    else if (type === 'play.progress') this.observeAgent(machine.heardWords);
  }

  committed({ role, text, index }: Turn): void {
    this.nextIndex = Math.max(this.nextIndex, index + 1);
    if (role === 'tool') return;
    if (role === 'caller') this.caller = { text: '', isFinal: false };
    else this.agentText = '';
    this.send({ role, text, isFinal: true, turn: index });
  }

  private observeCaller({ callerWords: text, hasHeardUtterance }: TurnMachine, isFinal: boolean): void {
    if (text === '' || (text === this.caller.text && isFinal === this.caller.isFinal)) return;
    this.caller = { text, isFinal };
    this.send({ role: 'caller', text, isFinal, turn: this.nextIndex + (hasHeardUtterance ? 1 : 0) });
  }

  private observeAgent(text: string): void {
    if (text.trim() === '' || text === this.agentText) return;
    this.agentText = text;
    this.send({ role: 'agent', text, isFinal: false, turn: this.nextIndex });
  }
}
