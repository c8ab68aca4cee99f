/** One connection to a custom LLM server. */
export interface LlmSocket {
  /** The server has selected the strict protocol. */
  readonly isStrict: boolean;
  send(text: string): void;
  /**
   * Nothing is reported afterwards. Without a code the connection is cut. With any other than 1000 the server has done
   * something wrong, and nothing more is read from it.
   */
  close(code?: number): void;
}

export interface LlmSocketEvents {
  opened(socket: LlmSocket): void;
  /** There is no connection. `isFinal`: trying again does not help. */
  failed(detail: string, isFinal: boolean): void;
  /** `text` is null for a binary message, and for one that is too large to be read. */
  message(text: string | null, bytes: number): void;
  /** A ping or a pong of the WebSocket protocol. */
  control(): void;
  /** `detail` is set if it was this side that could not go on. */
  closed(code: number, detail?: string): void;
}

/** Opens a connection and returns how to give it up before it is open: nothing is reported afterwards. */
export type OpenLlmSocket = (events: LlmSocketEvents) => () => void;
