import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readEvents, type StreamEvent } from '../../dashboard/src/calls/event-stream.ts';

const bytes = new TextEncoder();

async function read(chunks: readonly Uint8Array[]): Promise<StreamEvent[]> {
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const events: StreamEvent[] = [];
  for await (const event of readEvents(stream)) events.push(event);
  return events;
}

describe('reading server-sent events', () => {
  const text = [
    ': a comment, to keep the connection open',
    '',
    'event: text',
    'data: {"turn":1,"delta":"予約"}',
    '',
    'event:done',
    'data: {"turns":[],',
    'data:  "status":"ongoing"}',
    'id: 7',
    '',
    '',
  ];
  const expected = [
    { name: 'text', data: '{"turn":1,"delta":"予約"}' },
    { name: 'done', data: '{"turns":[],\n "status":"ongoing"}' },
  ];

  for (const [name, lineBreak] of [
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ] as const) {
    it(`gives the same events wherever the chunks end, with ${name} line breaks`, async () => {
      // A final CR is only complete with the next character.
      const whole = bytes.encode(`${text.join(lineBreak)}${lineBreak === '\r' ? ':' : ''}`);
      assert.deepEqual(await read([whole]), expected);
      assert.deepEqual(await read([...whole].map((byte) => Uint8Array.of(byte))), expected);
      for (let place = 0; place <= whole.length; place += 1) {
        assert.deepEqual(await read([whole.subarray(0, place), whole.subarray(place)]), expected, `at byte ${place}`);
      }
    });
  }

  it('drops an event that was cut off', async () => {
    assert.deepEqual(await read([bytes.encode('event: done\ndata: {"turns"')]), []);
    assert.deepEqual(await read([bytes.encode('event: done\ndata: {}\n')]), []);
  });

  it('cancels the response when the reader stops early', async () => {
    let isCanceled = false;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(bytes.encode('data: 1\n\ndata: 2\n\n')),
      cancel: () => {
        isCanceled = true;
      },
    });
    for await (const { data } of readEvents(stream)) {
      assert.equal(data, '1');
      break;
    }
    assert.equal(isCanceled, true);
  });
});
