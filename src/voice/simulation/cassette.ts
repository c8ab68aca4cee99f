import type { Cassette, CassetteEvent, RecordedReply } from '../../contract/simulations/cassette.ts';
import type { Clock } from '../clock.ts';
import type { Llm, LlmEvents, LlmRequest } from '../llm.ts';
import { aboutOf, keyOf, type RequestKey, redacted } from './request-key.ts';

type Unplaced<Event> = Event extends CassetteEvent ? Omit<Event, 'atMs'> : never;

/** A model that records what it replies. `cassette` returns the replies so far; a canceled one ends where it was. */
export function recordCassette(llm: Llm, clock: Clock): { readonly llm: Llm; cassette(): Cassette } {
  const replies: RecordedReply[] = [];
  const record = (request: LlmRequest, events: LlmEvents): (() => void) => {
    const start = clock.now();
    const recorded: RecordedReply['events'] = [];
    replies.push({ about: aboutOf(request), ...keyOf(request), events: recorded });
    const note = (event: Unplaced<CassetteEvent>): void => {
      recorded.push({ ...event, atMs: Math.round(clock.now() - start) } as CassetteEvent);
    };
    return llm.reply(request, {
      text: (text) => {
        note({ type: 'text', text: redacted(text) });
        events.text(text);
      },
      tool: (call) => {
        note({ type: 'tool', name: call.name, arguments: redacted(call.arguments) });
        events.tool(call);
      },
      usage: (usage) => {
        note({ type: 'usage', ...usage });
        events.usage(usage);
      },
      done: () => {
        note({ type: 'done' });
        events.done();
      },
      failed: (detail, failure) => {
        note({ type: 'failed', detail: redacted(detail).slice(0, maxDetailLength) });
        events.failed(detail, failure);
      },
    });
  };
  return { llm: { ...llm, reply: record }, cassette: () => ({ version: 1, replies: structuredClone(replies) }) };
}

const maxDetailLength = 500;

/** A model that replies what was recorded, when it was recorded, and calls nothing. */
export function replayCassette({ replies }: Cassette, clock: Clock, onMiss: (miss: string) => void = () => {}) {
  /** Requests without a recorded reply, each in words. */
  const misses: string[] = [];
  const used = new Map<string, number>();
  const miss = (what: string, events: LlmEvents): void => {
    misses.push(what);
    onMiss(what);
    events.failed(what, { isFinal: true });
  };

  const reply = (request: LlmRequest, events: LlmEvents): (() => void) => {
    const key = keyOf(request);
    const found = takeReply(replies, key, used);
    if (found === undefined) return clock.after(0, () => miss(missOf(replies, request, key), events));
    const isComplete = isWhole(found);
    const start = clock.now();
    let isCanceled = false;
    const play = (place: number): void => {
      const event = found.events[place];
      if (event === undefined) {
        if (!isComplete) miss(`no complete recorded reply for ${aboutOf(request)}: it was canceled`, events);
        return;
      }
      clock.after(start + event.atMs - clock.now(), () => {
        if (isCanceled) return;
        send(event, place, events);
        // What receives an event may cancel the rest.
        if (!isCanceled) play(place + 1);
      });
    };
    play(0);
    return () => {
      isCanceled = true;
    };
  };
  return { provider: 'cassette', sentModel: (model: string) => model, reply, misses };
}

/**
 * A request that was recorded several times gets its replies in the order of the recording, and the last one from then
 * on: in a simulation, a caller may hesitate more often. A reply that was canceled is used only if there is no other.
 */
function takeReply(
  replies: readonly RecordedReply[],
  key: RequestKey,
  used: Map<string, number>,
): RecordedReply | undefined {
  const same = replies.filter(
    (reply) => reply.conversation === key.conversation && changedParts(reply, key).length === 0,
  );
  const whole = same.filter(isWhole);
  const name = Object.values(key).join(' ');
  const count = used.get(name) ?? 0;
  used.set(name, count + 1);
  return whole[Math.min(count, whole.length - 1)] ?? same.at(-1);
}

const parts = {
  model: 'the model',
  instructions: 'the instructions',
  tools: 'the tools',
  settings: 'the parameters',
} as const;

function changedParts(reply: RecordedReply, key: RequestKey): string[] {
  const names = Object.keys(parts) as (keyof typeof parts)[];
  return names.flatMap((name) => (reply[name] === key[name] ? [] : [parts[name]]));
}

function isWhole({ events }: RecordedReply): boolean {
  const last = events.at(-1)?.type;
  return last === 'done' || last === 'failed';
}

/** Names what has changed, if the same conversation was recorded with something else. */
function missOf(replies: readonly RecordedReply[], request: LlmRequest, key: RequestKey): string {
  const about = `no recorded reply for ${aboutOf(request)}`;
  const [closest] = replies
    .filter(({ conversation }) => conversation === key.conversation)
    .map((reply) => changedParts(reply, key))
    .sort((one, other) => one.length - other.length);
  return closest === undefined
    ? `${about}: the conversation differs from the recorded one`
    : `${about}: ${closest.join(' and ')} changed since the recording`;
}

function send(event: CassetteEvent, place: number, events: LlmEvents) {
  switch (event.type) {
    case 'text':
      return events.text(event.text);
    case 'tool':
      return events.tool({ id: `replayed_${place}`, name: event.name, arguments: event.arguments });
    case 'usage':
      return events.usage(event);
    case 'done':
      return events.done();
    case 'failed':
      return events.failed(event.detail);
  }
}
