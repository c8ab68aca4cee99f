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
    about: 'the connection of a page that floods is not cut',
    engine: 'sqlite',
    file: 'src/net/socket-closing.ts',
    from: '      connection.destroy();\n    }, rejectMs);',
    to: '    }, rejectMs);',
  },
];
