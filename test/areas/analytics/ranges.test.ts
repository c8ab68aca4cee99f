import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Temporal as polyfill } from 'temporal-polyfill';
import { Calendar, dayOfWeek, hourOfDay, loadTemporal } from '../../../src/areas/analytics/query/ranges.ts';
import { isIanaTimeZone } from '../../../src/contract/agents/settings/time-zone.ts';
import type { Interval } from '../../../src/contract/analytics/ranges.ts';

const hourMs = 3_600_000;

/** The same with what Node.js has and with what replaces it. */
for (const [name, load] of [
  ['the Temporal of this Node.js', loadTemporal],
  ['the polyfill', async () => polyfill],
] as const) {
  describe(`ranges and buckets with ${name}`, () => {
    const calendarOf = async (timeZone: string) => new Calendar(await load(), timeZone);

    /** Each bucket as its text and its length in hours. */
    const bucketsOf = async (timeZone: string, from: string, to: string, interval: Interval) => {
      const calendar = await calendarOf(timeZone);
      const range = { from: Date.parse(from), to: Date.parse(to) };
      const starts = calendar.buckets(range, interval, 1000)?.starts ?? [];
      return starts.map((start, place) => [calendar.text(start), ((starts[place + 1] ?? range.to) - start) / hourMs]);
    };

    it('have days of 23, 25, 23.5 and 24.5 hours where clocks change', async () => {
      assert.deepEqual(await bucketsOf('America/New_York', '2026-03-07T05:00Z', '2026-03-10T04:00Z', 'day'), [
        ['2026-03-07T00:00:00-05:00', 24],
        ['2026-03-08T00:00:00-05:00', 23],
        ['2026-03-09T00:00:00-04:00', 24],
      ]);
      assert.deepEqual(await bucketsOf('America/New_York', '2026-11-01T04:00Z', '2026-11-02T05:00Z', 'day'), [
        ['2026-11-01T00:00:00-04:00', 25],
      ]);
      assert.deepEqual(await bucketsOf('Australia/Lord_Howe', '2026-10-03T13:30Z', '2026-10-04T13:00Z', 'day'), [
        ['2026-10-04T00:00:00+10:30', 23.5],
      ]);
      assert.deepEqual(await bucketsOf('Australia/Lord_Howe', '2026-04-04T13:00Z', '2026-04-05T13:30Z', 'day'), [
        ['2026-04-05T00:00:00+11:00', 24.5],
      ]);
    });

    it('have all days of 24 hours in zones without clock changes, whatever their offset', async () => {
      assert.deepEqual(await bucketsOf('Asia/Tokyo', '2026-02-27T15:00Z', '2026-03-01T15:00Z', 'day'), [
        ['2026-02-28T00:00:00+09:00', 24],
        ['2026-03-01T00:00:00+09:00', 24],
      ]);
      assert.deepEqual(await bucketsOf('Asia/Kolkata', '2026-02-27T18:30Z', '2026-02-28T18:30Z', 'day'), [
        ['2026-02-28T00:00:00+05:30', 24],
      ]);
      assert.deepEqual(await bucketsOf('Asia/Kolkata', '2026-02-27T18:45Z', '2026-02-27T20:30Z', 'hour'), [
        ['2026-02-28T00:15:00+05:30', 0.75],
        ['2026-02-28T01:00:00+05:30', 1],
      ]);
    });

    it('tell apart an hour that occurs twice by its offset', async () => {
      assert.deepEqual(await bucketsOf('America/New_York', '2026-11-01T05:00Z', '2026-11-01T08:00Z', 'hour'), [
        ['2026-11-01T01:00:00-04:00', 1],
        ['2026-11-01T01:00:00-05:00', 1],
        ['2026-11-01T02:00:00-05:00', 1],
      ]);
      assert.deepEqual(await bucketsOf('Australia/Lord_Howe', '2026-04-04T14:00Z', '2026-04-04T16:30Z', 'hour'), [
        ['2026-04-05T01:00:00+11:00', 1],
        ['2026-04-05T01:30:00+10:30', 0.5],
        ['2026-04-05T02:00:00+10:30', 1],
      ]);
    });

    it('begin weeks on Monday and months on the first, except that the first begins with the range', async () => {
      assert.deepEqual(await bucketsOf('Asia/Tokyo', '2026-11-17T15:00Z', '2026-11-29T15:00Z', 'week'), [
        ['2026-11-18T00:00:00+09:00', 5 * 24],
        ['2026-11-23T00:00:00+09:00', 7 * 24],
      ]);
      assert.deepEqual(await bucketsOf('America/New_York', '2026-02-10T05:00Z', '2026-04-01T04:00Z', 'month'), [
        ['2026-02-10T00:00:00-05:00', 19 * 24],
        ['2026-03-01T00:00:00-05:00', 31 * 24 - 1],
      ]);
    });

    it('do not repeat a midnight where a zone has skipped a day', async () => {
      assert.deepEqual(await bucketsOf('Pacific/Apia', '2011-12-29T10:00Z', '2011-12-31T10:00Z', 'day'), [
        ['2011-12-29T00:00:00-10:00', 24],
        ['2011-12-31T00:00:00+14:00', 24],
      ]);
    });

    it('count the last units with the running one, or only complete ones', async () => {
      const now = Date.parse('2026-11-18T03:20Z');
      const textsOf = async (timeZone: string, last: string, complete: boolean) => {
        const calendar = await calendarOf(timeZone);
        const { from, to } = calendar.rangeOf({ last, complete }, now);
        return [calendar.text(from), calendar.text(to)];
      };
      assert.deepEqual(await textsOf('Asia/Tokyo', '7d', false), [
        '2026-11-12T00:00:00+09:00',
        '2026-11-19T00:00:00+09:00',
      ]);
      assert.deepEqual(await textsOf('Asia/Tokyo', '7d', true), [
        '2026-11-11T00:00:00+09:00',
        '2026-11-18T00:00:00+09:00',
      ]);
      assert.deepEqual(await textsOf('Asia/Kolkata', '2h', false), [
        '2026-11-18T07:00:00+05:30',
        '2026-11-18T09:00:00+05:30',
      ]);
      assert.deepEqual(await textsOf('UTC', '1w', false), ['2026-11-16T00:00:00+00:00', '2026-11-23T00:00:00+00:00']);
      assert.deepEqual(await textsOf('America/New_York', '2mo', true), [
        '2026-09-01T00:00:00-04:00',
        '2026-11-01T00:00:00-04:00',
      ]);
    });

    it('compare with the same number of units before, or with the same days of an earlier week, month or year', async () => {
      const calendar = await calendarOf('America/New_York');
      const now = Date.parse('2026-11-03T12:00Z');
      const range = calendar.rangeOf({ last: '3d' }, now);
      const earlier = (comparison: 'previous' | 'week' | 'month' | 'year', last: string | undefined) => {
        const { from, to } = calendar.earlier(range, comparison, last);
        return [calendar.text(from), calendar.text(to)];
      };
      assert.deepEqual(earlier('previous', '3d'), ['2026-10-29T00:00:00-04:00', '2026-11-01T00:00:00-04:00']);
      // As long as the range itself, which is 73 hours.
      assert.deepEqual(earlier('previous', undefined), ['2026-10-28T23:00:00-04:00', '2026-11-01T00:00:00-04:00']);
      assert.deepEqual(earlier('week', '3d'), ['2026-10-25T00:00:00-04:00', '2026-10-28T00:00:00-04:00']);
      assert.deepEqual(earlier('month', '3d'), ['2026-10-01T00:00:00-04:00', '2026-10-04T00:00:00-04:00']);
      assert.deepEqual(earlier('year', '3d'), ['2025-11-01T00:00:00-04:00', '2025-11-04T00:00:00-05:00']);
    });

    it('know the hour and the day of a local time, also before 1970', () => {
      const local = (text: string) => Date.parse(`${text}Z`);
      assert.deepEqual([hourOfDay(local('2026-11-18T23:59')), dayOfWeek(local('2026-11-18T23:59'))], [23, 3]);
      assert.deepEqual([hourOfDay(local('2026-11-16T00:00')), dayOfWeek(local('2026-11-16T00:00'))], [0, 1]);
      assert.deepEqual([hourOfDay(local('1969-12-28T05:00')), dayOfWeek(local('1969-12-28T05:00'))], [5, 7]);
    });

    it('take every time zone that a query may name, and no other', async () => {
      const others = ['utc', 'asia/tokyo', 'Japan', 'EST', 'EST5EDT', 'Etc/GMT+12', 'JST', 'jst', 'PST', 'IST', 'BST'];
      const ofIcu = [
        'SystemV/EST5',
        'US/Pacific-New',
        'Canada/East-Saskatchewan',
        'Etc/Unknown',
        'Mars/Olympus',
        '+09:00',
      ];
      for (const timeZone of [...Intl.supportedValuesOf('timeZone'), ...others, ...ofIcu]) {
        const calendar = await calendarOf(timeZone);
        if (isIanaTimeZone(timeZone)) assert.match(calendar.text(0), /^19/, timeZone);
        else if (!timeZone.startsWith('+')) assert.throws(() => calendar.text(0), RangeError, timeZone);
      }
    });

    it('stop at the largest number of buckets', async () => {
      const calendar = await calendarOf('UTC');
      const day = { from: 0, to: 24 * hourMs };
      assert.equal(calendar.buckets(day, 'hour', 24)?.starts.length, 24);
      assert.equal(calendar.buckets(day, 'hour', 23), undefined);
    });
  });
}
