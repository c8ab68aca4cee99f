import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    campaign: 'clock',
    about: 'windows of a rate go by the time of day',
    engine: 'sqlite',
    file: 'src/http/admission/rate-counts.ts',
    from: 'now: () => number = () => performance.now(),',
    to: 'now: () => number = Date.now,',
  },
  {
    campaign: 'clock',
    about: 'ids go by the time of day alone',
    engine: 'both',
    file: 'src/core/ids.ts',
    from: 'if (current > time) {',
    to: 'if (current !== time) {',
  },
  {
    campaign: 'clock',
    about: 'a key is trusted by the time of day',
    engine: 'both',
    file: 'src/areas/keys/authenticate.ts',
    from: 'monotonicNow: () => number = () => performance.now(),',
    to: 'monotonicNow: () => number = now,',
  },
  {
    campaign: 'clock',
    about: 'updatedAt is the time of day, whatever it was before',
    engine: 'both',
    file: 'src/areas/agents/agent.ts',
    from: 'return before > now ? before : now;',
    to: 'return now;',
  },
  {
    campaign: 'clock',
    about: 'a key that is known is not looked at for its end',
    engine: 'both',
    file: 'src/areas/keys/authenticate.ts',
    from: 'known.until > time && isAlive(known.key, now())',
    to: 'known.until > time',
  },
];
