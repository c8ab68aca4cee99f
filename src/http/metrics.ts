import { collectDefaultMetrics, type Metric, Registry } from '@prometheus-io/client';

export interface RequestMetrics {
  observe(route: string, method: string, status: number, seconds: number): void;
  /** Everything in the text format of Prometheus. */
  render(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/** Where several processes serve one port: hands over how to get the figures of this one, gets back how to get those of all. */
export type ShareFigures = (ownFigures: () => Promise<object[]>) => () => Promise<string>;

/** What is counted elsewhere in the process, since its start. */
export interface MetricSources {
  readonly droppedLogLines: () => number;
  readonly jobRuns: () => readonly { readonly kind: string; readonly outcome: string; readonly value: number }[];
}

const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface RouteFigures {
  /** How many answers, by method and by status. */
  readonly answers: Map<string, Map<number, number>>;
  /** How many durations fell into each bucket, the last being beyond all bounds. */
  readonly buckets: number[];
  seconds: number;
}

/**
 * Counted in plain numbers and put into the library's form when somebody asks: its own counters cost as much as the
 * work of a small request.
 */
export function createMetrics(share: ShareFigures | null, sources: readonly MetricSource[]): RequestMetrics {
  const registry = new Registry();
  // Of the whole life of the process: the library moves a window on by the time of day, step by step, and a clock that is
  // set forward by years would hold up everything for seconds.
  const withoutWindow = { eventLoopUtilizationMaxAgeSeconds: 0, eventLoopUtilizationAgeBuckets: 1 };
  collectDefaultMetrics({ register: registry, ...withoutWindow });
  const routes = new Map<string, RouteFigures>();
  register(registry, 'http_requests_total', 'counter', 'Requests answered, by route id, method and status.', () =>
    [...routes].flatMap(([route, { answers }]) =>
      [...answers].flatMap(([method, byStatus]) =>
        [...byStatus].map(([status, value]) => ({ labels: { route, method, status: String(status) }, value })),
      ),
    ),
  );
  register(
    registry,
    'http_request_duration_seconds',
    'histogram',
    'Time from a request to its answer, by route id.',
    () => [...routes].flatMap(([route, figures]) => histogramValues(route, figures)),
  );
  for (const { name, type, help, values } of sources) register(registry, name, type, help, values);

  const render = share === null ? () => registry.metrics() : share(() => registry.getMetricsAsJSON());

  return {
    observe: (route, method, status, seconds) => {
      let figures = routes.get(route);
      if (figures === undefined) {
        figures = { answers: new Map(), buckets: Array(bounds.length + 1).fill(0), seconds: 0 };
        routes.set(route, figures);
      }
      let byStatus = figures.answers.get(method);
      if (byStatus === undefined) {
        byStatus = new Map();
        figures.answers.set(method, byStatus);
      }
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
      figures.seconds += seconds;
      let place = 0;
      while (place < bounds.length && seconds > (bounds[place] as number)) place += 1;
      figures.buckets[place] = (figures.buckets[place] as number) + 1;
    },
    render: async () => ({ contentType: registry.contentType, text: await render() }),
  };
}

export interface MetricSource {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly values: () => MetricValue[];
}

export interface MetricValue {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

function register(registry: Registry, name: string, type: string, help: string, values: () => MetricValue[]): void {
  const metric = { name, help, type, aggregator: 'sum', get: async () => ({ name, help, type, values: values() }) };
  registry.registerMetric(metric as unknown as Metric<string>);
}

function histogramValues(route: string, { buckets, seconds }: RouteFigures): MetricValue[] {
  const name = 'http_request_duration_seconds';
  let count = 0;
  const cumulative = buckets.map((value, place): MetricValue => {
    count += value;
    return { metricName: `${name}_bucket`, labels: { le: bounds[place] ?? '+Inf', route }, value: count };
  });
  return [
    ...cumulative,
    { metricName: `${name}_sum`, labels: { route }, value: seconds },
    { metricName: `${name}_count`, labels: { route }, value: count },
  ];
}
