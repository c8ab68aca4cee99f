import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    campaign: 'clock',
    about: 'rate limit windows use the wall clock',
    engine: 'sqlite',
    file: 'src/http/admission/rate-counts.ts',
    from: 'now: () => number = () => performance.now(),',
    to: 'now: () => number = Date.now,',
  },
  {
    campaign: 'clock',
    about: 'ids use only the wall clock',
    engine: 'both',
    file: 'src/core/ids.ts',
    from: 'if (current > time) {',
    to: 'if (current !== time) {',
  },
  {
    campaign: 'clock',
    about: 'the key cache uses the wall clock',
    engine: 'both',
    file: 'src/areas/keys/authenticate.ts',
    from: 'monotonicNow: () => number = () => performance.now(),',
    to: 'monotonicNow: () => number = now,',
  },
  {
    campaign: 'clock',
    about: 'updatedAt is the wall clock, even if it goes backward',
    engine: 'both',
    file: 'src/areas/agents/agent.ts',
    from: 'return before > now ? before : now;',
    to: 'return now;',
  },
  {
    campaign: 'clock',
    about: 'the expiry of a cached key is not checked',
    engine: 'both',
    file: 'src/areas/keys/authenticate.ts',
    from: 'known.until > time && isAlive(known.key, now())',
    to: 'known.until > time',
  },
];
