import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'rate limit windows use the wall clock',
    engine: 'sqlite',
    in: 'countInMemory',
    replace: '() => performance.now()',
    with: 'Date.now',
  },
  {
    about: 'ids use only the wall clock',
    engine: 'both',
    in: 'createIdGenerator',
    replace: 'current > time',
    with: 'current !== time',
  },
  {
    about: 'the key cache uses the wall clock',
    engine: 'both',
    in: 'createAuthenticator',
    replace: '() => performance.now()',
    with: 'now',
  },
  {
    about: 'updatedAt is the wall clock, even if it goes backward',
    engine: 'both',
    in: 'later',
    replace: 'before > now ? before : now',
    with: 'now',
  },
  {
    about: 'the expiry of a cached key is not checked',
    engine: 'both',
    in: 'createAuthenticator',
    replace: '&& isAlive(known.key, now())',
    with: '',
  },
];
