import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { callEventJson, eventJson, rewrittenJson, withTranscript } from '../../../src/areas/webhooks/event-body.ts';
import { maxEventBytes } from '../../../src/contract/webhooks/events.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { seed } from '../../support/seed.ts';

const head = {
  id: 'evt_1',
  type: 'call_ended',
  timestamp: '2026-11-15T09:28:00.000Z',
  workspaceId: 'ws_1',
  sequence: 1,
} as const;

/** Keys that objects of JavaScript treat in a special way, and text that UTF-8 cannot have. */
const key = fc.oneof(
  fc.string(),
  fc.constantFrom('10', '2', '-1', '01', '__proto__', 'constructor', '\u2028', '\ud800'),
);
const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.constantFrom('\ud83d', '\udc00\ud83d', '\u0000', '</script>'),
);
const number = fc.oneof(fc.double(), fc.constantFrom(-0, 1e21, 5e-324, 2 ** 53, 0.1 + 0.2));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, text, number, fc.boolean(), fc.constant(null), tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.array(fc.tuple(key, tie('value')), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
}));

describe('the body of an event', () => {
  it('is the same after it was parsed and written again, as clients do that forward it', () => {
    fc.assert(
      fc.property(value, value, (data, transcript) => {
        const bodies = [
          eventJson(head, { data }),
          callEventJson(head, { call: { data } }, { transcript }, true),
          withTranscript(callEventJson(head, { call: { data } }, null, false), { transcript }),
        ];
        for (const body of bodies) {
          assert.equal(JSON.stringify(JSON.parse(body)), body);
          assert.equal(Buffer.from(body).toString(), body, 'it is valid UTF-8');
        }
      }),
      { seed, numRuns: 2000 },
    );
  });

  /** What 200 fields with the longest names leave if all of them are wrong, each character six bytes in JSON. */
  const wrongData = Array.from({ length: 200 }, (_, index) => ({
    field: `data.${'\u0001'.repeat(252)}${String(index).padStart(3, '0')}`,
    code: 'wrong_type',
    message: 'must be a number',
  }));
  const wrongSummary = { field: 'summary', code: 'missing', message: 'is missing' };
  const analyzed = { call: { analysis: { data: { a: 1 }, evidence: {}, issues: [wrongSummary, ...wrongData] } } };

  it('has at most 256 KiB, whatever the fields of the analysis are called', () => {
    const body = callEventJson(head, analyzed, null, true);
    assert.ok(Buffer.byteLength(body) <= maxEventBytes);
    const { data } = JSON.parse(body);
    assert.deepEqual(data.omitted, ['transcript', 'analysis.evidence', 'analysis.data']);
    assert.deepEqual([data.call.analysis.data, data.call.analysis.issues], [{}, [wrongSummary]]);
  });

  it('has at most 256 KiB, although an older call has collected more than it may now', () => {
    const call = { collectedVariables: { large: 'x'.repeat(maxEventBytes) }, analysis: { data: {}, issues: [] } };
    const body = callEventJson(head, { call }, null, false);
    assert.ok(Buffer.byteLength(body) <= maxEventBytes);
    const { data } = JSON.parse(body);
    assert.deepEqual(data.call.collectedVariables, {});
    assert.ok(data.omitted.includes('collectedVariables'));
  });

  it('has at most 256 KiB after content was added, or replaced by something longer', () => {
    const empty = { call: { analysis: { data: { a: '' }, evidence: {}, issues: [] } } };
    const room = maxEventBytes - Buffer.byteLength(callEventJson(head, empty, null, false));
    const full = { call: { analysis: { ...empty.call.analysis, data: { a: 'x'.repeat(room) } } } };
    const body = callEventJson(head, full, null, false);
    assert.equal(Buffer.byteLength(body), maxEventBytes);
    const data = { a: 'y'.repeat(room + 1) };
    const event = JSON.parse(body);
    const longer = { ...event, data: { ...event.data, call: { analysis: { ...full.call.analysis, data } } } };
    for (const [later, omitted] of [
      [withTranscript(body, null), ['transcript', 'analysis.evidence', 'analysis.data']],
      [withTranscript(body, { turns: [] }), ['transcript', 'analysis.evidence', 'analysis.data']],
      [rewrittenJson(longer), ['analysis.evidence', 'analysis.data']],
    ] as const) {
      assert.ok(Buffer.byteLength(later) <= maxEventBytes);
      assert.deepEqual(JSON.parse(later).data.omitted, omitted);
    }
  });
});
