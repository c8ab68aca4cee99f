import { parseForeignJson } from '../../contract/foreign-json.ts';
import type { Cassette, RecordedExchange } from '../../contract/simulations/cassette.ts';
import type { Clock } from '../clock.ts';
import { type ClientLlmFrame, maxFrameBytes, type Utterance } from '../engines/custom-llm/frames.ts';
import type { OpenLlmSocket } from '../engines/custom-llm/socket.ts';
import { conversationKey, redacted } from './request-key.ts';

type Required = Extract<ClientLlmFrame, { readonly response_id: number }>;

/** A way to a custom LLM server that records what the server sends. */
export function recordExchanges(
  open: OpenLlmSocket,
  clock: Clock,
): { readonly open: OpenLlmSocket; exchanges(): RecordedExchange[] } {
  const exchanges: RecordedExchange[] = [];
  const recordingOpen: OpenLlmSocket = (events) => {
    let current: { readonly since: number; readonly exchange: RecordedExchange } | null = null;
    const begin = (about: Omit<RecordedExchange, 'frames'>): void => {
      const exchange: RecordedExchange = { ...about, frames: [] };
      exchanges.push(exchange);
      current = { since: clock.now(), exchange };
    };
    return open({
      ...events,
      opened: (socket) => {
        begin({ about: 'the connection', request: 'connect', conversation: conversationKey([]) });
        events.opened({
          isStrict: socket.isStrict,
          close: (code) => socket.close(code),
          send: (text) => {
            const frame = JSON.parse(text) as ClientLlmFrame;
            if (isRequired(frame)) begin(keyOf(frame));
            socket.send(text);
          },
        });
      },
      message: (text, bytes) => {
        if (text !== null && current !== null && isRecorded(text, bytes, current.exchange.frames.length)) {
          current.exchange.frames.push({ atMs: Math.round(clock.now() - current.since), frame: redacted(text) });
        }
        events.message(text, bytes);
      },
      closed: (code, detail) => {
        if (current !== null) current.exchange.closed = { atMs: Math.round(clock.now() - current.since), code };
        events.closed(code, detail);
      },
    });
  };
  return { open: recordingOpen, exchanges: () => structuredClone(exchanges) };
}

/** A custom LLM server that sends what was recorded, when it was recorded. Nothing is connected. */
export function replayExchanges(
  { exchanges = [] }: Pick<Cassette, 'exchanges'>,
  clock: Clock,
  onMiss: (miss: string) => void,
): OpenLlmSocket {
  const used = new Map<string, number>();
  const take = (request: RecordedExchange['request'], conversation: string): RecordedExchange | undefined => {
    const same = exchanges.filter((each) => each.request === request && each.conversation === conversation);
    const whole = request === 'connect' ? same : same.filter(isWhole);
    const name = `${request} ${conversation}`;
    const count = used.get(name) ?? 0;
    used.set(name, count + 1);
    return whole[Math.min(count, whole.length - 1)] ?? same.at(-1);
  };

  return localSocket(clock, ({ after, send, close }) => {
    const play = ({ frames, closed }: RecordedExchange, responseId: number): void => {
      for (const { atMs, frame } of frames) after(atMs, () => send(withNumber(frame, responseId)));
      if (closed !== undefined) after(closed.atMs, () => close(closed.code));
    };
    return {
      opened: () => {
        const connected = take('connect', conversationKey([]));
        if (connected !== undefined) play(connected, 0);
      },
      receive: (frame) => {
        if (!isRequired(frame)) return;
        const { request, conversation, about } = keyOf(frame);
        const found = take(request, conversation);
        if (found !== undefined) play(found, frame.response_id);
        else onMiss(`no recorded response to ${about}: the conversation differs from the recorded one`);
      },
    };
  });
}

/** What a server without a network can do. Nothing happens after the connection was closed. */
interface LocalConnection {
  after(ms: number, act: () => void): void;
  send(text: string): void;
  close(code: number): void;
}

/** A connection that opens at once, to a server in this process. */
export function localSocket(
  clock: Clock,
  connect: (connection: LocalConnection) => { opened(): void; receive(frame: ClientLlmFrame): void },
): OpenLlmSocket {
  return (events) => {
    let isClosed = false;
    const unlessClosed = (act: () => void): void => {
      if (!isClosed) act();
    };
    const hangUp = (): void => {
      isClosed = true;
    };
    const after = (ms: number, act: () => void) => void clock.after(ms, () => unlessClosed(act));
    const server = connect({
      after,
      send: (text) => unlessClosed(() => events.message(text, Buffer.byteLength(text))),
      close: (code) => {
        hangUp();
        events.closed(code);
      },
    });
    after(0, () => {
      const send = (text: string) => unlessClosed(() => server.receive(JSON.parse(text)));
      events.opened({ isStrict: false, close: hangUp, send });
      server.opened();
    });
    return hangUp;
  };
}

function isRequired(frame: ClientLlmFrame): frame is Required {
  return frame.interaction_type === 'response_required' || frame.interaction_type === 'reminder_required';
}

function keyOf({ interaction_type: request, transcript }: Required): Omit<RecordedExchange, 'frames'> {
  const last = transcript.findLast(({ role }: Utterance) => role === 'user');
  const about = last === undefined ? 'the opening' : JSON.stringify(redacted(last.content).slice(0, maxAboutLength));
  return { about, request, conversation: conversationKey(transcript) };
}

const maxAboutLength = 200;

/** Whether the response was received to its end. */
function isWhole({ frames }: RecordedExchange): boolean {
  return frames.some(({ frame }) => /"content_complete"\s*:\s*true/.test(frame));
}

/** Pings are for a connection and not for a conversation. What is beyond the limits of a cassette has no effect. */
function isRecorded(text: string, bytes: number, count: number): boolean {
  return bytes <= maxFrameBytes && count < maxFrames && !text.includes('"ping_pong"');
}

const maxFrames = 5000;

/** Responses get the id of the present request. A frame that was not JSON is not changed. */
function withNumber(text: string, responseId: number): string {
  let frame: { response_type?: string; response_id?: number } | null;
  try {
    frame = parseForeignJson(text) as typeof frame;
  } catch {
    return text;
  }
  const isResponse = frame?.response_type === 'response' || frame?.response_type === undefined;
  const hasNumber = isResponse && typeof frame?.response_id === 'number' && frame.response_id !== 0;
  return hasNumber ? JSON.stringify({ ...frame, response_id: responseId }) : text;
}
