import { closeCodes } from '../../../../contract/calls/live.ts';
import { AppError } from '../../../../core/errors.ts';
import { StoredJson } from '../../../../core/stored-json.ts';
import type { Caller } from '../../../../http/admission/caller.ts';
import type { Database } from '../../../../storage/database.ts';
import type { LogCallFailure } from '../../record/journal.ts';
import type { createMessages, MessageReply } from '../text/messages.ts';
import type { LiveSocket, OtherFrame, SocketUser } from './live-socket.ts';

export interface ChatConnectionParts {
  readonly database: Database;
  readonly sendMessage: ReturnType<typeof createMessages>;
  /** Ends the chat as its caller. */
  readonly endChat: (caller: Caller, callId: string) => Promise<void>;
  readonly logFailure: LogCallFailure;
}

export interface ChatConnectionFacts {
  readonly callId: string;
  readonly caller: Caller;
  readonly agentName: string;
  readonly language: string;
  /** What the page needs to resume the connection if it is lost. */
  readonly resumeKey: string;
}

/** A chat over a socket: each text frame is a message, and the reply comes as transcript frames. */
export class ChatConnection implements SocketUser {
  readonly hasAudio = false;
  readonly #parts: ChatConnectionParts & { readonly onClosed: () => void };
  readonly #socket: LiveSocket;
  readonly #facts: ChatConnectionFacts;
  #isReplying = false;

  constructor(
    parts: ChatConnectionParts & { readonly onClosed: () => void },
    socket: LiveSocket,
    facts: ChatConnectionFacts,
  ) {
    this.#parts = parts;
    this.#socket = socket;
    this.#facts = facts;
  }

  start(): void {
    const { callId, agentName, language, resumeKey } = this.#facts;
    const capabilities = { speechIn: false, speechOut: false, recording: false };
    this.#socket.send({ type: 'ready', callId, agentName, language, capabilities, resumeKey });
  }

  receive(frame: OtherFrame): void {
    if (frame.type === 'text') void this.#send(frame.text ?? null);
    else if (frame.type === 'end') void this.#end();
    else this.#socket.badFrame(`${frame.type} is not for a chat`);
  }

  audio(): void {}

  closed(): void {
    this.#parts.onClosed();
  }

  async #send(text: string | null): Promise<void> {
    // The database would refuse it as well, but a caller who types fast should not have to wait for that.
    if (this.#isReplying) return this.#report('reply_in_progress', 'The agent is still replying.');
    this.#isReplying = true;
    try {
      await this.#reply(text);
    } catch (error) {
      this.#reportFailure(error);
    } finally {
      this.#isReplying = false;
    }
  }

  /** The same as calls.messages.create, without an Idempotency-Key. */
  async #reply(text: string | null): Promise<void> {
    const { database, sendMessage } = this.#parts;
    const message = await sendMessage({
      caller: this.#facts.caller,
      callId: this.#facts.callId,
      text,
      repeatKey: null,
      begin: async (effect) => {
        const { result } = await database.transaction((queries) => effect(queries, false));
        return { saved: null, result };
      },
      record: (effect) => database.transaction(async (queries) => effect(queries)),
    });
    if (message.saved !== null) return;
    const shown = new Map<number, string>();
    const { body } = await message.reply({
      text: (turn, delta) => {
        const all = `${shown.get(turn) ?? ''}${delta}`;
        shown.set(turn, all);
        this.#socket.send({ type: 'transcript', role: 'agent', text: all, isFinal: false, turn });
      },
      tool: () => {},
      metadata: (metadata) => void this.#socket.send({ type: 'metadata', metadata }),
    });
    const { turns }: MessageReply = body instanceof StoredJson ? JSON.parse(String(body.bytes)) : body;
    for (const { index, role, text: said } of turns) {
      if (role !== 'tool') this.#socket.send({ type: 'transcript', role, text: said, isFinal: true, turn: index });
    }
  }

  async #end(): Promise<void> {
    try {
      await this.#parts.endChat(this.#facts.caller, this.#facts.callId);
    } catch (error) {
      this.#reportFailure(error);
    }
  }

  #report(code: 'reply_in_progress' | 'reply_failed' | 'bad_frame', message: string): void {
    this.#socket.send({ type: 'error', code, message });
  }

  #reportFailure(error: unknown) {
    if (!(error instanceof AppError)) {
      this.#parts.logFailure(this.#facts.callId, 'a message over a socket failed', error);
      return this.#report('reply_failed', 'The reply failed because of an internal error.');
    }
    const { reason } = (error.details ?? {}) as { readonly reason?: string | null };
    if (reason === 'reply_in_progress') return this.#report('reply_in_progress', error.message);
    // A newer token has joined.
    if (error.code === 'UNAUTHORIZED') return this.#socket.close(closeCodes.joinedElsewhere);
    if (error.code === 'UNPROCESSABLE_CONTENT') return this.#socket.badFrame(error.message);
    this.#report('reply_failed', error.message);
  }
}
