import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clearFrame, markFrame, mediaFrame, readFrame } from '../../../../src/voice/carriers/twilio/media-frames.ts';

const streamSid = 'MZ18ad3ab5a668481ce02b83e7395059f0';
const callSid = 'CA90a6a2ae1bcf4a8dbe7f3b4fcbfd1d76';
const read = (frame: unknown) => readFrame(JSON.stringify(frame));

describe('Frames of the carrier', () => {
  it('are read as they are documented', () => {
    const start = {
      accountSid: 'ACXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX',
      streamSid,
      callSid,
      tracks: ['inbound'],
      mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
      customParameters: { FirstName: 'Jane', LastName: 'Doe' },
    };
    const started = { event: 'start', streamId: streamSid, callId: callSid };
    assert.deepEqual(read({ event: 'connected', protocol: 'Call', version: '1.0.0' }), { event: 'other' });
    assert.deepEqual(read({ event: 'start', sequenceNumber: '1', start, streamSid }), started);
    assert.deepEqual(
      read({ event: 'start', sequenceNumber: '1', start: { ...start, streamSid: undefined }, streamSid }),
      started,
    );
    const media = { track: 'inbound', chunk: '1', timestamp: '5', payload: 'f39/fw==' };
    assert.deepEqual(read({ event: 'media', sequenceNumber: '3', media, streamSid }), {
      event: 'media',
      chunk: 1,
      timestampMs: 5,
      codes: Buffer.of(0x7f, 0x7f, 0x7f, 0x7f),
    });
    const dtmf = { track: 'inbound_track', digit: '1' };
    assert.deepEqual(read({ event: 'dtmf', streamSid, sequenceNumber: '5', dtmf }), { event: 'dtmf', key: '1' });
    assert.deepEqual(read({ event: 'mark', sequenceNumber: '4', streamSid, mark: { name: '0.1.160' } }), {
      event: 'mark',
      name: '0.1.160',
    });
    const stop = { accountSid: 'AC1', callSid };
    assert.deepEqual(read({ event: 'stop', sequenceNumber: '5', stop, streamSid }), { event: 'stop' });
  });
});

describe('Frames to the carrier', () => {
  it('are written as they are documented', () => {
    assert.deepEqual(JSON.parse(mediaFrame(streamSid, Buffer.of(0xff, 0x7f, 0))), {
      event: 'media',
      streamSid,
      media: { payload: '/38A' },
    });
    assert.deepEqual(JSON.parse(markFrame(streamSid, '3.12.800')), {
      event: 'mark',
      streamSid,
      mark: { name: '3.12.800' },
    });
    assert.deepEqual(JSON.parse(clearFrame(streamSid)), { event: 'clear', streamSid });
  });
});
