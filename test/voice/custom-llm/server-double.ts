import type { Clock } from '../../../src/voice/clock.ts';
import type { ClientLlmFrame, TranscriptEntry, Utterance } from '../../../src/voice/engines/custom-llm/frames.ts';
import type { LlmSocket, LlmSocketEvents, OpenLlmSocket } from '../../../src/voice/engines/custom-llm/socket.ts';

/** A frame that the server got, with everything that any of them may have. */
export interface Received {
  readonly at: number;
  readonly interaction_type: ClientLlmFrame['interaction_type'];
  readonly response_id?: number;
  readonly transcript?: readonly Utterance[];
  readonly transcript_with_tool_calls?: readonly TranscriptEntry[];
  readonly turntaking?: string;
  readonly timestamp?: number;
  readonly call?: Readonly<Record<string, unknown>>;
  readonly code?: string;
  readonly path?: string;
}

export interface ServerBehavior {
  /** A connection was opened: the first has number 1. */
  connected?(server: ServerDouble, connection: number): void;
  received?(frame: Received, server: ServerDouble): void;
}

/** What reaches the server in the time of a call: the network takes a few milliseconds. */
const networkMs = 5;

/** A custom LLM server on the clock of a simulated call. */
export class ServerDouble {
  readonly received: Received[] = [];
  readonly closedWith: (number | undefined)[] = [];
  connections = 0;
  attempts = 0;
  isStrict = false;
  /** Away: refuses connections. */
  isUp = true;
  /** Accepts connections and never answers. */
  isHanging = false;
  /** Its address may not be called. */
  isForbidden = false;
  private events: LlmSocketEvents | null = null;
  readonly clock: Clock;
  private readonly behavior: ServerBehavior;

  constructor(clock: Clock, behavior: ServerBehavior) {
    this.clock = clock;
    this.behavior = behavior;
  }

  readonly open: OpenLlmSocket = (events) => {
    this.attempts += 1;
    let isGivenUp = false;
    this.clock.after(networkMs, () => {
      if (isGivenUp || this.isHanging) return;
      if (this.isForbidden) return events.failed('The service does not connect to this address.', true);
      if (!this.isUp) return events.failed('The connection could not be established.', false);
      this.connections += 1;
      this.events = events;
      events.opened(this.socket(events));
      this.behavior.connected?.(this, this.connections);
    });
    return () => {
      isGivenUp = true;
    };
  };

  get requests(): Received[] {
    return this.received.filter(({ interaction_type: type }) => type.endsWith('_required'));
  }

  of(type: ClientLlmFrame['interaction_type']): Received[] {
    return this.received.filter(({ interaction_type }) => interaction_type === type);
  }

  send(frame: object): void {
    this.sendText(JSON.stringify(frame));
  }

  sendText(text: string | null, bytes = Buffer.byteLength(text ?? '')): void {
    const { events } = this;
    this.clock.after(networkMs, () => {
      if (this.events === events) events?.message(text, bytes);
    });
  }

  respond(response_id: number | undefined, content: string, more: object = {}): void {
    this.send({ response_type: 'response', response_id, content, content_complete: true, ...more });
  }

  /** Closes the connection, and is away for so long; forever if that is not said. */
  leave(code: number, awayMs?: number): void {
    const { events } = this;
    this.events = null;
    this.isUp = false;
    if (awayMs !== undefined) {
      this.clock.after(awayMs, () => {
        this.isUp = true;
      });
    }
    events?.closed(code);
  }

  /** Closes the connection. */
  close(code: number, detail?: string): void {
    const { events } = this;
    this.events = null;
    this.clock.after(networkMs, () => events?.closed(code, detail));
  }

  private socket(events: LlmSocketEvents): LlmSocket {
    return {
      isStrict: this.isStrict,
      send: (text) => {
        this.clock.after(networkMs, () => {
          if (this.events !== events) return;
          const frame = { at: this.clock.now(), ...JSON.parse(text) } as Received;
          this.received.push(frame);
          this.behavior.received?.(frame, this);
        });
      },
      close: (code) => {
        this.closedWith.push(code);
        if (this.events === events) this.events = null;
      },
    };
  }
}

/** Sends its `config`, greets, and repeats what the caller said. */
export function echoServer(
  config: object | null = { auto_reconnect: true },
  greeting = 'Hello.',
): Required<ServerBehavior> {
  return {
    connected(server) {
      if (config !== null) server.send({ response_type: 'config', config });
      server.respond(0, greeting);
    },
    received(frame, server) {
      if (frame.interaction_type === 'ping_pong') {
        server.send({ response_type: 'ping_pong', timestamp: frame.timestamp });
      }
      if (frame.interaction_type === 'reminder_required') server.respond(frame.response_id, 'Still there?');
      if (frame.interaction_type === 'response_required') {
        const last = frame.transcript?.findLast(({ role }) => role === 'user');
        server.respond(frame.response_id, `You said: ${last?.content}.`);
      }
    },
  };
}
