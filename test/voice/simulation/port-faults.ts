import type { VirtualClock } from '../../../src/voice/clock.ts';
import type { Engine, ReplyOutput } from '../../../src/voice/engines/engine.ts';
import type { Interception } from '../../../src/voice/simulation/simulated-call.ts';
import type { TurnEvent } from '../../../src/voice/turn/events.ts';

export const faults = [
  'the engine fails',
  'the engine says nothing',
  'the engine stops halfway',
  'no voice can say it',
  'the voice sends no audio',
  'the player stops',
  'the recognizer fails',
  'the recognizer says nothing more',
  'the detector misses the end of speech',
  'a tool fails',
  'a tool does not answer',
  'the transport is lost and resumes',
  'the transport is lost',
] as const;
export type Fault = (typeof faults)[number];

const toolTimeoutMs = 10_000;

/** Injects one fault at the event of that number on the port that it concerns, and counts those events. */
export class FaultyPorts implements Interception {
  readonly fault: Fault;
  private readonly at: number;
  /** How many events the port had so far: a run with a number that is never reached counts them all. */
  count = 0;
  private isBroken = false;
  private dispatch: (event: TurnEvent) => void = () => {};
  private clock: VirtualClock | undefined;

  constructor(fault: Fault, at: number) {
    this.fault = fault;
    this.at = at;
  }

  start(dispatch: (event: TurnEvent) => void, clock: VirtualClock): void {
    this.dispatch = dispatch;
    this.clock = clock;
  }

  /** Whether the fault happens now. */
  private isDue(...names: Fault[]): boolean {
    if (!names.includes(this.fault)) return false;
    return this.count++ === this.at;
  }

  private loseTransport(): void {
    if (!this.isDue('the transport is lost', 'the transport is lost and resumes')) return;
    // Not inside the step of the machine that is under way.
    this.clock?.after(0, () => this.dispatch({ type: 'transport.lost' }));
    if (this.fault === 'the transport is lost') return;
    this.clock?.after(5000, () => this.dispatch({ type: 'transport.resumed' }));
  }

  engine(engine: Engine): Engine {
    return {
      ...delegate(engine),
      reply: (request, output) => {
        this.loseTransport();
        if (!this.isDue('the engine fails', 'the engine says nothing', 'the engine stops halfway')) {
          return engine.reply(request, output);
        }
        if (this.fault === 'the engine fails') output.failed('injected');
        return this.fault === 'the engine stops halfway' ? engine.reply(request, firstTextOnly(output)) : () => {};
      },
    };
  }

  output: Interception['output'] = (output, events) => {
    const broken = new Set<number>();
    const known = new Set<number>();
    return {
      say: (utterance, sentence, isLast) => {
        this.loseTransport();
        if (!known.has(utterance)) {
          known.add(utterance);
          if (this.isDue('no voice can say it', 'the voice sends no audio', 'the player stops')) broken.add(utterance);
        }
        if (!broken.has(utterance)) output.say(utterance, sentence, isLast);
        else if (isLast && this.fault !== 'the voice sends no audio') {
          this.clock?.after(100, () => {
            if (this.fault === 'no voice can say it') events.failed(utterance);
            else {
              events.sent(utterance);
              events.started(utterance);
              events.progress(utterance, 1, 1000);
            }
          });
        }
      },
      pause: (utterance) => output.pause(utterance),
      resume: (utterance) => output.resume(utterance),
      clear: (utterance) => output.clear(utterance),
      close: () => output.close(),
    };
  };

  tools: Interception['tools'] = (tools, clock) => ({
    run: (id, call, onResult) => {
      this.loseTransport();
      if (!this.isDue('a tool fails', 'a tool does not answer')) return tools.run(id, call, onResult);
      const failed = { isError: true, code: 'failed', message: 'injected' } as const;
      return void clock.after(this.fault === 'a tool fails' ? 50 : toolTimeoutMs, () => onResult(failed));
    },
  });

  input(event: TurnEvent, deliver: (event: TurnEvent) => void): void {
    this.loseTransport();
    if (event.type === 'vad.end' && this.isDue('the detector misses the end of speech')) return;
    if (event.type === 'stt.partial' || event.type === 'stt.final') {
      if (this.isDue('the recognizer fails')) {
        deliver({ type: 'stt.failed' });
        return;
      }
      if (this.isDue('the recognizer says nothing more')) this.isBroken = true;
      if (this.isBroken) return;
    }
    deliver(event);
  }
}

function delegate(engine: Engine): Engine {
  return {
    reply: (request, output) => engine.reply(request, output),
    accept: (turn) => engine.accept(turn),
    collected: () => engine.collected(),
    setVariables: (variables) => engine.setVariables(variables),
    state: () => engine.state(),
  };
}

function firstTextOnly(output: ReplyOutput): ReplyOutput {
  let hasText = false;
  return {
    text: (text, options) => {
      if (!hasText) output.text(text, options);
      hasText = true;
    },
    tool: () => {},
    end: () => {},
    failed: () => {},
    knowledge: () => {},
    switched: () => {},
    warn: () => {},
  };
}
