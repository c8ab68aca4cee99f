import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextTimeOfDay, zonedTimes } from '../../src/core/zoned-time.ts';

function next(timeOfDay: string, timeZone: string, after: string): string {
  return new Date(nextTimeOfDay(timeOfDay, timeZone, Date.parse(after))).toISOString();
}

describe('the next time of day in a time zone', () => {
  it('is today or tomorrow there', () => {
    assert.equal(next('10:00', 'Asia/Tokyo', '2026-11-18T00:59:59.999Z'), '2026-11-18T01:00:00.000Z');
    assert.equal(next('10:00', 'Asia/Tokyo', '2026-11-18T01:00:00.000Z'), '2026-11-19T01:00:00.000Z');
    assert.equal(next('00:00', 'UTC', '2026-12-31T23:59:00.000Z'), '2027-01-01T00:00:00.000Z');
    assert.equal(next('23:59', 'America/New_York', '2026-11-18T04:00:00.000Z'), '2026-11-18T04:59:00.000Z');
    assert.equal(next('05:45', 'Asia/Kathmandu', '2026-11-18T00:00:00.000Z'), '2026-11-19T00:00:00.000Z');
  });

  it('keeps its time when the clocks are changed', () => {
    // Berlin: 02:00 becomes 03:00 on 2027-03-28, 03:00 becomes 02:00 on 2026-10-25.
    assert.equal(next('10:00', 'Europe/Berlin', '2027-03-27T10:00:00.000Z'), '2027-03-28T08:00:00.000Z');
    assert.equal(next('10:00', 'Europe/Berlin', '2026-10-24T09:00:00.000Z'), '2026-10-25T09:00:00.000Z');
  });

  it('is that of the next day if the change skips it', () => {
    assert.equal(next('02:30', 'Europe/Berlin', '2027-03-28T00:00:00.000Z'), '2027-03-29T00:30:00.000Z');
    assert.equal(next('03:00', 'Europe/Berlin', '2027-03-28T00:00:00.000Z'), '2027-03-28T01:00:00.000Z');
    // Half an hour on Lord Howe Island.
    assert.equal(next('02:15', 'Australia/Lord_Howe', '2026-10-03T15:00:00.000Z'), '2026-10-04T15:15:00.000Z');
    // Samoa had no 30 December 2011.
    assert.equal(next('12:00', 'Pacific/Apia', '2011-12-30T05:00:00.000Z'), '2011-12-30T22:00:00.000Z');
  });

  it('is each of two if the change repeats it', () => {
    assert.equal(next('02:30', 'Europe/Berlin', '2026-10-25T00:00:00.000Z'), '2026-10-25T00:30:00.000Z');
    assert.equal(next('02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'), '2026-10-25T01:30:00.000Z');
    assert.equal(next('02:30', 'Europe/Berlin', '2026-10-25T01:30:00.000Z'), '2026-10-26T01:30:00.000Z');
  });
});

describe('times with the offset of a zone', () => {
  it('have the offset of that moment', () => {
    assert.equal(zonedTimes('America/New_York')('2026-07-01T00:00:00.000Z'), '2026-06-30T20:00:00.000-04:00');
    assert.equal(zonedTimes('Asia/Kathmandu')(0), '1970-01-01T05:30:00.000+05:30');
    assert.equal(zonedTimes('UTC')(0), '1970-01-01T00:00:00.000+00:00');
  });
});
