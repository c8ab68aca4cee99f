import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { callEventJson, eventJson, withTranscript } from '../../src/areas/webhooks/event-body.ts';
import { seed } from '../support/seed.ts';

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
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\ud83d', '\udc00\ud83d', '\u0000', '</script>'));
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
});
