import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { ResidentThread } from '../../src/workers/resident/resident-thread.ts';

suite('a resident thread', () => {
  const program = {
    file: new URL('./support/crashing-worker.ts', import.meta.url),
    name: 'test',
    workerData: null,
    resourceLimits: {},
  };
  const thread = new ResidentThread<string, string, string>(program);
  after(() => thread.close());

  const open = (name: string) => {
    let settle: (report: string) => void = () => {};
    const stream = thread.open(name, {
      event: (event) => settle(event),
      failed: (detail) => settle(`failed: ${detail}`),
    });
    const next = () =>
      new Promise<string>((resolve) => {
        settle = resolve;
      });
    return { ...stream, next };
  };

  test('serves several streams', async () => {
    const [first, second] = [open('first'), open('second')];
    const reports = [first.next(), second.next()];
    second.send('two');
    first.send('one');
    assert.deepEqual(await Promise.all(reports), ['first one', 'second two']);
  });

  test('an error ends its stream only', async () => {
    const [first, second] = [open('first'), open('second')];
    const failed = first.next();
    first.send('fail');
    assert.equal(await failed, 'failed: as asked');
    const report = second.next();
    second.send('still here');
    assert.equal(await report, 'second still here');
  });

  test('when the thread ends, all its streams fail, and the next one starts it again', async () => {
    const streams = [open('first'), open('second')];
    const failed = streams.map((stream) => stream.next());
    streams[0]?.send('crash');
    assert.deepEqual(await Promise.all(failed), Array(2).fill('failed: the test thread has ended'));
    const third = open('third');
    const report = third.next();
    streams[0]?.send('to nobody');
    third.send('works');
    assert.equal(await report, 'third works');
  });

  test('a closed stream reports nothing', async () => {
    const [first, second] = [open('first'), open('second')];
    let hasReported = false;
    void first.next().then(() => {
      hasReported = true;
    });
    first.send('one');
    first.close();
    const report = second.next();
    second.send('two');
    await report;
    assert.equal(hasReported, false);
  });

  test('after its end, streams fail at once', async () => {
    const other = new ResidentThread<string, string, string>(program);
    await other.close();
    const detail = await new Promise((resolve) => other.open('', { event: () => {}, failed: resolve }));
    assert.equal(detail, 'the service is shutting down');
  });
});
