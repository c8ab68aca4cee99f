import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import {
  ApiError,
  BadGatewayError,
  type Call,
  type CallReply,
  ConnectionError,
  RateLimitError,
  StateConflictError,
  type VoiceAgents,
} from '../../../sdk/src/index.ts';
import { type FoundAgent, findAgent } from '../agents/find.ts';
import { type CommandOptions, connect } from '../connection/connection.ts';
import { type CommandContext, paint } from '../context.ts';
import { CommandError, exitCodes } from '../failures.ts';
import { checkedVersion } from '../resources/ids.ts';
import { onSignal } from '../terminal/exit-cleanup.ts';
import { LineInput } from '../terminal/line-input.ts';
import { visible } from '../terminal/text.ts';
import { describeDuration } from '../terminal/time.ts';
import { ChatScreen, type ChatView, chatLines, jsonReply, plainReply } from './chat-view.ts';
import { variablesOf } from './variables.ts';

interface ChatOptions extends CommandOptions {
  readonly version: string;
  readonly variable?: readonly string[];
  readonly exampleResults?: boolean;
}

/** A message, with the key under which it can be sent again. The opening has no text. */
interface Message {
  readonly text?: string;
  readonly key: string;
}

const openStatuses: readonly string[] = ['queued', 'registered', 'ringing', 'ongoing'];

/** `voice-agents chat`: a conversation with an agent in writing. */
export async function chatWithAgent(target: string, options: ChatOptions, context: CommandContext): Promise<void> {
  const version = checkedVersion(options.version, '--version');
  const variables = variablesOf(options.variable ?? []);
  const { client } = await connect(options, context.environment);
  const agent = await findAgent(client, target, { prefersNewest: true });
  const agentVersion = /^\d/.test(version) ? Number(version) : version;
  const toolResults = options.exampleResults === true ? 'example' : 'live';
  const call = await client.calls.create({ type: 'chat', agentId: agent.id, agentVersion, variables, toolResults });
  await new Chat(client, call, options, context).run(agent);
}

class Chat {
  readonly #client: VoiceAgents;
  readonly #call: Call;
  readonly #isTyped: boolean;
  readonly #input: ChatInput;
  readonly #view: ChatView;
  readonly #interruption = new AbortController();
  #status: CallReply['status'];
  /** A message without a reply, which can be sent again. */
  #failed: Message | null = null;

  constructor(client: VoiceAgents, call: Call, { json = false }: ChatOptions, context: CommandContext) {
    const { stdin, stdout } = context;
    this.#client = client;
    this.#call = call;
    this.#status = call.status;
    this.#isTyped = Boolean(stdin.isTTY);
    this.#input = this.#isTyped ? typedInput(context, () => this.#interrupt()) : pipedInput(context);
    const isScreen = this.#isTyped && stdout.isTTY && !json;
    this.#view = isScreen ? new ChatScreen(stdout) : chatLines(context, json ? jsonReply(call.id) : plainReply);
  }

  async run(agent: FoundAgent): Promise<void> {
    const forget = onSignal(() => this.#interrupt());
    try {
      this.#introduce(agent);
      await this.#talk();
      await this.#close();
    } catch (error) {
      // The call would otherwise stay open until its silence ends it.
      await this.#client.calls.end(this.#call.id).catch(() => {});
      throw error;
    } finally {
      this.#input.close();
      forget();
    }
  }

  #introduce({ id, name, olderCount }: FoundAgent): void {
    const { agentVersion, isDraft, engine } = this.#call;
    const version = `version ${agentVersion}${isDraft ? ', draft' : ''}`;
    const hint = this.#isTyped ? ' · /end or Ctrl-D ends the call' : '';
    this.#view.note(`${visible(name ?? id)} · ${version}${hint}`);
    if (olderCount > 0) this.#view.note(`${olderCount + 1} agents have this name. This is the newest, ${id}.`);
    if (engine === 'rehearsal') {
      this.#view.note('No language model is connected: the agent repeats what it hears.');
    }
  }

  async #talk(): Promise<void> {
    await this.#send({ key: randomUUID() });
    while (this.#isOpen()) {
      const line = await this.#input.next();
      const text = line?.trim() ?? '/end';
      // A Japanese keyboard types a wide slash.
      if (/^[/／]end$/.test(text)) return;
      if (text !== '') await this.#send({ text, key: randomUUID() });
      else if (this.#failed !== null) await this.#send(this.#failed);
    }
  }

  #isOpen(): boolean {
    return openStatuses.includes(this.#status) && !this.#interruption.signal.aborted;
  }

  #interrupt(): void {
    this.#interruption.abort();
    this.#input.close();
  }

  async #send(message: Message): Promise<void> {
    const { text, key } = message;
    const { signal } = this.#interruption;
    // A person decides about retries: the third failed reply in a row ends the call.
    const retries = this.#isTyped ? { maxRetries: 0 } : {};
    this.#failed = null;
    this.#view.begin();
    try {
      const options = { idempotencyKey: key, signal, ...retries };
      const stream = this.#client.calls.messages.stream(this.#call.id, text === undefined ? {} : { text }, options);
      for await (const event of stream) await this.#view.show(event);
      this.#status = (await stream.finalReply()).status;
    } catch (error) {
      this.#view.finish();
      if (!signal.aborted) await this.#report(error, message);
    }
  }

  async #report(error: unknown, message: Message): Promise<void> {
    if (error instanceof StateConflictError && error.state !== null && !openStatuses.includes(error.state)) {
      this.#status = error.state as CallReply['status'];
      return;
    }
    if (!mayPass(error)) throw error;
    const reason = `The agent could not reply: ${visible((error as Error).message)}`;
    if (!this.#isTyped) throw new CommandError(reason, exitCodes.failed);
    this.#view.problem(reason);
    if (error instanceof BadGatewayError) await this.#readStatus();
    if (!this.#isOpen()) return;
    this.#failed = message;
    this.#view.note('Press Enter to try again, or write something else.');
  }

  /** The third failed reply in a row has ended the call. */
  async #readStatus(): Promise<void> {
    try {
      this.#status = (await this.#client.calls.get(this.#call.id)).status;
    } catch {
      // The next message finds out.
    }
  }

  /** Ends the call unless it is over, and says how it ended. */
  async #close(): Promise<void> {
    const isOver = !openStatuses.includes(this.#status);
    const { id } = this.#call;
    const call = await (isOver ? this.#client.calls.get(id) : this.#client.calls.end(id));
    if (isOver) this.#view.note(describeEnd(call));
    const duration = call.durationMs === null ? '' : ` after ${describeDuration(call.durationMs)}`;
    this.#view.note(`Call ended${duration} · ${id}`);
  }
}

/** Whether the same message may get a reply later. */
function mayPass(error: unknown): boolean {
  if (error instanceof ConnectionError || error instanceof RateLimitError) return true;
  return error instanceof ApiError && (error.status >= 500 || error.status === 409);
}

function describeEnd({ endedBy, endReason, endDetail }: Call): string {
  const detail = endDetail === null ? '' : ` (${visible(endDetail)})`;
  if (endedBy === 'agent') return `The agent has ended the call${detail}.`;
  return `The call is over: ${endReason}${detail}.`;
}

/** What the caller writes. */
interface ChatInput {
  /** Null at the end, and after `close`. */
  next(): Promise<string | null>;
  close(): void;
}

/** Typed lines, after a prompt. */
function typedInput({ stdin, stdout, stderr }: CommandContext, onInterrupt: () => void): ChatInput {
  // The prompt is not part of what is written to a file.
  const screen = stdout.isTTY ? stdout : stderr;
  const lines = new LineInput({ stdin, stdout: screen }, onInterrupt);
  return { next: () => lines.ask(paint('green', 'You: ', screen)), close: () => lines.close() };
}

/** Lines of a pipe or a file, each of which is a message. */
function pipedInput({ stdin }: CommandContext): ChatInput {
  const lines = createInterface({ input: stdin });
  const iterator = lines[Symbol.asyncIterator]();
  return {
    next: async () => {
      const { done, value } = await iterator.next();
      return done ? null : value;
    },
    close: () => {
      lines.close();
      // An open pipe would keep the process alive.
      stdin.destroy();
    },
  };
}
