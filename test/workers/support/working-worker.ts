import { writeSync } from 'node:fs';
import { serveStreams } from '../../../src/workers/resident/serve-streams.ts';

/** Takes no messages for as long as it is asked to, like native code. */
serveStreams<string, number, string>((_options, { report }) => ({
  receive: (ms) => {
    report('begun');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
    writeSync(1, 'done');
  },
  close: () => {},
}));
