import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    campaign: 'hostile',
    about: 'texts with their values are not bounded',
    engine: 'sqlite',
    file: 'src/voice/text/variables.ts',
    from: '  const left = Math.max(0, room.left);',
    to: '  const left = Number.MAX_SAFE_INTEGER;',
  },
  {
    campaign: 'hostile',
    about: 'a page that floods is told so and stays connected',
    engine: 'sqlite',
    file: 'src/areas/calls/channels/page/live-socket.ts',
    from: '    this.reject(closeCodes.tooMuch);\n',
    to: '',
  },
];
