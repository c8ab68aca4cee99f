import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { dayIn, dayNumber, dayOfNumber, exists, isoDate, noonOf, weekdayOf } from '../../src/voice/calendar.ts';
import { seed } from '../support/seed.ts';

describe('the calendar', () => {
  it('agrees with the platform about every day', () => {
    const check = (number: number): void => {
      const date = new Date(number * 86_400_000);
      const day = dayOfNumber(number);
      assert.equal(isoDate(day), date.toISOString().slice(0, 10));
      assert.equal(dayNumber(day), number);
      assert.equal(weekdayOf(number), date.getUTCDay());
      assert.equal(noonOf(number).getTime(), date.getTime() + 43_200_000);
      assert.equal(dayIn('UTC', date.getTime()), number);
    };
    fc.assert(fc.property(fc.integer({ min: -700_000, max: 2_900_000 }), check), { seed, numRuns: 2000 });
  });

  it('knows which days exist', () => {
    assert.ok(exists({ year: 2028, month: 2, day: 29 }));
    for (const day of [
      '2026-02-29',
      '2100-02-29',
      '2026-04-31',
      '2026-00-10',
      '2026-13-01',
      '2026-01-00',
      '2026-01-32',
    ]) {
      const [year, month, date] = day.split('-').map(Number);
      assert.ok(!exists({ year: year as number, month: month as number, day: date as number }), day);
    }
  });

  it('knows what day it is somewhere', () => {
    const late = Date.UTC(2026, 4, 6, 23);
    assert.equal(isoDate(dayOfNumber(dayIn('Asia/Tokyo', late))), '2026-05-07');
    assert.equal(isoDate(dayOfNumber(dayIn('America/Los_Angeles', late))), '2026-05-06');
  });
});
