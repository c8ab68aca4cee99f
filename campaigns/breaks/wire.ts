import type { Break } from './break.ts';

export const breaks: readonly Break[] = [
  {
    about: 'a parse error is sent before the responses to the requests before it',
    engine: 'both',
    in: 'Connections.finish',
    replace: 'if (!isBusy) respond()',
    with: 'respond()',
  },
  {
    about: 'a request gets a second response when its body turns out to be malformed',
    engine: 'sqlite',
    in: 'Connections.finish',
    replace: 'socket.destroySoon()',
    with: 'respond()',
  },
  {
    about: 'all requests of a connection are started at once',
    engine: 'sqlite',
    in: 'Connections.#receive',
    replace: '!connection.isBusy',
    with: '!connection.isBusy || connection.queue.length === 0',
  },
  {
    about: 'malformed HTTP is parsed leniently',
    engine: 'sqlite',
    in: 'HttpServer.constructor',
    replace: 'requireHostHeader: false,',
    with: 'requireHostHeader: false, insecureHTTPParser: true,',
  },
  {
    about: 'a client that half-closes its connection gets no response',
    engine: 'postgres',
    in: 'HttpServer.constructor',
    statement: 'httpAllowHalfOpen: true',
  },
  {
    about: 'clients that do not read keep whole pages in memory',
    engine: 'sqlite',
    in: 'UnsentResponses.hasRoomFor',
    replace: 'this.#bytes === 0',
    with: 'true',
  },
];
