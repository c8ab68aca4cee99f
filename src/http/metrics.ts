import { Counter, collectDefaultMetrics, Histogram, Registry } from '@prometheus-io/client';

export interface RequestMetrics {
  observe(route: string, method: string, status: number, seconds: number): void;
  /** Everything in the text format of Prometheus. */
  render(): Promise<{ readonly contentType: string; readonly text: string }>;
}

export function createMetrics(): RequestMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered, by route id, method and status.',
    labelNames: ['route', 'method', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer, by route id.',
    labelNames: ['route'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  return {
    observe: (route, method, status, seconds) => {
      requests.inc({ route, method, status: String(status) });
      durations.observe({ route }, seconds);
    },
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
