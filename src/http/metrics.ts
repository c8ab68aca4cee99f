import type { Metric, Registry } from '@prometheus-io/client';
import { Histogram } from './histogram.ts';
import type { MetricSource } from './metric-source.ts';

export type RequestMetrics = ReturnType<typeof createMetrics>;

/**
 * Combines the metrics of several worker processes: takes a function that returns the metrics of this process, and
 * returns one that renders those of all processes.
 */
export type ShareMetrics = (ownMetrics: () => Promise<object[]>) => () => Promise<string>;

const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Response counts by method and status. */
type RouteCounts = Map<string, Map<number, number>>;

/**
 * Requests are counted in plain numbers and converted when metrics are scraped: the counters of the library cost as
 * much as handling a small request.
 */
export function createMetrics(share: ShareMetrics | null, sources: readonly MetricSource[]) {
  const routes = new Map<string, RouteCounts>();
  const requests: MetricSource = {
    name: 'http_requests_total',
    type: 'counter',
    help: 'Requests answered, by route id, method and status.',
    values: () =>
      [...routes].flatMap(([route, responses]) =>
        [...responses].flatMap(([method, byStatus]) =>
          [...byStatus].map(([status, value]) => ({ labels: { route, method, status: String(status) }, value })),
        ),
      ),
  };
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request to its answer, by route id.',
    bounds,
  });
  let registry: Promise<Registry> | undefined;
  const getRegistry = (): Promise<Registry> => {
    registry ??= createRegistry([requests, durations, ...sources]);
    return registry;
  };
  const own = async (): Promise<object[]> => (await getRegistry()).getMetricsAsJSON();
  const render = share === null ? async () => (await getRegistry()).metrics() : share(own);

  return {
    /** `seconds` is null if the duration is not to be measured. */
    observe: (route: string, method: string, status: number, seconds: number | null): void => {
      let responses = routes.get(route);
      if (responses === undefined) {
        responses = new Map();
        routes.set(route, responses);
      }
      let byStatus = responses.get(method);
      if (byStatus === undefined) {
        byStatus = new Map();
        responses.set(method, byStatus);
      }
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
      if (seconds !== null) durations.observe(route, () => ({ route }), seconds);
    },
    /** All metrics in the Prometheus text format. */
    render: async () => ({ contentType: (await getRegistry()).contentType, text: await render() }),
  };
}

/** With the first scrape: a service that nobody scrapes takes 3 MB less without the library. */
async function createRegistry(sources: readonly MetricSource[]): Promise<Registry> {
  const { collectDefaultMetrics, Registry } = await import('@prometheus-io/client');
  const registry = new Registry();
  // No sliding window: the library advances it step by step by the wall clock, so a clock that jumps forward by years
  // would block the process for seconds.
  const withoutWindow = { eventLoopUtilizationMaxAgeSeconds: 0, eventLoopUtilizationAgeBuckets: 1 };
  collectDefaultMetrics({ register: registry, ...withoutWindow });
  for (const { name, type, help, values } of sources) {
    const metric = { name, help, type, aggregator: 'sum', get: async () => ({ name, help, type, values: values() }) };
    registry.registerMetric(metric as unknown as Metric<string>);
  }
  return registry;
}
