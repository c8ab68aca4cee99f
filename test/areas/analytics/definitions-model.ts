import type { Call } from '../../../src/contract/calls/call.ts';
import type { LatencyStage } from '../../../src/contract/calls/latency.ts';
import { callValue } from '../../../src/core/call-columns.ts';
import { zonedTimes } from '../../../src/core/zoned-time.ts';
import type { GeneratedCall } from './calls-of-every-kind.ts';

/** The published definitions again, as directly as possible: every figure from the list of calls. */
export interface NaiveQuery {
  readonly timeZone: string;
  readonly interval: 'none' | 'hour' | 'day' | 'week' | 'month';
  readonly metrics: readonly NaiveMetric[];
  readonly groupBy: readonly string[];
}

export interface NaiveMetric {
  readonly metric: string;
  readonly field?: string;
  readonly as: string;
}

type Figures = Record<string, number | null>;

/** The figures of each bucket and group that has calls. */
export function naiveFigures(calls: readonly GeneratedCall[], query: NaiveQuery): Map<string, Figures> {
  const textOf = zonedTimes(query.timeZone);
  const groups = Map.groupBy(calls, ({ call }) =>
    rowKey(
      bucketKey(textOf(call.createdAt), query.interval),
      query.groupBy.map((name) => groupValue(fieldOf(call, name, textOf))),
    ),
  );
  return new Map([...groups].map(([key, members]) => [key, figuresOf(members, query.metrics, textOf)]));
}

/** The same for a bucket of a response and for the time of a call: the hour, day, week or month that it is in. */
export function bucketKey(localTime: string, interval: NaiveQuery['interval']): string {
  if (interval === 'none') return '';
  if (interval === 'hour') return `${localTime.slice(0, 13)}${localTime.slice(-6)}`;
  const day = localTime.slice(0, 10);
  if (interval === 'month') return day.slice(0, 7);
  if (interval === 'day') return day;
  const date = new Date(`${day}T00:00:00Z`);
  return new Date(date.getTime() - ((date.getUTCDay() + 6) % 7) * 86_400_000).toISOString().slice(0, 10);
}

export function rowKey(bucket: string, group: readonly unknown[]): string {
  return JSON.stringify([bucket, ...group]);
}

export function figuresOf(
  calls: readonly GeneratedCall[],
  metrics: readonly NaiveMetric[],
  textOf: (time: string) => string,
): Figures {
  return Object.fromEntries(metrics.map((metric) => [metric.as, figure(calls, metric, textOf)]));
}

function figure(
  calls: readonly GeneratedCall[],
  { metric, field = '' }: NaiveMetric,
  textOf: (time: string) => string,
) {
  const count = (matches: (entry: GeneratedCall) => boolean) => calls.filter(matches).length;
  const counted = counts[metric];
  if (counted !== undefined) return count(counted);
  const rate = rates[metric];
  if (rate !== undefined) {
    const [over, under] = rate.map((read) => aggregate('sum', calls.map(read))) as [number, number];
    return under === 0 ? null : sixDecimals(over / under);
  }
  const place = metric.lastIndexOf('.');
  const [what, how] = [metric.slice(0, place), metric.slice(place + 1)];
  if (what === 'field') {
    const values = calls
      .map(({ call }) => groupOrObject(fieldOf(call, field, textOf)))
      .filter((value) => value !== null);
    if (how === 'distinct') return new Set(values).size;
    if (how !== 'trueRate')
      return aggregate(
        how,
        values.filter((value) => typeof value === 'number'),
      );
    const flags = values.filter((value) => typeof value === 'boolean');
    return flags.length === 0 ? null : sixDecimals(flags.filter(Boolean).length / flags.length);
  }
  const value = aggregate(
    how,
    calls.flatMap((entry) => measured(entry, what, how)),
  );
  return what === 'conversation.talkRatio' && value !== null ? sixDecimals(value) : value;
}

const isConnected = ({ call }: GeneratedCall) => call.startedAt !== null;
const turnsBy = ({ turns }: GeneratedCall, role: string) => turns.filter((turn) => turn.role === role).length;

const counts: Readonly<Record<string, (entry: GeneratedCall) => boolean>> = {
  calls: () => true,
  connectedCalls: isConnected,
  errorCalls: ({ call }) => call.status === 'error',
  unpricedCalls: ({ call }) => (call.cost?.totalMicros ?? null) === null,
};

type Read = (entry: GeneratedCall) => number | null;

const whether =
  (condition: (entry: GeneratedCall) => boolean): Read =>
  (entry) =>
    Number(condition(entry));
const spoken: Read = (entry) => (entry.call.conversation === null ? 0 : turnsBy(entry, 'agent'));

const rates: Readonly<Record<string, readonly [over: Read, under: Read]>> = {
  connectRate: [whether(isConnected), () => 1],
  errorRate: [whether(({ call }) => call.status === 'error'), () => 1],
  successRate: [
    whether(({ call }) => call.analysis.successful === true),
    whether(({ call }) => call.analysis.successful !== null),
  ],
  analyzedRate: [whether(({ call }) => call.analysis.status === 'completed'), whether(isConnected)],
  toolErrorRate: [({ toolErrors }) => toolErrors.filter(Boolean).length, ({ toolErrors }) => toolErrors.length],
  callerInterruptionRate: [({ call }) => call.conversation?.callerInterruptions ?? 0, spoken],
  agentInterruptionRate: [({ call }) => call.conversation?.agentInterruptions ?? 0, spoken],
};

/** The values that a call contributes to a distribution. */
function measured(entry: GeneratedCall, what: string, how: string): (number | null)[] {
  const { call, turns, toolErrors } = entry;
  const [area, name = ''] = what.split(/\.(.*)/);
  switch (area) {
    case 'latency':
      return turns.map(({ role, latency }) => (role === 'agent' ? (latency?.[name as LatencyStage] ?? null) : null));
    case 'conversation':
      return [name === 'talkRatio' ? talkRatio(call) : (callValue(call, what) as number | null)];
    case 'usage':
      return how === 'avg' && !isConnected(entry) ? [] : [callValue(call, what) as number];
    case 'cost':
      return [call.cost?.totalMicros ?? null];
    case 'durationMs':
      return [isConnected(entry) ? call.durationMs : null];
    default:
      if (!isConnected(entry)) return [];
      return [what === 'toolCalls' ? toolErrors.length : turnsBy(entry, what === 'agentTurns' ? 'agent' : 'caller')];
  }
}

function talkRatio({ conversation }: Call): number | null {
  if (conversation === null) return null;
  const { agentSpeechMs, callerSpeechMs } = conversation;
  return agentSpeechMs + callerSpeechMs === 0 ? null : agentSpeechMs / (agentSpeechMs + callerSpeechMs);
}

function aggregate(how: string, given: readonly (number | null)[]): number | null {
  const values = given.filter((value) => value !== null).sort((a, b) => a - b);
  const sum = values.reduce((total, value) => total + value, 0);
  if (how === 'count') return values.length;
  if (how === 'sum') return sum;
  if (values.length === 0) return null;
  if (how === 'avg') return sixDecimals(sum / values.length);
  if (how === 'min') return values[0] as number;
  if (how === 'max') return values.at(-1) as number;
  return values[Math.ceil((Number(how.slice(1)) * values.length) / 100) - 1] as number;
}

function sixDecimals(value: number): number {
  return Number(value.toFixed(6));
}

/** The value of a field or a dimension. */
export function fieldOf(call: Call, name: string, textOf: (time: string) => string): unknown {
  const local = textOf(call.createdAt);
  switch (name) {
    case 'hourOfDay':
      return Number(local.slice(11, 13));
    case 'dayOfWeek':
      return ((new Date(`${local.slice(0, 10)}T00:00:00Z`).getUTCDay() + 6) % 7) + 1;
    case 'model':
      return call.usage.llm.model;
    case 'sttProvider':
      return call.usage.stt.provider;
    case 'ttsProvider':
      return call.usage.tts.provider;
    case 'currency':
      return call.cost?.currency ?? null;
    case 'cost':
      return call.cost?.totalMicros ?? null;
    default:
      return callValue(call, name);
  }
}

/** Objects and lists are no value to compare or to group by. */
function groupOrObject(value: unknown): string | number | boolean | null {
  return typeof value === 'object' ? null : (value as string);
}

export function groupValue(value: unknown): unknown {
  const scalar = groupOrObject(value);
  return typeof scalar === 'string' ? [...scalar].slice(0, 200).join('') : scalar;
}
