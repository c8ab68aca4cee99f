import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    campaign: 'wire',
    about: 'what is no HTTP is refused before the request in front of it is answered',
    engine: 'both',
    file: 'src/http/turns.ts',
    from: '        if (line.current.isAnswered) sayLastWord();\n',
    to: '        sayLastWord();\n',
  },
  {
    campaign: 'wire',
    about: 'a request is answered a second time when its body turns out to be none',
    engine: 'sqlite',
    file: 'src/http/turns.ts',
    from: 'else if (newest.isAnswered || newest.response.headersSent) socket.destroySoon();',
    to: 'else if (newest.isAnswered || newest.response.headersSent) sayLastWord();',
  },
  {
    campaign: 'wire',
    about: 'a length counts beside chunks in the short way',
    engine: 'sqlite',
    file: 'src/http/plain-request.ts',
    from: "  'transfer-encoding',\n",
    to: '',
  },
  {
    campaign: 'wire',
    about: 'the last of two lengths counts in the short way',
    engine: 'sqlite',
    file: 'src/http/plain-request.ts',
    from: '    if (name in values) return null;\n',
    to: '',
  },
  {
    campaign: 'wire',
    about: 'NUL and bare CR in headers are plain',
    engine: 'sqlite',
    file: 'src/http/plain-request.ts',
    from: '[\\t !-~\\x80-\\xff]*',
    to: '[^\\n]*',
  },
  {
    campaign: 'wire',
    about: 'a client that has said its last word gets no answer from Node',
    engine: 'postgres',
    file: 'src/http/direct-server.ts',
    from: '    Object.assign(this, { httpAllowHalfOpen: true });\n',
    to: '',
  },
];
