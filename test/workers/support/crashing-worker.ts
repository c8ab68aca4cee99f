import { serveStreams } from '../../../src/workers/resident/serve-streams.ts';

/** Repeats what it is told; `crash` ends the thread, `fail` the stream. */
serveStreams<string, string, string>((options, { report }) => ({
  receive(message) {
    if (message === 'crash') process.exit(1);
    if (message === 'fail') throw new Error('as asked');
    report(`${options} ${message}`);
  },
  close: () => {},
}));
