import { type DestinationStream, destination } from 'pino';

const longestWaitMs = 100;
const mostCharacters = 16 * 1024;

export interface LogStream extends DestinationStream {
  flush(done: () => void): void;
}

/**
 * Standard output for log lines. They are collected and written together, at the latest after a tenth of a second: one
 * write a line would cost more than the line.
 */
export function createLogStream(): LogStream {
  const output = destination({ fd: 1, sync: false });
  let lines = '';
  let timer: NodeJS.Timeout | undefined;

  const handOn = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (lines === '') return;
    output.write(lines);
    lines = '';
  };
  // After a fault that ends the process as well: the last lines are the ones that tell why.
  process.on('exit', () => {
    handOn();
    output.flushSync();
  });
  return {
    write: (line) => {
      lines += line;
      if (lines.length >= mostCharacters) handOn();
      else timer ??= setTimeout(handOn, longestWaitMs).unref();
    },
    flush: (done) => {
      handOn();
      output.flush(done);
    },
  };
}
