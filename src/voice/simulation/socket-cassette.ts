import type { Cassette, RecordedExchange } from '../../contract/cassette.ts';
import type { Clock } from '../clock.ts';
import type { ClientLlmFrame, Utterance } from '../engines/custom-llm/frames.ts';
import type { LlmSocketEvents, OpenLlmSocket } from '../engines/custom-llm/socket.ts';
import { conversationKey, redacted } from './request-key.ts';

type Required = Extract<ClientLlmFrame, { readonly response_id: number }>;

/** A way to a custom LLM server that records what the server sends. */
export function recordExchanges(
  open: OpenLlmSocket,
  clock: Clock,
): { readonly open: OpenLlmSocket; exchanges(): RecordedExchange[] } {
  const exchanges: RecordedExchange[] = [];
  const recordingOpen: OpenLlmSocket = (events) => {
    let current: { readonly since: number; readonly frames: RecordedExchange['frames'] } | null = null;
    const begin = (exchange: Omit<RecordedExchange, 'frames'>): void => {
      const frames: RecordedExchange['frames'] = [];
      exchanges.push({ ...exchange, frames });
      current = { since: clock.now(), frames };
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
        if (text !== null && current !== null && !text.includes('"ping_pong"')) {
          current.frames.push({ atMs: Math.round(clock.now() - current.since), frame: redacted(text) });
        }
        events.message(text, bytes);
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

  return (events) => {
    let isClosed = false;
    const play = ({ frames }: RecordedExchange, responseId: number): void => {
      for (const { atMs, frame } of frames) {
        clock.after(atMs, () => {
          if (!isClosed) events.message(...numbered(frame, responseId));
        });
      }
    };
    const receive = (frame: ClientLlmFrame): void => {
      if (!isRequired(frame)) return;
      const { request, conversation, about } = keyOf(frame);
      const found = take(request, conversation);
      if (found !== undefined) play(found, frame.response_id);
      else onMiss(`no recorded response to ${about}: the conversation differs from the recorded one`);
    };
    clock.after(0, () => {
      if (isClosed) return;
      events.opened({
        isStrict: false,
        send: (text) => receive(JSON.parse(text) as ClientLlmFrame),
        close: () => {
          isClosed = true;
        },
      });
      const connected = take('connect', conversationKey([]));
      if (connected !== undefined) play(connected, 0);
    });
    return () => {
      isClosed = true;
    };
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

/** Responses are for the request that is made now. */
function numbered(text: string, responseId: number): Parameters<LlmSocketEvents['message']> {
  const frame = JSON.parse(text) as { response_type?: string; response_id?: number };
  const isResponse = frame.response_type === 'response' || frame.response_type === undefined;
  const sent = isResponse && frame.response_id !== 0 ? { ...frame, response_id: responseId } : frame;
  const numberedText = JSON.stringify(sent);
  return [numberedText, Buffer.byteLength(numberedText)];
}
