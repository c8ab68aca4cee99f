import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { EventStreamParser, type ServerSentEvent } from '../../sdk/src/event-stream.ts';

function parsed(...pieces: readonly string[]): ServerSentEvent[] {
  const parser = new EventStreamParser();
  return pieces.flatMap((piece) => parser.push(piece));
}

/** The text, cut at the given places. */
function cut(text: string, places: readonly number[]): string[] {
  const ends = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [...ends, text.length].map((end, index) => text.slice(ends[index - 1] ?? 0, end));
}

describe('the parser of server-sent events', () => {
  it('reads names and data, and returns an event with its empty line', () => {
    assert.deepEqual(parsed('event: text\ndata: {"a":1}\n'), []);
    assert.deepEqual(parsed('event: text\ndata: {"a":1}\n\n'), [{ event: 'text', data: '{"a":1}' }]);
    assert.deepEqual(parsed('data: a\n\ndata: b\n\n'), [
      { event: 'message', data: 'a' },
      { event: 'message', data: 'b' },
    ]);
  });

  it('joins several lines of data, and removes one space only', () => {
    assert.deepEqual(parsed('data: a\ndata:  b\ndata\ndata:c\n\n'), [{ event: 'message', data: 'a\n b\n\nc' }]);
  });

  it('skips comments, other fields and events without data', () => {
    assert.deepEqual(parsed(': keep-alive\n\nid: 7\nretry: 10\nevent: nothing\n\ndata: x\n\n'), [
      { event: 'message', data: 'x' },
    ]);
  });

  it('takes a CR and an LF in two pieces as one line end', () => {
    assert.deepEqual(parsed('data: a\r', '\ndata: b\r', '\n\r', '\n'), [{ event: 'message', data: 'a\nb' }]);
    assert.deepEqual(parsed('data: a\r', '', '\n\r', '\n'), [{ event: 'message', data: 'a' }]);
  });

  it('finds the same events however the text is cut, and with any line ends', () => {
    const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n]/g, ' '));
    const event = fc.record({
      event: fc.constantFrom('text', 'tool', 'done', 'error'),
      lines: fc.array(line, { minLength: 1, maxLength: 4 }),
      comment: fc.option(line),
    });
    const end = fc.constantFrom('\n', '\r\n', '\r');
    fc.assert(
      fc.property(fc.array(event), end, fc.array(fc.nat()), (events, newline, places) => {
        const text = events
          .flatMap(({ event, lines, comment }) => [
            ...(comment === null ? [] : [`:${comment}`]),
            `event: ${event}`,
            ...lines.map((data) => `data: ${data}`),
            '',
          ])
          .map((each) => `${each}${newline}`)
          .join('');
        const expected = events.map(({ event, lines }) => ({ event, data: lines.join('\n') }));
        assert.deepEqual(parsed(...cut(text, places)), expected);
        assert.deepEqual(parsed(...text), expected);
      }),
    );
  });
});
