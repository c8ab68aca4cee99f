import type { Clock } from '../../src/voice/clock.ts';
import type { Engine, ReplyOutput } from '../../src/voice/engines/engine.ts';
import { createSimpleEngine } from '../../src/voice/engines/simple-engine.ts';
import type { SeededRandom } from '../../src/voice/simulation/random.ts';

const replies: Readonly<Record<string, readonly string[]>> = {
  en: [
    'Yes.',
    'We are open from nine to five. ',
    'Could you tell me your name? ',
    'Mr. Smith is available on Tuesday. ',
  ],
  ja: ['はい。', '営業時間は九時から五時までです。', 'お名前をお願いします。', '十五時でよろしいですか。'],
};

/** An engine that does everything an engine may do: stalls, fails, calls tools, hangs up, streams slowly. */
export function createRandomEngine(clock: Clock, random: SeededRandom, language: string): Engine {
  const texts = replies[language] as readonly string[];
  return createSimpleEngine((_request, output) => {
    let cancel = () => {};
    const later = (ms: number, run: () => void) => {
      cancel = clock.after(ms, run);
    };
    const firstMs = random.pick([0, 50, 300, 800, 2500, 6000]);
    if (random.chance(0.01)) return { next: 0 };
    later(firstMs, () => speak(output, later, random, texts));
    return { next: 0, cancel: () => cancel() };
  });
}

function speak(
  output: ReplyOutput,
  later: (ms: number, run: () => void) => void,
  random: SeededRandom,
  texts: readonly string[],
) {
  if (random.chance(0.03)) return output.failed('random');
  if (random.chance(0.1)) {
    const call = { ...randomTool(random), ...(random.chance(0.3) ? { say: texts[1] as string } : {}) };
    return output.tool(call, () => later(random.integer(0, 500), () => speak(output, later, random, texts)));
  }
  const count = random.pick([0, 1, 1, 2, 3, 6]);
  const isUninterruptible = random.chance(0.1);
  const sayNext = (left: number) => {
    if (left === 0) {
      const endCall = random.chance(0.05);
      return output.end({ endCall, isFinal: endCall && random.chance(0.3) });
    }
    if (random.chance(0.01)) return output.failed('random, halfway');
    output.text(random.pick(texts), { isUninterruptible });
    if (random.chance(0.5)) later(random.integer(0, 1500), () => sayNext(left - 1));
    else sayNext(left - 1);
  };
  sayNext(count);
}

/** Tools of a server, and those of a phone line, which a call without one refuses. */
function randomTool(random: SeededRandom) {
  if (random.chance(0.6)) return { name: 'lookup', arguments: {} };
  if (random.chance(0.2)) return { name: 'press_keys', arguments: { digits: '1w2' } };
  return { name: 'transfer_call', arguments: { name: random.pick(['desk', 'manager', 'nobody']) } };
}
