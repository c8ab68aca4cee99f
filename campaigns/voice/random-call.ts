import type { Agent } from '../../src/contract/agents/agent.ts';
import { VirtualClock } from '../../src/voice/clock.ts';
import { policyOf } from '../../src/voice/policy.ts';
import type { Tools } from '../../src/voice/ports.ts';
import { Session } from '../../src/voice/session.ts';
import { Invariants } from '../../src/voice/simulation/invariants.ts';
import { SeededRandom } from '../../src/voice/simulation/random.ts';
import { createSimulatedCaller } from '../../src/voice/simulation/simulated-caller.ts';
import { SimulatedVoice } from '../../src/voice/simulation/simulated-voice.ts';
import type { TurnEvent, TurnPolicy } from '../../src/voice/turn/events.ts';
import { randomAgent } from './random-agent.ts';
import { createRandomEngine } from './random-engine.ts';
import { createRandomPhone, transferTargets } from './random-phone.ts';

const phrases: Readonly<Record<string, readonly string[]>> = {
  en: [
    'yes',
    'I would like to book a table.',
    'no wait',
    'okay',
    'and then',
    'two',
    'uh-huh',
    'what time do you open?',
  ],
  ja: ['はい', '予約をお願いします。', 'ちょっと待ってください', 'ええ', '明日なんですけど', '二名です', 'あの'],
};

export interface CallOutcome {
  readonly policy: TurnPolicy;
  readonly violations: readonly string[];
  readonly durationMs: number;
  readonly turns: number;
  readonly steps: number;
  /** How many transfers began. */
  readonly transfers: number;
  readonly endReason: string;
}

/** One call in which everything may happen at any time: to its own end, on a virtual clock. */
export function runRandomCall(
  seed: number,
  fields: Partial<Agent> = {},
  onStep: (event: TurnEvent, now: number) => void = () => {},
): CallOutcome {
  const random = new SeededRandom(seed);
  const clock = new VirtualClock();
  const agent = { ...randomAgent(random), ...fields };
  const { language } = agent;
  const noise = random.pick([0, 0.3, 1]);
  const recognizer = { hasPartials: random.chance(0.8), waitMs: 1000, hasEcho: random.chance(0.3) };
  const policy = policyOf(agent, { isChat: false, isFlow: false, recognizer }).turn;
  const invariants = new Invariants(policy);
  const phone = random.chance(0.5) ? createRandomPhone(clock, random) : null;
  let endReason = '';
  let durationMs = 0;
  let transfers = 0;
  let turns = 0;
  let steps = 0;
  const dispatch = (event: TurnEvent) => session.dispatch(event);
  const caller = createSimulatedCaller(clock, dispatch, random, { language, noise });
  const session: Session = new Session({
    clock,
    policy,
    language,
    engine: createRandomEngine(clock, random, language),
    input: caller,
    output: (events) => {
      const reportMs = random.pick([0, 100, 500]);
      // The last report may be late, or come after everybody has given it up.
      const clearedMs = random.pick([20, 20, 240, 1000]);
      return new SimulatedVoice(clock, events, random, { language, noise, speed: 1, reportMs, clearedMs });
    },
    newStages: () => [],
    tools: randomTools(clock, random),
    newToolCallId: () => 'tcl_1',
    phone,
    onTransfer: (mode) => {
      if (mode !== null) transfers += 1;
    },
    recorder: {
      turn: () => {
        turns += 1;
      },
      event: () => {},
      ended: (reason, atMs) => {
        endReason = reason;
        durationMs = atMs;
      },
    },
    observe: (event, commands, machine, now) => {
      steps += 1;
      onStep(event, now);
      invariants.check(event, commands, machine, now);
    },
  });
  dispatch({ type: 'connected' });
  let actions = random.integer(1, 12);
  const act = () => {
    if (endReason !== '') return;
    if (actions-- === 0) return random.chance(0.5) ? dispatch({ type: 'hangup' }) : undefined;
    const texts = phrases[language] as readonly string[];
    const tookMs = actRandomly(session, caller, clock, random, texts, phone !== null);
    clock.after(tookMs + random.pick([0, 100, 700, 2500, 7000]), act);
  };
  clock.after(random.integer(0, 3000), act);
  while (endReason === '' && clock.runNext());
  const violations = endReason === '' ? ['the call never ended'] : invariants.violations;
  return { policy, violations, durationMs, turns, steps, transfers, endReason };
}

/** Returns how long it takes. */
function actRandomly(
  session: Session,
  caller: ReturnType<typeof createSimulatedCaller>,
  clock: VirtualClock,
  random: SeededRandom,
  texts: readonly string[],
  hasPhone: boolean,
): number {
  switch (random.integer(0, 16)) {
    case 0: {
      const ms = random.pick([60, 150, 250, 900, 5000, 20_000]);
      caller.sound(ms);
      return ms;
    }
    case 1:
      session.dispatch({ type: 'text', text: random.pick(texts) });
      return 0;
    case 2:
      session.dispatch({ type: 'transport.lost' });
      if (random.chance(0.8))
        clock.after(random.integer(0, 29_000), () => session.dispatch({ type: 'transport.resumed' }));
      return 1000;
    case 3:
      session.dispatch({ type: 'say', text: 'One more thing.', isInterrupting: random.chance(0.3) });
      return 0;
    case 4:
      session.dispatch({ type: 'mute', isOn: random.chance(0.3) });
      return 0;
    case 5:
      session.dispatch({ type: 'dtmf', digits: random.pick(['1', '2', '#', '58', '9#', '*']) });
      return 0;
    case 6:
      session.dispatch({ type: 'respond' });
      return 0;
    case 7:
      // An engine that did not notice that its reply was canceled.
      session.dispatch({ type: 'reply.text', turn: random.integer(0, 3), text: 'Too late.', isUninterruptible: false });
      return 0;
    case 8: {
      // A caller who thinks aloud, with a pause after every few words.
      const pauseMs = 1300;
      for (let part = 0; part < 12; part += 1) clock.after(part * pauseMs, () => caller.speak('and then,', 500));
      return 12 * pauseMs;
    }
    case 9:
      // Without a phone line, nothing can be transferred.
      if (hasPhone) session.phone.transfer(random.pick(transferTargets), random.pick(['api', 'engine']));
      return random.pick([0, 0, 30_000]);
    default:
      return caller.speak(random.pick(texts));
  }
}

/** Results come in any order, some only at the timeout. */
function randomTools(clock: VirtualClock, random: SeededRandom): Tools {
  return {
    run: (_id, _call, onResult) => {
      const isError = random.chance(0.3);
      const ms = random.chance(0.05) ? 30_000 : random.integer(10, 6000);
      clock.after(ms, () =>
        onResult(isError ? { isError, code: 'timeout', message: 'No response.' } : { isError, result: {} }),
      );
    },
  };
}
