import { type Aggregate, type Measure, type MetricComputation, metrics } from '../../../contract/analytics/metrics.ts';
import type { AnalyticsQuery, RequestedMetric } from '../../../contract/analytics/query.ts';
import type { LatencyStage } from '../../../contract/calls/latency.ts';
import type { Filter } from '../../../contract/filter.ts';
import { type CallMatcher, callMatcher, fieldReader } from './field-values.ts';
import type { Budget } from './job.ts';
import { measures } from './measures.ts';
import type { Offset } from './ranges.ts';
import type { Batch } from './scan.ts';
import { CellValues, DistinctValues, rounded } from './values.ts';

/** What is collected of the calls in one pass over a range. */
export interface Series {
  add(batch: Batch, cells: Int32Array, cellCount: number): void;
  aggregate(aggregate: Aggregate, first: number, end: number): number | null;
}

interface SeriesPlan {
  readonly columns: readonly string[];
  readonly stages: readonly LatencyStage[];
  /** The place of its filter in `Plan.filters`. Null: all calls. */
  readonly filter: number | null;
  /** The aggregates that the query asks for. */
  readonly aggregates: Set<Aggregate>;
  create(budget: Budget, aggregates: ReadonlySet<Aggregate>): Series;
}

/** Looks up what a pass has collected. */
export type SeriesOf = (key: string) => Series;

/** A figure of the response. */
export interface Figure {
  readonly name: string;
  /** The value over the cells from `first` up to `end`. */
  evaluate(series: SeriesOf, first: number, end: number): number | null;
}

/** What a query needs, in whichever range. */
export class Plan {
  readonly series = new Map<string, SeriesPlan>();
  readonly filters: CallMatcher[] = [];
  readonly figures: Figure[] = [];
  /** The filters of sums of costs, which must be in one currency. Null: all calls. */
  readonly costFilters = new Set<number | null>();
  readonly #filterPlaces = new Map<string, number>();
  readonly #offsets: readonly Offset[];

  constructor({ metrics: requested }: Pick<AnalyticsQuery, 'metrics'>, offsets: readonly Offset[]) {
    this.#offsets = offsets;
    const byName = new Map<string, Figure>();
    // Ratios may come before what they divide.
    for (const entry of requested) {
      if (isRatio(entry)) continue;
      const figure = this.#metric(typeof entry === 'string' ? { metric: entry, as: entry } : entry);
      byName.set(figure.name, figure);
    }
    for (const entry of requested) {
      const name = typeof entry === 'string' ? entry : entry.as;
      this.figures.push(isRatio(entry) ? ratioOf(entry, byName) : (byName.get(name) as Figure));
    }
  }

  get columns(): string[] {
    const ofCosts = this.costFilters.size === 0 ? [] : ['currency', 'cost_micros'];
    return [...this.series.values(), ...this.filters].flatMap(({ columns }) => columns).concat(ofCosts);
  }

  get stages(): LatencyStage[] {
    return [...this.series.values()].flatMap(({ stages }) => stages);
  }

  #metric({ metric: name, field, filter, as }: MetricEntry): Figure {
    const metric = metrics.get(name);
    if (metric === undefined) throw new Error(`there is no metric ${name}`);
    const place = this.#filter(filter);
    const { computation, unit } = metric;
    if (isOfCost(computation, field)) this.costFilters.add(place);
    const evaluate = this.#evaluator(computation, field ?? '', place);
    if (unit !== 'ratio') return { name: as, evaluate };
    return { name: as, evaluate: (...args) => roundedRatio(evaluate(...args)) };
  }

  #evaluator(computation: MetricComputation, field: string, filter: number | null): Figure['evaluate'] {
    if ('sum' in computation) {
      const over = this.#measure(computation.sum, filter);
      const under = this.#measure(computation.per, filter);
      const [one, other] = [this.#aggregate(over, 'sum'), this.#aggregate(under, 'sum')];
      return (...args) => quotient(one(...args), other(...args));
    }
    if ('field' in computation) {
      const key =
        computation.field === 'distinct' ? this.#distinct(field, filter) : this.#field(field, 'boolean', filter);
      return this.#aggregate(key, computation.field === 'distinct' ? 'count' : 'avg');
    }
    const { aggregate, of } = computation;
    const key =
      'measure' in of
        ? this.#measure(of.measure, filter)
        : 'latency' in of
          ? this.#latency(of.latency, filter)
          : this.#field(field, 'number', filter);
    return this.#aggregate(key, aggregate);
  }

  #aggregate(key: string, aggregate: Aggregate): Figure['evaluate'] {
    this.series.get(key)?.aggregates.add(aggregate);
    return (series, first, end) => series(key).aggregate(aggregate, first, end);
  }

  #filter(filter: Filter | undefined): number | null {
    if (filter === undefined) return null;
    const text = JSON.stringify(filter);
    const known = this.#filterPlaces.get(text);
    if (known !== undefined) return known;
    this.#filterPlaces.set(text, this.filters.length);
    return this.filters.push(callMatcher(filter, this.#offsets)) - 1;
  }

  #add(name: string, filter: number | null, plan: Omit<SeriesPlan, 'filter' | 'aggregates'>): string {
    const key = `${name} ${filter ?? ''}`;
    if (!this.series.has(key)) this.series.set(key, { ...plan, filter, aggregates: new Set() });
    return key;
  }

  #measure(measure: Measure, filter: number | null): string {
    const { columns, compute } = measures[measure];
    const numbers = (batch: Batch): Float64Array => {
      const [first, ...others] = columns.map((column) => batch.numbers(column));
      if (compute === undefined) return first as Float64Array;
      return Float64Array.from({ length: batch.count }, (_, row) =>
        first === undefined ? compute() : compute(first[row] as number, ...others.map((each) => each[row] as number)),
      );
    };
    return this.#add(measure, filter, {
      columns,
      stages: [],
      create: (budget, aggregates) => numbersSeries(new CellValues(budget, aggregates), numbers),
    });
  }

  #latency(stage: LatencyStage, filter: number | null): string {
    return this.#add(`latency.${stage}`, filter, {
      columns: ['latency_turns'],
      stages: [stage],
      create: (budget, aggregates) => {
        const values = new CellValues(budget, aggregates);
        return {
          add: (batch, cells, cellCount) =>
            values.addOfTurns(batch.stage(stage), batch.numbers('latency_turns'), cells, cellCount),
          aggregate: (...args) => values.aggregate(...args),
        };
      },
    });
  }

  #field(field: string, type: 'number' | 'boolean', filter: number | null): string {
    const reader = fieldReader(field, this.#offsets);
    const numbers = (batch: Batch): Float64Array => {
      const read = reader.read(batch);
      return Float64Array.from({ length: batch.count }, (_, row) => {
        const value = read(row);
        return typeof value === type ? Number(value) : Number.NaN;
      });
    };
    return this.#add(`${type} ${field}`, filter, {
      columns: reader.columns,
      stages: [],
      create: (budget, aggregates) => numbersSeries(new CellValues(budget, aggregates), numbers),
    });
  }

  #distinct(field: string, filter: number | null): string {
    const reader = fieldReader(field, this.#offsets);
    return this.#add(`distinct ${field}`, filter, {
      columns: reader.columns,
      stages: [],
      create: (budget) => {
        const values = new DistinctValues(budget);
        return {
          add: (batch, cells) => {
            const read = reader.read(batch);
            for (let row = 0; row < cells.length; row += 1) {
              const cell = cells[row] as number;
              const value = cell < 0 ? null : read(row);
              if (value !== null && value !== undefined && typeof value !== 'object') values.add(cell, value);
            }
          },
          aggregate: (_, first, end) => values.count(first, end),
        };
      },
    });
  }
}

interface MetricEntry {
  readonly metric: string;
  readonly field?: string | undefined;
  readonly filter?: Filter | undefined;
  readonly as: string;
}

type Ratio = Extract<RequestedMetric, { ratio: unknown }>;

function isRatio(entry: RequestedMetric): entry is Ratio {
  return typeof entry === 'object' && 'ratio' in entry;
}

function isOfCost(computation: MetricComputation, field: string | undefined): boolean {
  if (field === 'cost') return !('field' in computation);
  return 'of' in computation && 'measure' in computation.of && computation.of.measure === 'cost';
}

function numbersSeries(values: CellValues, numbers: (batch: Batch) => Float64Array): Series {
  return {
    add: (batch, cells, cellCount) => values.addOfCalls(numbers(batch), cells, cellCount),
    aggregate: (...args) => values.aggregate(...args),
  };
}

function ratioOf({ ratio: [over, under], as }: Ratio, figures: ReadonlyMap<string, Figure>): Figure {
  const [one, other] = [figures.get(over as string), figures.get(under as string)] as [Figure, Figure];
  return {
    name: as,
    evaluate: (series, first, end) => quotient(one.evaluate(series, first, end), other.evaluate(series, first, end)),
  };
}

/** Ratios are rounded even if one is the value of a single call, such as the largest share of speech. */
function roundedRatio(value: number | null): number | null {
  return value === null ? null : rounded(value);
}

function quotient(over: number | null, under: number | null): number | null {
  return over === null || under === null || under === 0 ? null : rounded(over / under);
}
