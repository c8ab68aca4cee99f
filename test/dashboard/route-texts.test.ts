import assert from 'node:assert/strict';
import { it } from 'node:test';
import { routeText } from '../../dashboard/src/parts/route-texts.ts';
import { operations } from '../../src/contract/index.ts';

it('every change is in words in the audit log, in both languages', () => {
  // The record of a message is the call itself.
  const audited = operations.filter(({ kind, id }) => kind !== 'read' && id !== 'calls.messages.create');
  for (const language of ['en', 'ja'] as const) {
    assert.deepEqual(
      audited.filter(({ id }) => routeText(id, language) === id).map(({ id }) => id),
      [],
    );
  }
});
