import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Turn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly work: () => void;
  isAnswered: boolean;
}

/** What has come over one connection: the request that is in work, or was last, and those behind it. */
interface Line {
  current: Turn;
  readonly waiting: Turn[];
  /** What is said after all of them, before the connection is closed. */
  lastWord: (() => void) | null;
}

/**
 * Has the requests of a connection wait for each other, where a client sends them without waiting for answers. Node
 * begins them all, and keeps what is answered until it can be sent: a few bytes could ask for more than there is memory.
 * It also keeps what cannot be read as HTTP from being refused in the place of a request before it.
 */
export class Turns {
  readonly #lines = new WeakMap<Socket, Line>();

  take(request: IncomingMessage, response: ServerResponse, work: () => void): void {
    const turn: Turn = { request, response, work, isAnswered: false };
    const line = this.#lines.get(request.socket);
    if (line === undefined) {
      const started: Line = { current: turn, waiting: [], lastWord: null };
      this.#lines.set(request.socket, started);
      this.#start(started);
    } else if (line.current.isAnswered) {
      line.current = turn;
      this.#start(line);
    } else line.waiting.push(turn);
  }

  /** Says a last word where nothing can be read any more: in its turn, and not beside the answer that was given already. */
  refuse(socket: Socket, sayLastWord: () => void): void {
    const line = this.#lines.get(socket);
    if (line === undefined) sayLastWord();
    else if (line.lastWord === null) {
      line.lastWord = sayLastWord;
      const newest = line.waiting.at(-1) ?? line.current;
      if (newest.request.complete) {
        if (line.current.isAnswered) sayLastWord();
      }
      // Its body is what cannot be read: the word is its answer.
      else if (newest !== line.current) line.waiting.pop();
      else if (newest.isAnswered || newest.response.headersSent) socket.destroySoon();
      else sayLastWord();
    }
  }

  #start(line: Line): void {
    const { current } = line;
    current.response.once('close', () => {
      current.isAnswered = true;
      this.#goOn(line);
    });
    current.work();
  }

  #goOn(line: Line): void {
    // Nobody is there any more to be answered.
    if (line.current.request.socket.destroyed) return;
    const next = line.waiting.shift();
    if (next !== undefined) {
      line.current = next;
      // Not at once: others are served in between, however many there are in this line.
      setImmediate(() => this.#start(line));
    } else if (line.current.request.complete) line.lastWord?.();
  }
}
