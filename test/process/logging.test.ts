import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { createLogger, LogStream, maxPendingBytes } from '../../src/process/logging.ts';
import { createPipe, type Pipe } from '../support/pipe.ts';

describe('the log', () => {
  let pipe: Pipe;
  beforeEach(() => {
    pipe = createPipe();
  });
  afterEach(() => pipe.close());

  it('buffers a limited number of bytes while nobody reads, and then reports how many lines were dropped', async () => {
    const stream = new LogStream(pipe.descriptor);
    createLogger('info', stream);
    const total = 50_000;
    for (let number = 0; number < total; number += 1)
      stream.write(`{"number":${number},"text":"${'x'.repeat(180)}"}\n`);
    assert.ok(stream.droppedLines > 0);

    let text = '';
    while (!text.slice(-100).includes('"dropped"')) {
      await nextIteration();
      text += pipe.read();
    }
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { level, dropped, msg } = lines.pop();
    assert.deepEqual(
      { level, dropped, msg },
      { level: 'warn', dropped: stream.droppedLines, msg: 'log lines dropped: standard output was blocked' },
    );
    assert.equal(lines.length + dropped, total);
    for (const [index, { number }] of lines.entries()) assert.equal(number, index);
    assert.ok(text.length < maxPendingBytes + 128 * 1024, 'the limit, plus what the pipe buffers');
  });

  it('writes a line after 100 ms at the latest', ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const stream = new LogStream(pipe.descriptor);
    stream.write('a line\n');
    mock.timers.tick(100);
    assert.equal(pipe.read(), 'a line\n');
  });
});
