import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'a call of a lost process is hung up',
    engine: 'sqlite',
    in: 'createJoinDocuments.join',
    replace: 'if (found.isOwnedElsewhere) return pauseThenRedirect(rejoin, pauseSeconds);',
    with: 'if (found.isOwnedElsewhere) return hangUpDocument();',
  },
  {
    about: 'the media of a call is not connected a second time',
    engine: 'sqlite',
    in: 'createJoinDocuments.join',
    replace: 'epoch: found.epoch,',
    with: 'epoch: 0,',
  },
];
