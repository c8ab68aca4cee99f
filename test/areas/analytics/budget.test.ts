import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Budget, Refusal } from '../../../src/areas/analytics/query/job.ts';
import { DistinctValues } from '../../../src/areas/analytics/query/values.ts';

describe('a query of figures', () => {
  it('is refused after more than 5 seconds of work, and says what to narrow', () => {
    let now = 1000;
    const budget = new Budget(() => now);
    now += 5000;
    budget.checkTime();
    now += 1;
    const expected = /^takes more than 5 seconds: narrow the range or the filter, or ask for fewer metrics$/;
    assert.throws(() => budget.checkTime(), { message: expected });
    assert.throws(() => budget.checkTime(), Refusal);
  });

  it('is refused before its values take more than 256 MiB', () => {
    const budget = new Budget(() => 0);
    budget.take(255 * 1024 * 1024);
    const values = new DistinctValues(budget);
    const addMany = () => {
      for (let value = 0; value < 12_000; value += 1) values.add(0, value);
    };
    assert.throws(addMany, { message: /^has too many different values: narrow the range/ });
    assert.ok(values.count(0, 1) < 12_000);
  });
});
