import { writeSync } from 'node:fs';
import { serveStreams } from '../../../src/workers/resident/serve-streams.ts';

/** Is busy for as long as it is asked to, like native code. */
serveStreams<string, number, string>((_options, { report }) => ({
  receive: (ms) => {
    report('begun');
    const end = performance.now() + ms;
    while (performance.now() < end);
    writeSync(1, 'done');
  },
  close: () => {},
}));
