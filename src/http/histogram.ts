import type { MetricSource, MetricValue } from './metric-source.ts';

export type Labels = Readonly<Record<string, string>>;

export interface HistogramOptions {
  readonly name: string;
  readonly help: string;
  /** In seconds, ascending. */
  readonly bounds: readonly number[];
}

interface Counts {
  readonly labels: Labels;
  /** The last bucket has no upper bound. */
  readonly buckets: number[];
  seconds: number;
}

/** Durations counted in plain numbers, and converted when metrics are scraped. */
export class Histogram implements MetricSource {
  readonly type = 'histogram';
  readonly name: string;
  readonly help: string;
  readonly #bounds: readonly number[];
  readonly #counts = new Map<string, Counts>();

  constructor({ name, help, bounds }: HistogramOptions) {
    this.name = name;
    this.help = help;
    this.#bounds = bounds;
  }

  /** `series` identifies the labels, which are only needed the first time. */
  observe(series: string, labels: () => Labels, seconds: number): void {
    let counts = this.#counts.get(series);
    if (counts === undefined) {
      counts = { labels: labels(), buckets: Array(this.#bounds.length + 1).fill(0), seconds: 0 };
      this.#counts.set(series, counts);
    }
    counts.seconds += seconds;
    let index = 0;
    while (index < this.#bounds.length && seconds > (this.#bounds[index] as number)) index += 1;
    counts.buckets[index] = (counts.buckets[index] as number) + 1;
  }

  readonly values = (): MetricValue[] => [...this.#counts.values()].flatMap((counts) => this.#valuesOf(counts));

  #valuesOf({ labels, buckets, seconds }: Counts): MetricValue[] {
    let count = 0;
    const cumulative = buckets.map((value, index): MetricValue => {
      count += value;
      const le = this.#bounds[index] ?? '+Inf';
      return { metricName: `${this.name}_bucket`, labels: { le, ...labels }, value: count };
    });
    return [
      ...cumulative,
      { metricName: `${this.name}_sum`, labels, value: seconds },
      { metricName: `${this.name}_count`, labels, value: count },
    ];
  }
}
