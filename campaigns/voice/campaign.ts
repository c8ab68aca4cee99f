import { defineCampaign } from '../campaign.ts';
import { runRandomCall } from './random-call.ts';

/** Random calls on a virtual clock: no service, no database, no audio. */
export const voice = defineCampaign({
  name: 'voice',
  about:
    'Random agents, callers, engines, tools and transports on a virtual clock: coughs, interruptions, stalls, failures, lost connections, transfers. Every invariant of a call must hold, and every call must end.',
  runsOn: ['sqlite'],
  amounts: { full: { calls: 1_000_000 }, small: { calls: 3000 } },
  async run({ amount, seed, isOver, found, showProgress }) {
    let calls = 0;
    let hours = 0;
    let steps = 0;
    let transfers = 0;
    const ends = new Map<string, number>();
    const start = performance.now();
    while (calls < amount.calls && !isOver()) {
      const callSeed = (seed + calls) >>> 0;
      const {
        violations,
        durationMs,
        steps: stepsOfCall,
        transfers: transfersOfCall,
        endReason,
      } = runRandomCall(callSeed);
      for (const violation of violations.slice(0, 1)) found(`call ${callSeed}: ${violation}`);
      calls += 1;
      hours += durationMs / 3_600_000;
      steps += stepsOfCall;
      transfers += transfersOfCall;
      ends.set(endReason, (ends.get(endReason) ?? 0) + 1);
      if (calls % 1000 === 0) {
        showProgress(`${calls.toLocaleString('en')} calls`);
        // Lets signals and timers of the runner through.
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    return {
      calls,
      'hours of conversation': Math.round(hours),
      'events handled': steps,
      transfers,
      'calls per second': Math.round((calls / (performance.now() - start)) * 1000),
      'kinds of ends': ends.size,
    };
  },
});
