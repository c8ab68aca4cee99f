import type { Clock } from '../../src/voice/clock.ts';
import type { PhoneActions, TransferResult, TransferTarget } from '../../src/voice/ports.ts';
import type { SeededRandom } from '../../src/voice/simulation/random.ts';

const desk: TransferTarget = {
  name: 'desk',
  to: '+81312345679',
  mode: 'cold',
  brief: null,
  extension: null,
  ringTimeoutMs: 25_000,
  showCaller: false,
};

export const transferTargets: readonly TransferTarget[] = [desk, { ...desk, name: 'manager', mode: 'warm' }];

/** A line whose transfers end in every way: at once, late, twice, or never. */
export function createRandomPhone(clock: Clock, random: SeededRandom): PhoneActions {
  const randomResult = (): TransferResult =>
    random.chance(0.3) ? { transferred: true } : { transferred: false, reason: random.pick(['busy', 'no_answer']) };
  return {
    transfers: transferTargets,
    pressKeys: () => random.chance(0.9),
    play: () => {},
    transfer: (_target, onResult) => {
      // No report comes: the session gives up.
      if (random.chance(0.05)) return;
      const result = randomResult();
      const afterMs = random.pick([0, 0, 100, 3000, 20_000, 40_000]);
      if (afterMs === 0 && random.chance(0.5)) onResult(result);
      else clock.after(afterMs, () => onResult(result));
      if (random.chance(0.1)) clock.after(afterMs + 500, () => onResult(randomResult()));
    },
    doNotCallAgain: (onResult) => void clock.after(random.integer(0, 500), () => onResult(null)),
  };
}
