import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LoopDelay } from '../../../../src/areas/calls/channels/audio/loop-delay.ts';

it('the event loop is too busy if the 99th percentile of 10 seconds is above 50 ms, less the sampling interval', (test) => {
  test.mock.timers.enable({ apis: ['setInterval'] });
  let p99 = 0;
  let isEnabled = false;
  const delay = new LoopDelay(({ resolution }) => {
    assert.equal(resolution, 20);
    return {
      enable: () => {
        isEnabled = true;
      },
      disable: () => {
        isEnabled = false;
      },
      reset: () => {},
      percentile: (percent) => (percent === 99 ? p99 * 1e6 : 0),
    };
  });
  delay.observe(false);
  assert.equal(isEnabled, false);
  delay.observe(true);
  assert.equal(isEnabled, true);
  p99 = 71;
  test.mock.timers.tick(9999);
  assert.equal(delay.isBusy, false);
  test.mock.timers.tick(1);
  assert.equal(delay.isBusy, true);
  p99 = 69;
  test.mock.timers.tick(10_000);
  assert.equal(delay.isBusy, false);
  delay.observe(false);
  assert.equal(isEnabled, false);
});
