import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { prefers } from '../../src/http/operations/accept.ts';

describe('an Accept header', () => {
  const cases: readonly (readonly [string | undefined, boolean])[] = [
    [undefined, false],
    ['', false],
    ['*/*', false],
    ['application/*', false],
    ['application/json', false],
    ['text/event-stream', true],
    ['TEXT/Event-Stream', true],
    ['text/*', true],
    ['text/html', false],
    ['text/event-stream, */*', true],
    ['*/*, text/event-stream', true],
    ['text/event-stream, */*;q=0.1', true],
    ['text/event-stream;q=0.5, */*;q=0.8', false],
    ['application/json, text/event-stream', false],
    ['application/json;q=0.9, text/event-stream', true],
    ['application/json, text/event-stream;q=0.9', false],
    ['application/json;q=0, text/event-stream;q=0.001', true],
    ['text/event-stream;q=0', false],
    ['text/event-stream;q=0, */*', false],
    ['text/event-stream;q=0, text/*', false],
    ['text/event-stream; charset=utf-8; q=1.0', true],
    ['text/event-stream;q=high', false],
    ['text/event-stream;q=1.5', false],
    [',, ;q=1', false],
  ];
  for (const [header, expected] of cases) {
    it(`${expected ? 'asks' : 'does not ask'} for a stream: ${header ?? 'none'}`, () => {
      assert.equal(prefers(header, 'text/event-stream'), expected);
    });
  }
});
