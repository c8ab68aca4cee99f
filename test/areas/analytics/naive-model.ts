import type { AnalyticsQuery } from '../../../src/contract/analytics/query.ts';
import type { Filter } from '../../../src/contract/filter.ts';
import { compileFilter } from '../../../src/core/filter.ts';
import type { GeneratedCall } from './generated-calls.ts';

/**
 * What a metric is according to its definition, computed of whole calls, without anything of the service: slowly, and in
 * the most direct way.
 */
export function naiveMetric(name: string, calls: readonly GeneratedCall[], field?: string): number | null {
  const connected = calls.filter(({ call }) => call.startedAt !== null);
  const spoken = calls.filter(({ call }) => call.conversation !== null);
  const total = (list: readonly GeneratedCall[], read: (each: GeneratedCall) => number) =>
    list.reduce((sum, each) => sum + read(each), 0);
  const share = (some: number, all: number) => (all === 0 ? null : sixDecimals(some / all));
  const turnsOf = ({ details }: GeneratedCall, role: string) =>
    details.turns.filter((turn) => turn.role === role).length;
  const rates: Record<string, () => number | null> = {
    connectRate: () => share(connected.length, calls.length),
    errorRate: () => share(calls.filter(({ call }) => call.status === 'error').length, calls.length),
    successRate: () =>
      share(
        calls.filter(({ call }) => call.analysis.successful === true).length,
        calls.filter(({ call }) => call.analysis.successful !== null).length,
      ),
    analyzedRate: () =>
      share(calls.filter(({ call }) => call.analysis.status === 'completed').length, connected.length),
    toolErrorRate: () =>
      share(
        total(calls, ({ details }) => details.toolResults.filter(({ isError }) => isError).length),
        total(calls, ({ details }) => details.toolResults.length),
      ),
    callerInterruptionRate: () =>
      share(
        total(spoken, ({ call }) => call.conversation?.callerInterruptions ?? 0),
        total(spoken, (each) => turnsOf(each, 'agent')),
      ),
    agentInterruptionRate: () =>
      share(
        total(spoken, ({ call }) => call.conversation?.agentInterruptions ?? 0),
        total(spoken, (each) => turnsOf(each, 'agent')),
      ),
    calls: () => calls.length,
    connectedCalls: () => connected.length,
    errorCalls: () => calls.filter(({ call }) => call.status === 'error').length,
    unpricedCalls: () => calls.filter(({ call }) => (call.cost?.totalMicros ?? null) === null).length,
    'field.distinct': () => new Set(fieldValues(calls, field as string)).size,
    'field.trueRate': () => {
      const flags = fieldValues(calls, field as string).filter((value) => typeof value === 'boolean');
      return share(flags.filter((value) => value).length, flags.length);
    },
  };
  const rate = rates[name];
  if (rate !== undefined) return rate();
  const [aggregate, ...rest] = name.split('.').reverse() as [string, ...string[]];
  const subject = rest.reverse().join('.');
  const value = combined(aggregate, valuesOf(subject, { calls, connected, spoken, turnsOf, field }));
  return subject === 'conversation.talkRatio' && value !== null ? sixDecimals(value) : value;
}

interface ValueParts {
  readonly calls: readonly GeneratedCall[];
  readonly connected: readonly GeneratedCall[];
  readonly spoken: readonly GeneratedCall[];
  readonly turnsOf: (each: GeneratedCall, role: string) => number;
  readonly field: string | undefined;
}

function valuesOf(subject: string, { calls, connected, spoken, turnsOf, field }: ValueParts): number[] {
  const [first = '', second = '', third = ''] = subject.split('.');
  const known = (values: readonly (number | null | undefined)[]) =>
    values.filter((value): value is number => typeof value === 'number' && !Number.isNaN(value));
  switch (first) {
    case 'durationMs':
      return known(connected.map(({ call }) => call.durationMs));
    case 'latency':
      return known(
        calls.flatMap(({ details }) =>
          details.turns.map(({ latency }) => latency?.[second as keyof NonNullable<typeof latency>]),
        ),
      );
    case 'agentTurns':
      return connected.map((each) => turnsOf(each, 'agent'));
    case 'callerTurns':
      return connected.map((each) => turnsOf(each, 'caller'));
    case 'toolCalls':
      return connected.map(({ details }) => details.toolResults.length);
    case 'conversation':
      return known(
        spoken.map(({ call: { conversation } }) => {
          if (conversation === null) return null;
          const { agentSpeechMs, callerSpeechMs } = conversation;
          if (second === 'talkRatio') return agentSpeechMs / (agentSpeechMs + callerSpeechMs);
          return conversation[second as keyof typeof conversation];
        }),
      );
    case 'cost':
      return known(calls.map(({ call }) => call.cost?.totalMicros));
    case 'field':
      return known(fieldValues(calls, field as string).map((value) => (typeof value === 'number' ? value : null)));
    default: {
      // An average of usage is of connected calls, a sum of all; the generated ones have usage in all of them.
      const usage = ({ call }: GeneratedCall) =>
        (call.usage as unknown as Record<string, Record<string, number>>)[second]?.[third];
      return known(calls.map(usage));
    }
  }
}

/** The average of a usage is over the connected calls only. */
export function naiveUsageAverage(name: string, calls: readonly GeneratedCall[]): number | null {
  const connected = calls.filter(({ call }) => call.startedAt !== null);
  return naiveMetric(name, connected);
}

function combined(aggregate: string, values: readonly number[]): number | null {
  const sorted = [...values].sort((one, other) => one - other);
  if (aggregate === 'count') return sorted.length;
  const sum = sorted.reduce((total, value) => total + value, 0);
  if (aggregate === 'sum') return sum;
  if (sorted.length === 0) return null;
  if (aggregate === 'avg') return sixDecimals(sum / sorted.length);
  if (aggregate === 'min') return sorted[0] as number;
  if (aggregate === 'max') return sorted.at(-1) as number;
  const percent = Number(aggregate.slice(1));
  return sorted.find((_, index) => (index + 1) * 100 >= percent * sorted.length) as number;
}

function sixDecimals(value: number): number {
  return Number(value.toFixed(6));
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const options = { timeZone, weekday: 'short', hour: 'numeric', hourCycle: 'h23' } as const;
  const format = new Intl.DateTimeFormat('en-US', options);
  formats.set(timeZone, format);
  return format;
}

/** The value of a field that calls.search knows, and of those that only figures have. */
export function naiveField({ call }: GeneratedCall, name: string, timeZone: string): unknown {
  const parts = () => formatOf(timeZone).formatToParts(new Date(call.createdAt));
  switch (name) {
    case 'hourOfDay':
      return Number(parts().find(({ type }) => type === 'hour')?.value);
    case 'dayOfWeek':
      return (
        ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(
          parts().find(({ type }) => type === 'weekday')?.value ?? '',
        ) + 1
      );
    case 'model':
      return call.usage.llm.model;
    case 'ttsProvider':
      return call.usage.tts.provider;
    case 'cost':
      return call.cost?.totalMicros ?? null;
    case 'currency':
      return call.cost?.currency ?? null;
    default: {
      const prefix = ['metadata.', 'variables.', 'collectedVariables.', 'analysis.data.'].find((each) =>
        name.startsWith(each),
      );
      const path =
        prefix === undefined ? name.split('.') : [...prefix.slice(0, -1).split('.'), name.slice(prefix.length)];
      return path.reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key], call) ?? null;
    }
  }
}

function fieldValues(calls: readonly GeneratedCall[], field: string): unknown[] {
  return calls
    .map((each) => naiveField(each, field, 'UTC'))
    .filter((value) => value !== null && typeof value !== 'object');
}

export function matching(
  calls: readonly GeneratedCall[],
  filter: Filter | undefined,
  timeZone: string,
): readonly GeneratedCall[] {
  if (filter === undefined) return calls;
  const isTime = (field: string) => ['createdAt', 'startedAt', 'endedAt'].includes(field);
  const matches = compileFilter(filter, undefined, isTime);
  return calls.filter((each) => matches((field) => naiveField(each, field, timeZone)));
}

/** The values by which a call is grouped. */
export function naiveGroup(each: GeneratedCall, { groupBy, timeZone }: Pick<AnalyticsQuery, 'groupBy' | 'timeZone'>) {
  return groupBy.map((name) => {
    const value = naiveField(each, name, timeZone);
    if (typeof value === 'string') return [...value].slice(0, 200).join('');
    return typeof value === 'object' ? null : value;
  });
}
