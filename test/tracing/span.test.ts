import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isSampled, newSpanId, traceIdsOf, traceparentOf } from '../../src/tracing/ids.ts';
import { type Span, SpanEncoder } from '../../src/tracing/span.ts';
import { spansIn } from '../support/otlp.ts';
import { seed } from '../support/seed.ts';

const ids = { traceId: randomBytes(16), spanId: newSpanId(), parentId: newSpanId() };
const empty: Span = {
  ...ids,
  name: 'x',
  kind: 'internal',
  startMs: 0,
  endMs: 0,
  attributes: {},
  events: [],
  isError: false,
};

describe('encoded spans', () => {
  it('are read as they were written, whatever they contain', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 80 });
    const value = fc.oneof(
      text,
      fc.boolean(),
      fc.maxSafeNat(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constant(null),
    );
    const time = fc.integer({ min: 0, max: 4_102_444_800_000 });
    const span = fc.record({
      name: text,
      kind: fc.constantFrom('internal' as const, 'client' as const),
      startMs: time,
      durationMs: fc.nat(),
      attributes: fc.dictionary(text, value, { maxKeys: 12 }),
      events: fc.array(fc.record({ name: text, atMs: time }), { maxLength: 3 }),
      isError: fc.boolean(),
      parentId: fc.constantFrom(null, ids.parentId),
    });
    const encoder = new SpanEncoder({ 'service.name': 'desk' }, '1.2.3');
    fc.assert(
      fc.property(fc.array(span, { maxLength: 5 }), (given) => {
        const encoded = given.map(({ durationMs, ...rest }) =>
          encoder.span({ ...ids, ...rest, endMs: rest.startMs + durationMs }),
        );
        const read = spansIn(encoder.batch(encoded));
        const expected = given.map(({ durationMs, attributes, parentId, ...rest }) => ({
          ...rest,
          endMs: rest.startMs + durationMs,
          traceId: ids.traceId.toString('hex'),
          spanId: ids.spanId.toString('hex'),
          parentId: parentId?.toString('hex') ?? null,
          attributes: Object.fromEntries(Object.entries(attributes).filter(([, each]) => each !== null)),
          resource: { 'service.name': 'desk' },
        }));
        const plain = (each: unknown) => JSON.parse(JSON.stringify(each));
        for (const [index, each] of read.entries())
          assert.deepEqual(plain(each.attributes), plain(expected[index]?.attributes));
        assert.deepEqual(plain(read), plain(expected));
      }),
      { seed, numRuns: 300 },
    );
  });

  it('have names and attributes of 256 characters, however long an agent makes them, and content in full', () => {
    const encoder = new SpanEncoder({}, '1');
    const long = 'あ'.repeat(100_000);
    const encoded = encoder.span({ ...empty, name: long, attributes: { long } }, { content: long });
    const [read] = spansIn(encoder.batch([encoded]));
    assert.deepEqual([read?.name.length, String(read?.attributes.long).length], [256, 256]);
    assert.equal(read?.attributes.content, long);
  });

  it('never end before they begin, and halves of characters do not break them', () => {
    const encoder = new SpanEncoder({}, '1');
    const [read] = spansIn(encoder.batch([encoder.span({ ...empty, name: `\ud83d`, startMs: 20, endMs: 10 })]));
    assert.deepEqual([read?.name, read?.startMs, read?.endMs], ['\ufffd', 20, 20]);
  });
});

describe('the ids of a trace', () => {
  it('follow from the id of the call, and look like random ones', () => {
    const { traceId, rootId } = traceIdsOf('call_1');
    assert.deepEqual(traceIdsOf('call_1'), { traceId, rootId });
    assert.notDeepEqual(traceIdsOf('call_2').traceId, traceId);
    assert.deepEqual([traceId.length, rootId.length], [16, 8]);
    assert.match(traceparentOf(traceId, rootId, true), /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });

  it('decide which share of the calls is traced, the same in every process', () => {
    const all = Array.from({ length: 10_000 }, (_, index) => traceIdsOf(`call_${index}`).traceId);
    const share = (ratio: number) => all.filter((traceId) => isSampled(traceId, ratio));
    assert.deepEqual([share(0).length, share(1).length], [0, 10_000]);
    const tenth = share(0.1);
    assert.ok(tenth.length > 850 && tenth.length < 1150, String(tenth.length));
    const half = new Set(share(0.5));
    assert.ok(
      tenth.every((traceId) => half.has(traceId)),
      'a larger share has all of a smaller one',
    );
  });
});
