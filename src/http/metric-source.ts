/** A metric that is counted somewhere in the process, since its start. */
export interface MetricSource {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly values: () => MetricValue[];
}

export interface MetricValue {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}
