import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    campaign: 'wire',
    about: 'a parse error is sent before the responses to the requests before it',
    engine: 'both',
    file: 'src/http/connections.ts',
    from: '      if (!isBusy) respond();\n',
    to: '      respond();\n',
  },
  {
    campaign: 'wire',
    about: 'a request gets a second response when its body turns out to be malformed',
    engine: 'sqlite',
    file: 'src/http/connections.ts',
    from: '} else if (!isBusy || newest.response.headersSent) socket.destroySoon();',
    to: '} else if (!isBusy || newest.response.headersSent) respond();',
  },
  {
    campaign: 'wire',
    about: 'all requests of a connection are started at once',
    engine: 'sqlite',
    file: 'src/http/connections.ts',
    from: '    if (!connection.isBusy) {\n',
    to: '    if (!connection.isBusy || connection.queue.length === 0) {\n',
  },
  {
    campaign: 'wire',
    about: 'malformed HTTP is parsed leniently',
    engine: 'sqlite',
    file: 'src/http/server.ts',
    from: '      requireHostHeader: false,\n',
    to: '      requireHostHeader: false,\n      insecureHTTPParser: true,\n',
  },
  {
    campaign: 'wire',
    about: 'a client that half-closes its connection gets no response',
    engine: 'postgres',
    file: 'src/http/server.ts',
    from: '    Object.assign(this.#server, { httpAllowHalfOpen: true });\n',
    to: '',
  },
  {
    campaign: 'wire',
    about: 'clients that do not read keep whole pages in memory',
    engine: 'sqlite',
    file: 'src/http/admission/unsent-responses.ts',
    from: 'if (this.#bytes === 0) return true;',
    to: 'if (this.#bytes >= 0) return true;',
  },
];
