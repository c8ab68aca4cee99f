/** One server-sent event. */
export interface ServerSentEvent {
  /** Its name; `message` if it has none. */
  readonly event: string;
  readonly data: string;
}

/** Parses server-sent events from text that arrives in pieces of any size. */
export class EventStreamParser {
  #line = '';
  #event = '';
  #data: string[] = [];
  /** The previous piece ended with CR, so that a following LF belongs to the same line end. */
  #isAfterCr = false;

  /** The events that this piece completes. An event without its empty line is incomplete and never returned. */
  push(piece: string): ServerSentEvent[] {
    const text = this.#isAfterCr && piece.startsWith('\n') ? piece.slice(1) : piece;
    if (piece !== '') this.#isAfterCr = piece.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/);
    const events: ServerSentEvent[] = [];
    lines.forEach((line, place) => {
      this.#line += line;
      // What follows the last line end is continued by the next piece.
      if (place === lines.length - 1) return;
      const done = this.#take(this.#line);
      this.#line = '';
      if (done !== null) events.push(done);
    });
    return events;
  }

  /** Returns the event that an empty line completes. */
  #take(line: string): ServerSentEvent | null {
    if (line === '') return this.#complete();
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') this.#event = value;
    else if (name === 'data') this.#data.push(value);
    // Lines that start with a colon are comments; `id` and `retry` are for EventSource.
    return null;
  }

  #complete(): ServerSentEvent | null {
    const data = this.#data;
    const event = this.#event || 'message';
    this.#data = [];
    this.#event = '';
    return data.length === 0 ? null : { event, data: data.join('\n') };
  }
}
