import type { IncomingHttpHeaders } from 'node:http';
import type { DoubleReply } from '../../test/providers/openai-double.ts';
import { askedBy, type WireMessage } from '../calls/partners.ts';
import type { LeaseChange } from './ownership.ts';
import { maxUnnoticedMs } from './settings.ts';
import { wordOf } from './spoken.ts';

/** What a process has asked the language model in a spoken call. */
export interface Ask {
  readonly process: string;
  readonly callId: string;
  readonly word: string;
  readonly atMs: number;
}

/** From and until when a process was stopped. */
export interface Stop {
  readonly process: string;
  readonly fromMs: number;
  readonly toMs: number;
}

/** The start of the prompt of spoken agents, by which the double of the model knows them. */
export const spokenPrompt = 'Spoken in {{call_id}}.';
export const words = /w[a-j]+x[a-j]+/g;
const answers = /answer[a-j]+/g;

/** The language model of the spoken calls: it sees which process asks what, and no two of its replies are the same. */
export class Asks {
  readonly all: Ask[] = [];

  reply(messages: readonly WireMessage[], headers: IncomingHttpHeaders): DoubleReply | null {
    if (!messages[0]?.content?.includes('Spoken in ')) return null;
    const [callId, text] = askedBy(messages);
    const word = text.match(words)?.at(-1) ?? '';
    const process = (headers.authorization ?? '').replace('Bearer ', '');
    this.all.push({ process, callId, word, atMs: Date.now() });
    return { text: `The ${wordOf('answer', this.all.length - 1)} to ${word}.` };
  }

  /** The questions whose answers are in a text, by their numbers. */
  answeredIn(text: string): number[] {
    return (text.match(answers) ?? []).map((answer) =>
      Number([...answer.slice('answer'.length)].map((letter) => 'abcdefghij'.indexOf(letter)).join('')),
    );
  }
}

/** Only the process that has a call asks about it; one that was stopped, or cut off, may do so until it notices. */
export function checkAsks(
  asks: readonly Ask[],
  changes: readonly LeaseChange[],
  stops: readonly Stop[],
  found: (what: string) => void,
): number {
  const ofCall = Map.groupBy(
    changes.filter(({ table }) => table === 'calls'),
    ({ id }) => id,
  );
  let late = 0;
  for (const { process, callId, atMs } of asks) {
    const own = ofCall.get(callId) ?? [];
    const homes = new Map(own.map((change) => [change.after.owner, change.process] as const).toReversed());
    const before = own.filter((change) => change.atMs <= atMs);
    const isOwner = ({ after }: LeaseChange) => after.owner !== null && homes.get(after.owner) === process;
    const last = before.at(-1);
    if (last !== undefined && isOwner(last)) continue;
    const lastOwn = before.findLastIndex(isOwner);
    const lostMs = before[lastOwn + 1]?.atMs;
    // The database was asked first: the call is taken before anything is said in it.
    if (lastOwn === -1 || lostMs === undefined) {
      found('a model was asked by a process that never had the call');
      continue;
    }
    late += 1;
    const awakeMs = atMs - lostMs - stoppedMs(stops, process, lostMs, atMs);
    if (awakeMs > maxUnnoticedMs) found('a process that has lost a call goes on asking the model');
  }
  return late;
}

function stoppedMs(stops: readonly Stop[], process: string, fromMs: number, toMs: number): number {
  return stops
    .filter((stop) => stop.process === process)
    .reduce((sum, stop) => sum + Math.max(0, Math.min(toMs, stop.toMs) - Math.max(fromMs, stop.fromMs)), 0);
}
