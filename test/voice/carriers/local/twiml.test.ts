import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keysIn } from '../../../../src/voice/carriers/local/key-tones.ts';
import { decoded, encoded, silentByte, tone } from '../../../../src/voice/carriers/local/mulaw.ts';
import { testWordFrame, testWords, wordsHeard } from '../../../../src/voice/carriers/local/test-words.ts';
import { DocumentError, parseDocument } from '../../../../src/voice/carriers/local/twiml.ts';

describe('documents of the local carrier', () => {
  it('are read with entities, CDATA, comments and both quotes', () => {
    const [say, redirect] = parseDocument(
      `<?xml version="1.0" encoding="UTF-8"?>\n<!-- a --><Response><Say language='ja-JP'>&#x3042; &amp; <![CDATA[<b>]]><!-- b --></Say>\n<Redirect method="POST">http://a.test/?a=1&amp;b=2</Redirect></Response>\n`,
    );
    assert.deepEqual(say, { name: 'Say', attributes: { language: 'ja-JP' }, children: [], text: 'あ & <b>' });
    assert.equal(redirect?.text, 'http://a.test/?a=1&b=2');
  });

  for (const [document, code] of [
    ['', 12_100],
    ['{}', 12_100],
    ['<Response>', 12_100],
    ['<Response></Reply>', 12_100],
    ['<Response/><Response/>', 12_100],
    ['<Response><Say>a & b</Say></Response>', 12_100],
    ['<Response><Say a="1" a="2">x</Say></Response>', 12_100],
    ['<!DOCTYPE x [<!ENTITY a "b">]><Response/>', 12_100],
    ['<Say>a</Say>', 12_100],
    ['<Response><Sms>a</Sms></Response>', 12_200],
    ['<Response>text</Response>', 12_200],
    ['<Response><Dial record="true">+99900000001</Dial></Response>', 12_200],
    ['<Response><Stream url="wss://a.test"/></Response>', 12_200],
    [`<Response>${'<Hangup/>'.repeat(201)}</Response>`, 12_100],
    [`<Response><Say>${'a'.repeat(65_536)}</Say></Response>`, 11_750],
  ] as const) {
    it(`are refused with ${code}: ${document.slice(0, 60)}`, () => {
      assert.throws(
        () => parseDocument(document),
        (error) => error instanceof DocumentError && error.code === code,
      );
    });
  }
});

describe('mu-law of the local carrier', () => {
  it('leaves every byte unchanged but the negative zero, and is within its step of every sample', () => {
    for (let byte = 0; byte < 256; byte += 1) {
      const [again] = encoded(decoded(Uint8Array.of(byte)));
      assert.equal(again, byte === 0x7f ? silentByte : byte);
    }
    for (let sample = -32_000; sample <= 32_000; sample += 7) {
      const [near = 0] = decoded(encoded(Int16Array.of(sample)));
      assert.ok(Math.abs(near - sample) <= Math.max(4, Math.abs(sample) / 16), `${sample} ${near}`);
    }
  });

  it('leaves test speech unchanged', () => {
    const speech = testWords('Good morning 東京', 'en');
    assert.deepEqual(encoded(decoded(speech)), speech);
    assert.deepEqual(
      wordsHeard(speech).map(({ text }) => text),
      ['Good', 'morning', '東京'],
    );
    const long = testWordFrame('x'.repeat(300));
    assert.deepEqual(encoded(decoded(long)), long);
    assert.equal(wordsHeard(long)[0]?.text.length, 126);
  });
});

describe('keys in the audio of the local carrier', () => {
  const frequencies: Record<string, [number, number]> = {
    '1': [697, 1209],
    '5': [770, 1336],
    '0': [941, 1336],
    '#': [941, 1477],
  };

  function tones(digits: string, amplitude: number): Uint8Array {
    const parts = [...digits].map((digit) => {
      const [row, column] = frequencies[digit] ?? [0, 0];
      return Array.from({ length: 1600 }, (_, index) =>
        index >= 800
          ? 0
          : amplitude *
            (Math.sin((2 * Math.PI * row * index) / 8000) + Math.sin((2 * Math.PI * column * index) / 8000)),
      );
    });
    return encoded(Int16Array.from(parts.flat(), Math.round));
  }

  it('are found by their tones', () => {
    assert.equal(keysIn(tones('1550#', 6000)), '1550#');
    assert.equal(keysIn(tones('1550#', 1000)), '1550#');
  });

  it('are not found in silence, in one tone or in test speech', () => {
    assert.equal(keysIn(new Uint8Array(16_000).fill(0xff)), '');
    assert.equal(keysIn(tone(697, 500)), '');
    assert.equal(keysIn(testWords('one two three', 'en')), '');
  });
});
