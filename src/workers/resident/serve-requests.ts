import { serveStreams } from './serve-streams.ts';

/** The inside of a thread that answers requests (`ResidentThread.request`), several at a time. */
export function serveRequests<Request, Reply>(reply: (request: Request) => Promise<Reply>): void {
  serveStreams<Request, never, Reply>((request, { report, failed }) => {
    reply(request).then(report, (error: Error) => failed(error.message));
    return { receive: () => {}, close: () => {} };
  });
}
