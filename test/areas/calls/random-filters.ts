import fc from 'fast-check';
import { sentiments } from '../../../src/contract/calls/analysis.ts';
import { type Call, callStatuses, callTypes } from '../../../src/contract/calls/call.ts';
import { callEndReasons } from '../../../src/contract/calls/end-reasons.ts';
import { callColumns } from '../../../src/contract/calls/fields.ts';
import type { Filter, FilterLeaf } from '../../../src/contract/filter.ts';
import { analysisWith, callWith } from '../../support/stored-calls.ts';

/** Texts that fold to each other, that need escapes in JSON, and that look like other values. */
const texts = fc.constantFrom(
  '銀座店',
  'ｷﾞﾝｻﾞ',
  'ギンザ',
  'Straße',
  'STRASSE',
  'visit-1',
  'VISIT-1',
  '"m.page":1',
  'm.page',
  'back\\slash"',
  'two\nlines',
  '😀',
  '',
  '1',
  'true',
  '2026-01-31T09:00:00+09:00',
  '2026-01-31T00:00:00Z',
);
const numbers = fc.constantFrom(-1, 0, 1, 2, 3, 1.5, 10, 1e21);
const scalars = fc.oneof(texts, numbers, fc.boolean());
const times = fc.constantFrom(
  '2026-01-31T00:00:00.000Z',
  '2026-01-31T00:00:00.001Z',
  '2026-02-01T00:00:00.000Z',
  '2026-03-01T12:00:00.000Z',
);
const timesInFilters = fc.oneof(times, fc.constantFrom('2026-01-31T09:00:00+09:00', '2026-02-01T00:00:00.000999Z'));
const keys = fc.constantFrom('page', 'a.b', 'constructor', '__proto__', 'n');
const agentIds = fc.constantFrom('agt_a', 'agt_b', 'agt_c');

const values = fc.dictionary(keys, fc.oneof(scalars, fc.constant(null)), { maxKeys: 4, noNullPrototype: true });
const nested = fc.dictionary(keys, fc.oneof(scalars, fc.constantFrom(null, {}, ['x'], { page: 1 })), {
  maxKeys: 4,
  noNullPrototype: true,
});
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const small = fc.integer({ min: 0, max: 3 });

export function randomCall(workspaceId: string): fc.Arbitrary<Call> {
  const parts = fc.record({
    type: fc.constantFrom(...callTypes),
    status: fc.constantFrom(...callStatuses),
    endReason: orNull(fc.constantFrom(...callEndReasons)),
    agentId: agentIds,
    externalId: orNull(texts),
    agentVersion: fc.integer({ min: 1, max: 3 }),
    durationMs: orNull(small),
    createdAt: times,
    startedAt: orNull(times),
    endedAt: orNull(times),
    metadata: nested,
    variables: values,
    collectedVariables: values,
    e2e: orNull(small),
    tokens: small,
    analysis: fc.record({
      successful: orNull(fc.boolean()),
      sentiment: orNull(fc.constantFrom(...sentiments)),
      data: nested,
    }),
  });
  return parts.map(({ e2e, tokens, analysis, ...rest }) => {
    const call = callWith({ workspaceId, ...rest, analysis: analysisWith(analysis as Partial<Call['analysis']>) });
    const { usage } = call;
    return {
      ...call,
      usage: { ...usage, llm: { ...usage.llm, totalTokens: tokens } },
      latency: e2e === null ? null : latencyOf(e2e),
    };
  });
}

function latencyOf(ms: number): NonNullable<Call['latency']> {
  const none = { endpointingMs: null, sttMs: null, knowledgeMs: null, llmFirstTokenMs: null, ttsFirstAudioMs: null };
  const e2eMs = { p50: ms, p90: ms, p95: ms + 1, p99: ms + 2, min: ms, max: ms + 2, count: 1 };
  return { turns: 1, e2eMs, ...none, ownMs: null };
}

/** The value of a field as the API shows it. */
export function fieldValue(call: Call, field: string): unknown {
  for (const prefix of ['metadata', 'variables', 'collectedVariables'] as const) {
    if (field.startsWith(`${prefix}.`)) return ownValue(call[prefix], field.slice(prefix.length + 1));
  }
  if (field.startsWith('analysis.data.')) return ownValue(call.analysis.data, field.slice('analysis.data.'.length));
  return field.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key], call);
}

function ownValue(record: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function columnLeaf(field: string): fc.Arbitrary<FilterLeaf> {
  const { type, values: allowed } = callColumns[field] ?? { type: 'any' };
  const exists = fc.record({ field: fc.constant(field), op: fc.constant('exists' as const), value: fc.boolean() });
  const scalar: fc.Arbitrary<string | number | boolean> =
    type === 'boolean'
      ? fc.boolean()
      : type === 'number'
        ? numbers
        : type === 'time'
          ? timesInFilters
          : allowed === undefined
            ? fc.oneof(texts, agentIds)
            : fc.constantFrom(...allowed);
  return fc.oneof(
    exists,
    ...leavesWith(field, scalar),
    ...(type === 'string' ? textLeaves(field) : []),
    ...(type === 'number' || type === 'time' ? comparisons(field, scalar) : []),
  );
}

const leavesWith = (field: string, scalar: fc.Arbitrary<string | number | boolean>): fc.Arbitrary<FilterLeaf>[] => [
  fc.record({ field: fc.constant(field), op: fc.constantFrom('eq' as const, 'ne' as const), value: scalar }),
  fc.record({
    field: fc.constant(field),
    op: fc.constant('in' as const),
    value: fc.array(scalar, { minLength: 1, maxLength: 3 }),
  }),
];

const textLeaves = (field: string): fc.Arbitrary<FilterLeaf>[] => [
  fc.record({
    field: fc.constant(field),
    op: fc.constantFrom('contains' as const, 'startsWith' as const),
    value: fc.constantFrom('ＧＩＮ', 'ギン', 'ss', 'e', 'END', 'visit', '"', 'agt_'),
  }),
];

const comparisons = (field: string, scalar: fc.Arbitrary<string | number | boolean>): fc.Arbitrary<FilterLeaf>[] => [
  fc.record({
    field: fc.constant(field),
    op: fc.constantFrom('lt' as const, 'lte' as const, 'gt' as const, 'gte' as const),
    value: scalar,
  }),
];

const valueLeaf: fc.Arbitrary<FilterLeaf> = fc
  .tuple(fc.constantFrom('metadata', 'variables', 'collectedVariables', 'analysis.data'), keys)
  .chain(([prefix, key]) => {
    const field = `${prefix}.${key}`;
    return fc.oneof(
      fc.record({ field: fc.constant(field), op: fc.constant('exists' as const), value: fc.boolean() }),
      ...leavesWith(field, scalars),
      ...textLeaves(field),
      ...comparisons(field, fc.oneof(numbers, timesInFilters)),
    );
  });

const leaf = fc.oneof(fc.constantFrom(...Object.keys(callColumns)).chain(columnLeaf), valueLeaf);

function filterOfDepth(depth: number): fc.Arbitrary<Filter> {
  if (depth === 1) return leaf;
  const inner = filterOfDepth(depth - 1);
  const parts = fc.array(inner, { minLength: 1, maxLength: 3 });
  return fc.oneof(leaf, fc.record({ all: parts }), fc.record({ any: parts }), fc.record({ not: inner }));
}

export const randomFilter: fc.Arbitrary<Filter> = filterOfDepth(4);
