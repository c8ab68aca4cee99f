import type { CallMessageEvent, CallReply } from '../../../sdk/src/index.ts';
import { type CommandContext, paint, print } from '../context.ts';
import { jsonLine, visible, visibleLines } from '../terminal/text.ts';

/** Shows what the agent does in a chat. */
export interface ChatView {
  /** The caller has sent something: a reply follows. */
  begin(): void;
  show(event: CallMessageEvent): Promise<void>;
  /** Ends a line that an interrupted reply has left open. */
  finish(): void;
  note(text: string): void;
  problem(text: string): void;
}

type Turn = CallReply['turns'][number];

const label = 'Agent: ';

/** A conversation on a terminal: the agent's words as they arrive. */
export class ChatScreen implements ChatView {
  readonly #stream: NodeJS.WriteStream;
  /** What of each turn is on the screen. */
  readonly #shown = new Map<number, string>();
  /** The turn of the open line: null if there is none, -1 if the agent has not begun. */
  #open: number | null = null;
  /** Half of a character that was cut in two. */
  #half = '';

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  begin(): void {
    this.#shown.clear();
    this.#half = '';
    this.#stream.write(this.#label());
    this.#open = -1;
  }

  async show(event: CallMessageEvent): Promise<void> {
    if (event.type === 'text') this.#write(event.turn, event.delta);
    else if (event.type === 'tool') this.#tool(event.name);
    else this.#done(event.reply);
  }

  finish(): void {
    if (this.#open === -1) this.#stream.write('\r\x1b[K');
    else if (this.#open !== null) this.#stream.write('\n');
    this.#open = null;
  }

  note(text: string): void {
    this.#stream.write(`${paint('gray', text, this.#stream)}\n`);
  }

  problem(text: string): void {
    this.#stream.write(`${paint('red', text, this.#stream)}\n`);
  }

  #label(): string {
    return paint('cyan', label, this.#stream);
  }

  #write(turn: number, delta: string): void {
    if (this.#open === null || (this.#open !== -1 && this.#open !== turn)) {
      this.finish();
      this.#stream.write(this.#label());
    }
    this.#open = turn;
    this.#shown.set(turn, `${this.#shown.get(turn) ?? ''}${delta}`);
    const text = `${this.#half}${delta}`;
    this.#half = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : '';
    const whole = this.#half === '' ? text : text.slice(0, -1);
    this.#stream.write(visibleLines(whole).join(`\n${' '.repeat(label.length)}`));
  }

  #tool(name: string): void {
    this.finish();
    this.note(`       → ${visible(name)}`);
  }

  #done({ turns }: CallReply): void {
    const said = turns.filter(({ role }) => role === 'agent');
    for (const turn of said) this.#complete(turn);
    const latency = said.find((turn) => turn.latency?.e2eMs != null)?.latency?.e2eMs;
    if (this.#open !== null && this.#open !== -1 && latency != null) {
      this.#stream.write(paint('gray', `  ${latency} ms`, this.#stream));
    }
    // The caller has said something, and the agent is silent or muted.
    const isSilent = said.length === 0 && turns.length > 0;
    this.finish();
    if (isSilent) this.note('The agent says nothing.');
  }

  /** What was not streamed: a reply that was repeated after a lost connection arrives as a whole. */
  #complete({ index, text }: Turn): void {
    const shown = this.#shown.get(index) ?? '';
    if (shown === text || text === '') return;
    if (text.startsWith(shown)) {
      this.#write(index, text.slice(shown.length));
      return;
    }
    this.finish();
    this.#shown.delete(index);
    this.#write(index, text);
  }
}

/** For programs: what the agent says on standard output, everything else on standard error. */
export function chatLines({ stdout, stderr }: CommandContext, describe: (reply: CallReply) => string): ChatView {
  const note = (text: string) => void stderr.write(`${text}\n`);
  return {
    begin: () => {},
    show: async (event) => {
      if (event.type === 'done') await print(stdout, describe(event.reply));
    },
    finish: () => {},
    note,
    problem: note,
  };
}

/** What the agent said, one line per turn unless it has line breaks itself. */
export function plainReply({ turns }: CallReply): string {
  return turns
    .filter(({ role, text }) => role === 'agent' && text !== '')
    .map(({ text }) => `${visibleLines(text).join('\n')}\n`)
    .join('');
}

/** The reply as the service returns it, with the call that it belongs to. */
export function jsonReply(callId: string): (reply: CallReply) => string {
  return (reply) => jsonLine({ callId, ...reply });
}
