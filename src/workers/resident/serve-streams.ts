import { parentPort } from 'node:worker_threads';
import { type FromThread, type ToThread, threadEnded } from './resident-thread.ts';

export interface ServedStream<Message> {
  receive(message: Message): void | Promise<void>;
  close(): void;
}

export interface StreamReports<Event> {
  report(event: Event, transfer?: ArrayBuffer[]): void;
  failed(detail: string): void;
}

/**
 * The inside of a thread: opens streams and passes their messages on. An error ends its stream only. `loading` settles
 * once the first stream need not wait.
 */
export function serveStreams<Options, Message, Event>(
  open: (options: Options, reports: StreamReports<Event>) => ServedStream<Message>,
  loading: Promise<unknown> = Promise.resolve(),
): void {
  const port = parentPort;
  if (port === null) throw new Error('this file runs in a thread');
  const streams = new Map<number, ServedStream<Message>>();
  const post = (message: FromThread<Event>, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);
  const fail = (stream: number, detail: string): void => {
    streams.get(stream)?.close();
    streams.delete(stream);
    post({ type: 'failed', stream, detail });
  };
  const reportsOf = (stream: number): StreamReports<Event> => ({
    report: (event, transfer) => post({ type: 'event', stream, event }, transfer),
    failed: (detail) => fail(stream, detail),
  });
  port.on('message', async (message: ToThread<Options, Message>) => {
    if (message.type === 'stop') process.exit(0);
    if (message.type === 'begin') {
      const { state } = message;
      process.once('exit', () => {
        Atomics.store(state, 0, threadEnded);
        Atomics.notify(state, 0);
      });
      return;
    }
    const { stream } = message;
    try {
      if (message.type === 'open') streams.set(stream, open(message.options, reportsOf(stream)));
      else if (message.type === 'message') await streams.get(stream)?.receive(message.message);
      else {
        streams.get(stream)?.close();
        streams.delete(stream);
      }
    } catch (error) {
      fail(stream, (error as Error).message);
    }
  });
  const onLoaded = (): void => post({ type: 'loaded' });
  loading.then(onLoaded, onLoaded);
}
