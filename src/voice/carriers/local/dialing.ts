import type { Clock } from '../../clock.ts';
import type { Leg } from './leg.ts';
import { Interrupted, pause, untilAborted } from './waiting.ts';

const setupMs = 200;
const defaultRingMs = 1000;
const sipCodes = { busy: 486, declines: 603, unreachable: 503, noAnswer: 480 } as const;

export interface DialingOptions {
  readonly timeoutMs: number;
  readonly timeLimitMs: number;
}

/** Calls the phone of a leg. True once it has answered, false if it did not. */
export async function dial(clock: Clock, leg: Leg, { timeoutMs, timeLimitMs }: DialingOptions): Promise<boolean> {
  try {
    await pause(clock, leg.queueMs, leg.over);
    leg.enter('initiated');
    await pause(clock, setupMs, leg.over);
    await ring(clock, leg, timeoutMs);
  } catch (error) {
    if (error instanceof Interrupted) return false;
    throw error;
  }
  if (leg.isOver) return false;
  leg.answer();
  limitTime(clock, leg, timeLimitMs);
  return !leg.isOver;
}

/** From now on. Replaces an earlier limit. */
export function limitTime(clock: Clock, leg: Leg, timeLimitMs: number): void {
  leg.cancelLimit();
  if (leg.isOver) return;
  leg.cancelLimit = clock.after(Math.max(0, timeLimitMs), () => leg.end('completed', 'carrier'));
  leg.over.addEventListener('abort', () => leg.cancelLimit(), { once: true });
}

async function ring(clock: Clock, leg: Leg, timeoutMs: number): Promise<void> {
  const { phone, direction } = leg.options;
  const { outcome = 'answers', ringMs = defaultRingMs } = phone;
  if (outcome === 'invalid' || outcome === 'forbidden' || outcome === 'unreachable') {
    return endWith(leg, 'failed', sipCodes.unreachable);
  }
  // A busy line does not ring.
  if (outcome === 'busy') return endWith(leg, 'busy', sipCodes.busy);
  leg.enter('ringing');
  if (outcome === 'rings' || ringMs > timeoutMs) {
    await pause(clock, timeoutMs, leg.over);
    return endWith(leg, 'no-answer', direction === 'inbound' ? 487 : sipCodes.noAnswer);
  }
  await pause(clock, ringMs, leg.over);
  if (outcome === 'declines') endWith(leg, 'busy', sipCodes.declines);
}

function endWith(leg: Leg, status: 'busy' | 'failed' | 'no-answer', sipCode: number): void {
  leg.sipResponseCode = sipCode;
  leg.end(status, status === 'no-answer' ? 'carrier' : 'phone');
}

export interface MachineDetection {
  readonly mode: 'Enable' | 'DetectMessageEnd';
  readonly timeoutMs: number;
  readonly speechThresholdMs: number;
  readonly silenceTimeoutMs: number;
}

/** How long a person says hello before the detection is sure. */
const humanMs = 1800;
const faxMs = 3000;

/** What answered the call, by the phone's data and steps. Ends with the call. */
export async function detectMachine(clock: Clock, leg: Leg, detection: MachineDetection): Promise<string> {
  const { answeredBy = 'human' } = leg.options.phone;
  const { mode, timeoutMs, speechThresholdMs, silenceTimeoutMs } = detection;
  if (answeredBy === 'machine' && mode === 'DetectMessageEnd') {
    return untilAborted<string>(leg.over, (resolve) => {
      leg.onBeep = () => resolve('machine_end_beep');
      return clock.after(timeoutMs, () => resolve('machine_start'));
    });
  }
  const found = {
    human: ['human', humanMs],
    machine: ['machine_start', speechThresholdMs],
    fax: ['fax', faxMs],
    unknown: ['unknown', silenceTimeoutMs],
  } as const;
  const [result, ms] = found[answeredBy];
  await pause(clock, Math.min(ms, timeoutMs), leg.over);
  return result;
}
