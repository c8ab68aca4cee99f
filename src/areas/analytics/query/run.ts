import type { AnalyticsRow } from '../../../contract/analytics/query.ts';
import { maxRows } from '../../../contract/analytics/query.ts';
import type { Reader } from '../../../storage/database.ts';
import { filledFrom } from '../facts/filling.ts';
import { type FieldReader, fieldReader } from './field-values.ts';
import { Groups, TooManyValues, tooManyRows } from './groups.ts';
import { Budget, type QueryJob, type QueryReply, Refusal } from './job.ts';
import { collect, frequentValues, type Pass, type PassParts } from './pass.ts';
import { Plan } from './plan.ts';
import { type Buckets, Calendar, loadTemporal, type TimeRange } from './ranges.ts';
import { arrangedRows, type ComputedRow } from './rows.ts';

/** Answers a query from one snapshot. */
export async function runQuery(reader: Reader, job: QueryJob): Promise<QueryReply> {
  try {
    return { result: await answer(reader, job) };
  } catch (error) {
    if (error instanceof Refusal) return { refused: `the query ${error.message}` };
    throw error;
  }
}

async function answer(reader: Reader, { workspaceId, query, now }: QueryJob) {
  const calendar = new Calendar(await loadTemporal(), query.timeZone);
  const range = calendar.rangeOf(query.range, now);
  const earlier = query.compare && calendar.earlier(range, query.compare, query.range.last);
  const parts = { reader, workspaceId, query, budget: new Budget() };
  const figures = new Figures(parts, calendar, range);
  const current = await figures.current();
  const previous = earlier === undefined ? undefined : await figures.previous(earlier);
  const { rows, truncated } = arrangedRows(figures.rows(current, previous), query);
  const from = await filledFrom(reader, workspaceId, now);
  const text = ({ from: start, to }: TimeRange) => ({ from: calendar.text(start), to: calendar.text(to) });
  return {
    rows: rows.map(({ row }) => row),
    range: text(range),
    previousRange: earlier === undefined ? null : text(earlier),
    timeZone: query.timeZone,
    truncated,
    filledFrom: from === null ? null : new Date(from).toISOString(),
    asOf: new Date(now).toISOString(),
    calls: current.total,
  };
}

interface PreviousPass extends Pass {
  readonly buckets: Buckets;
}

/** The figures of a query in one range, and in an earlier one with the same groups. */
class Figures {
  readonly #parts: Omit<PassParts, 'offsets'>;
  readonly #calendar: Calendar;
  readonly #buckets: Buckets;
  /** By the filter of the metrics. Each sum may have a currency of its own. */
  readonly #currencies = new Map<number | null, Set<string>>();
  #groups: Groups;
  #plan: Plan;

  constructor(parts: Omit<PassParts, 'offsets'>, calendar: Calendar, range: TimeRange) {
    this.#parts = parts;
    this.#calendar = calendar;
    this.#buckets = this.#bucketsOf(range);
    const offsets = calendar.offsets(range);
    this.#plan = new Plan(parts.query, offsets);
    this.#groups = this.#newGroups([]);
  }

  async current(): Promise<Pass> {
    try {
      return await this.#collect(this.#buckets, false);
    } catch (error) {
      if (!(error instanceof TooManyValues)) throw error;
    }
    const { from, to } = this.#buckets;
    const dimensions = this.#dimensions(this.#buckets);
    const allowed = await frequentValues(this.#passParts(this.#buckets), { from, to }, dimensions);
    this.#groups = this.#newGroups(allowed);
    return this.#collect(this.#buckets, false);
  }

  async previous(range: TimeRange): Promise<PreviousPass> {
    const buckets = this.#bucketsOf(range);
    this.#plan = new Plan(this.#parts.query, this.#calendar.offsets(range));
    return { ...(await this.#collect(buckets, true)), buckets };
  }

  rows(current: Pass, previous: PreviousPass | undefined): ComputedRow[] {
    const size = this.#buckets.starts.length;
    const texts = this.#buckets.starts.map((start) => this.#calendar.text(start));
    const { groupBy } = this.#parts.query;
    return this.#groups.values.flatMap((values, group) => {
      const first = group * size;
      const rank = () => this.#valueOf(current, 0, first, first + size);
      const wasThere = previous !== undefined && this.#occurs(previous, first, size);
      const known = wasThere ? previous : undefined;
      return texts.map((bucket, place): ComputedRow => {
        const row: AnalyticsRow = {
          bucket,
          group: Object.fromEntries(groupBy.map((name, index) => [name, values[index] ?? null])),
          values: this.#values(current, first + place),
          previous:
            known !== undefined && place < known.buckets.starts.length ? this.#values(known, first + place) : null,
        };
        return { row, place, group, groupValues: values, rank };
      });
    });
  }

  /** A group that is not there has no figures to compare with. All calls together are always there. */
  #occurs({ calls }: Pass, first: number, size: number): boolean {
    return this.#parts.query.groupBy.length === 0 || calls.subarray(first, first + size).some((count) => count > 0);
  }

  #values(pass: Pass, cell: number): Record<string, number | null> {
    return Object.fromEntries(
      this.#plan.figures.map(({ name }, place) => [name, this.#valueOf(pass, place, cell, cell + 1)]),
    );
  }

  #valueOf({ series }: Pass, place: number, first: number, end: number): number | null {
    const seriesOf = (key: string) => {
      const found = series.get(key);
      if (found === undefined) throw new Error(`nothing was collected for ${key}`);
      return found;
    };
    return this.#plan.figures[place]?.evaluate(seriesOf, first, end) ?? null;
  }

  async #collect(buckets: Buckets, isFixed: boolean): Promise<Pass> {
    const pass = await collect(this.#passParts(buckets), this.#plan, {
      buckets,
      groups: this.#groups,
      dimensions: this.#dimensions(buckets),
      cellsPerGroup: this.#buckets.starts.length,
      isFixed,
      currenciesOf: (filter) => this.#currenciesOf(filter),
    });
    const isMixed = [...this.#currencies.values()].some(({ size }) => size > 1);
    if (isMixed && !this.#parts.query.groupBy.includes('currency')) {
      throw new Refusal('sums up costs in several currencies: add "currency" to groupBy, or filter by it');
    }
    return pass;
  }

  #currenciesOf(filter: number | null): Set<string> {
    const known = this.#currencies.get(filter) ?? new Set();
    this.#currencies.set(filter, known);
    return known;
  }

  #passParts(range: TimeRange): PassParts {
    return { ...this.#parts, offsets: this.#calendar.offsets(range) };
  }

  #dimensions(range: TimeRange): FieldReader[] {
    const offsets = this.#calendar.offsets(range);
    return this.#parts.query.groupBy.map((name) => fieldReader(name, offsets));
  }

  #newGroups(allowed: ConstructorParameters<typeof Groups>[1]): Groups {
    return new Groups(this.#parts.query.groupBy.length, allowed, Math.floor(maxRows / this.#buckets.starts.length));
  }

  #bucketsOf(range: TimeRange): Buckets {
    const buckets = this.#calendar.buckets(range, this.#parts.query.interval, maxRows);
    if (buckets === undefined) throw new Refusal(tooManyRows);
    return buckets;
  }
}
