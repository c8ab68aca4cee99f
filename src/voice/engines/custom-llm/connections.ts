import type { Clock } from '../../clock.ts';
import { type ConnectionParts, LlmConnection } from './connection.ts';
import type { LlmConnections } from './engine.ts';
import { createInterrupts } from './interrupts.ts';

/** The connection of a call that lasts as long as its session. */
export function ownConnection(parts: ConnectionParts): LlmConnections {
  return {
    take: (errors) => new LlmConnection(parts, errors),
    release: (connection) => connection.close(),
  };
}

/** What a server does in a chat between two messages. */
export interface IdleEvents {
  reported(text: string, endCall: boolean): void;
  hungUp(): void;
}

interface Kept {
  readonly connection: LlmConnection;
  readonly stop: () => void;
}

const keepMs = 60_000;

/** The connections of chats between two messages. One that is lost meanwhile is opened again with the next message. */
export class KeptConnections {
  private readonly clock: Clock;
  private readonly kept = new Map<string, Kept>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get size(): number {
    return this.kept.size;
  }

  of(callId: string, parts: ConnectionParts, events: IdleEvents): LlmConnections {
    return {
      take: (errors) => this.take(callId) ?? new LlmConnection(parts, errors),
      release: (connection) => this.keep(callId, connection, events),
    };
  }

  /** The chat is over. */
  close(callId: string): void {
    this.take(callId)?.close();
  }

  closeAll(): void {
    for (const callId of [...this.kept.keys()]) this.close(callId);
  }

  private take(callId: string): LlmConnection | undefined {
    const found = this.kept.get(callId);
    this.kept.delete(callId);
    found?.stop();
    if (found !== undefined) found.connection.isUnproven = true;
    return found?.connection;
  }

  private keep(callId: string, connection: LlmConnection, events: IdleEvents) {
    // One that is being restored has nothing to say; the next message opens another.
    if (!connection.isOpen) return connection.close();
    this.close(callId);
    const interrupts = createInterrupts(this.clock, () => {});
    const drop = (): void => {
      if (this.kept.get(callId)?.connection === connection) this.close(callId);
    };
    const cancel = this.clock.after(keepMs, drop);
    const stop = (): void => {
      cancel();
      interrupts.close();
      connection.listener = null;
    };
    this.kept.set(callId, { connection, stop });
    const call = {
      interrupt: (text: string, { endCall }: { readonly endCall: boolean }) => events.reported(text, endCall),
      hangUp: () => events.hungUp(),
      transfer: () => false,
      pressKeys: () => false,
      warn: () => {},
    };
    connection.listener = {
      opened: () => {},
      lost: drop,
      frame: (frame) => {
        if (frame.response_type === 'agent_interrupt') interrupts.add(call, frame);
      },
      warn: () => {},
      hungUp: () => {
        drop();
        events.hungUp();
      },
      failed: drop,
    };
  }
}
