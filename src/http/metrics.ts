import { collectDefaultMetrics, type Metric, Registry } from '@prometheus-io/client';

export interface RequestMetrics {
  /** `seconds` is null if the duration is not to be measured. */
  observe(route: string, method: string, status: number, seconds: number | null): void;
  /** All metrics in the Prometheus text format. */
  render(): Promise<{ readonly contentType: string; readonly text: string }>;
}

/**
 * Combines the metrics of several worker processes: takes a function that returns the metrics of this process, and
 * returns one that renders those of all processes.
 */
export type ShareMetrics = (ownMetrics: () => Promise<object[]>) => () => Promise<string>;

/** What is counted elsewhere in the process, since its start. */
export interface MetricSources {
  readonly droppedLogLines: () => number;
  readonly jobRuns: () => readonly { readonly kind: string; readonly outcome: string; readonly value: number }[];
}

const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface RouteCounts {
  /** Response counts by method and status. */
  readonly responses: Map<string, Map<number, number>>;
  /** Durations per bucket; the last bucket has no upper bound. */
  readonly buckets: number[];
  seconds: number;
}

/**
 * Requests are counted in plain numbers and converted when metrics are scraped: the counters of the library cost as
 * much as handling a small request.
 */
export function createMetrics(share: ShareMetrics | null, sources: readonly MetricSource[]): RequestMetrics {
  const registry = new Registry();
  // No sliding window: the library advances it step by step by the wall clock, so a clock that jumps forward by years
  // would block the process for seconds.
  const withoutWindow = { eventLoopUtilizationMaxAgeSeconds: 0, eventLoopUtilizationAgeBuckets: 1 };
  collectDefaultMetrics({ register: registry, ...withoutWindow });
  const routes = new Map<string, RouteCounts>();
  register(registry, 'http_requests_total', 'counter', 'Requests answered, by route id, method and status.', () =>
    [...routes].flatMap(([route, { responses }]) =>
      [...responses].flatMap(([method, byStatus]) =>
        [...byStatus].map(([status, value]) => ({ labels: { route, method, status: String(status) }, value })),
      ),
    ),
  );
  register(
    registry,
    'http_request_duration_seconds',
    'histogram',
    'Time from a request to its answer, by route id.',
    () => [...routes].flatMap(([route, counts]) => histogramValues(route, counts)),
  );
  for (const { name, type, help, values } of sources) register(registry, name, type, help, values);

  const render = share === null ? () => registry.metrics() : share(() => registry.getMetricsAsJSON());

  return {
    observe: (route, method, status, seconds) => {
      let counts = routes.get(route);
      if (counts === undefined) {
        counts = { responses: new Map(), buckets: Array(bounds.length + 1).fill(0), seconds: 0 };
        routes.set(route, counts);
      }
      let byStatus = counts.responses.get(method);
      if (byStatus === undefined) {
        byStatus = new Map();
        counts.responses.set(method, byStatus);
      }
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
      if (seconds === null) return;
      counts.seconds += seconds;
      let index = 0;
      while (index < bounds.length && seconds > (bounds[index] as number)) index += 1;
      counts.buckets[index] = (counts.buckets[index] as number) + 1;
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

function histogramValues(route: string, { buckets, seconds }: RouteCounts): MetricValue[] {
  const name = 'http_request_duration_seconds';
  let count = 0;
  const cumulative = buckets.map((value, index): MetricValue => {
    count += value;
    return { metricName: `${name}_bucket`, labels: { le: bounds[index] ?? '+Inf', route }, value: count };
  });
  return [
    ...cumulative,
    { metricName: `${name}_sum`, labels: { route }, value: seconds },
    { metricName: `${name}_count`, labels: { route }, value: count },
  ];
}
