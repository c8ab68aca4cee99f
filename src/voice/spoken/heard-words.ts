import type { Turn, TurnWord } from '../ports.ts';
import type { Command } from '../turn/events.ts';
import type { SpokenOutput } from './spoken-output.ts';
import { wordsWithin } from './turn-words.ts';

/** The words of the agent's turns. A turn does not name its utterance, but the commit that it is recorded for does. */
export class HeardWords {
  private readonly utterances: number[] = [];

  observe(commands: readonly Command[]): void {
    for (const command of commands) {
      if (command.type === 'commit' && command.role === 'agent') this.utterances.push(command.utterance);
    }
  }

  take(turn: Turn, output: SpokenOutput | null, startedAt: number): TurnWord[] {
    const utterance = this.utterances.shift() ?? 0;
    return wordsWithin(output?.takeWords(utterance, turn.text.length) ?? [], turn, startedAt);
  }
}
