import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { createCartesia } from '../../../src/voice/providers/cartesia/provider.ts';
import { createDeepgram } from '../../../src/voice/providers/deepgram/provider.ts';
import { createElevenLabs } from '../../../src/voice/providers/elevenlabs/provider.ts';
import { testFrames } from '../../../src/voice/providers/test/frames.ts';
import { cartesiaKey, cartesiaVoices, startCartesiaDouble } from '../../providers/cartesia-double.ts';
import { deepgramKey, startDeepgramDouble } from '../../providers/deepgram-double.ts';
import { elevenLabsKey, elevenLabsVoices, startElevenLabsDouble } from '../../providers/elevenlabs-double.ts';
import {
  describeRecognizer,
  describeVoice,
  heard,
  heardWords,
  spoken,
  spokenAudio,
} from '../../providers/speech-suite.ts';
import { sttOf, ttsOf, useProvider, words } from '../../providers/use-provider.ts';
import { CallTime } from '../../support/call-time.ts';
import { eventually } from '../../support/eventually.ts';

const secret = /dg-4f0|sk_el|sk_car|sk-oa|Bearer|Token/;

describe('Deepgram', () => {
  const parts = useProvider(startDeepgramDouble, (account) => createDeepgram(account, new CallTime()), deepgramKey);
  describeRecognizer('Deepgram', () => ({ ...parts, audio: words, words: /^hello there$/ }));

  const asked = async (options: Parameters<typeof heardWords>[1]) => {
    await heardWords(sttOf(parts.provider), options, ...words);
    return parts.double.urls.at(-1)?.searchParams as URLSearchParams;
  };

  it('is asked for the language, the rate, the keywords and the mode', async () => {
    const fast = await asked({ language: 'en-GB', keywords: ['Keratin', 'ブリーチ'] });
    assert.deepEqual(Object.fromEntries(fast), {
      model: 'nova-3',
      language: 'en-GB',
      encoding: 'linear16',
      sample_rate: '16000',
      channels: '1',
      interim_results: 'true',
      punctuate: 'true',
      endpointing: '100',
      smart_format: 'false',
      keyterm: 'ブリーチ',
    });
    assert.deepEqual(fast.getAll('keyterm'), ['Keratin', 'ブリーチ']);
    const accurate = await asked({ language: 'ja-JP', mode: 'accurate' });
    assert.deepEqual(
      ['language', 'endpointing', 'smart_format', 'keyterm'].map((name) => accurate.get(name)),
      ['ja', '300', 'true', null],
    );
  });

  it('gets as many keywords as it takes, and reports the rest as clamped', async () => {
    const keywords = Array.from({ length: 200 }, (_, index) => `keyword-${index}`);
    assert.ok((await asked({ keywords })).getAll('keyterm').length < 100);
    const { provider } = parts;
    assert.deepEqual(sttOf(provider).notApplied?.({ ...heard, keywords }), [
      { field: 'boostedKeywords', reason: 'clamped' },
    ]);
    assert.deepEqual(sttOf(provider).notApplied?.({ ...heard, keywords: ['a'] }), []);
  });

  it('has languages, and is not for others', () => {
    assert.equal(parts.provider.stt?.('tlh'), null);
    assert.notEqual(parts.provider.stt?.('ja'), null);
  });

  it('reports partial words, and the times of words', async () => {
    const { partials, words: found } = await heardWords(sttOf(parts.provider), {}, ...words);
    assert.deepEqual(partials, ['hello', 'hello there']);
    assert.deepEqual(
      found.map(({ text, startMs, endMs }) => [text, startMs, endMs]),
      [
        ['hello', 0, 20],
        ['there', 200, 220],
      ],
    );
  });

  it('reports where in the audio a transcript starts and ends, so that a late final is not taken for new words', async () => {
    const places: unknown[] = [];
    const stream = sttOf(parts.provider).open(heard, {
      partial: (text, startMs) => places.push([text, Math.round(startMs ?? -1)]),
      final: (text, _words, endMs) => places.push([text, Math.round(endMs ?? -1)]),
      failed: () => {},
    });
    for (const word of ['hello', 'there']) {
      stream.write(testFrames(word, 10));
      stream.flush();
    }
    await eventually(() => places.length === 4);
    stream.close();
    assert.deepEqual(places, [
      ['hello', 0],
      ['hello', 200],
      ['there', 200],
      ['there', 400],
    ]);
  });

  it('sends the vendor’s keep-alive, and says goodbye', async () => {
    const stream = sttOf(parts.provider).open(heard, { partial: () => {}, final: () => {}, failed: () => {} });
    stream.keepAlive?.();
    stream.write(testFrames('a', 1));
    await eventually(() => parts.double.received.some(({ type }) => type === 'KeepAlive'));
    stream.close();
    await eventually(() => parts.double.received.some(({ type }) => type === 'CloseStream'));
    await eventually(() => parts.double.open() === 0);
  });

  for (const [fault, detail, isFinal] of [
    [{ status: 400 }, 'HTTP 400 of deepgram', true],
    [{ status: 401 }, 'HTTP 401 of deepgram', true],
    [{ status: 429, headers: { 'retry-after': '2' } }, 'HTTP 429 of deepgram', false],
    [{ status: 429, headers: { 'retry-after': '60' } }, 'HTTP 429 of deepgram', true],
    [{ status: 503 }, 'HTTP 503 of deepgram', false],
    ['no handshake', 'deepgram did not accept the connection within 2.5 s', false],
    ['half a frame', 'deepgram closed the connection (1006)', false],
    ['not JSON', 'deepgram sent malformed data', false],
  ] as const) {
    it(`says in words of our own what failed: ${JSON.stringify(fault)}`, async () => {
      parts.double.fail(fault, 'none');
      const result = await heardWords(sttOf(parts.provider), {}, ...words);
      assert.deepEqual([result.failure, result.isFinal], [detail, isFinal]);
    });
  }

  it('understands words that take a while', async () => {
    parts.double.delay(300);
    const { text } = await heardWords(sttOf(parts.provider), {}, ...words);
    parts.double.delay(0);
    assert.equal(text, 'hello there');
  });

  it('does not repeat a key that is rejected', async () => {
    const other = createDeepgram({ apiKey: 'Token dg-4f0-other', baseUrl: parts.double.baseUrl }, new CallTime());
    const { failure, isFinal } = await heardWords(sttOf(other), {}, ...words);
    assert.deepEqual([failure, isFinal], ['HTTP 401 of deepgram', true]);
    assert.doesNotMatch(failure ?? '', secret);
  });
});

describe('A proxy', () => {
  it('gets the name of the provider, and nothing of the request', async () => {
    const asked: string[] = [];
    const proxy = createServer().on('connect', ({ url = '', headers }, socket) => {
      asked.push(url, JSON.stringify(headers));
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const account = { apiKey: deepgramKey, baseUrl: 'https://deepgram.example', proxy: address };
    const { failure } = await heardWords(sttOf(createDeepgram(account, new CallTime())), {}, ...words);
    assert.equal(failure, 'deepgram cannot be reached through the proxy');
    assert.equal(asked[0], 'deepgram.example:443');
    assert.doesNotMatch(asked.join(), secret);
    await new Promise((resolve) => proxy.close(resolve));
  });
});

describe('ElevenLabs', () => {
  const voiceId = elevenLabsVoices[0];
  const parts = useProvider(
    startElevenLabsDouble,
    (account) => createElevenLabs(account, new CallTime()),
    elevenLabsKey,
  );
  describeVoice('ElevenLabs', () => ({ ...parts, voiceId }));

  const asked = async (options: Parameters<typeof spokenAudio>[1]) => {
    const from = parts.double.received.length;
    const { failure } = await spokenAudio(ttsOf(parts.provider), options, 'Good morning.');
    assert.equal(failure, null);
    const url = parts.double.urls.at(-1) as URL;
    return { url, settings: parts.double.received[from]?.voice_settings };
  };

  it('is asked for the voice, the model, the language, the temperature and the speed', async () => {
    const { url, settings } = await asked({
      voiceId: elevenLabsVoices[1],
      model: 'eleven_flash_v2_5',
      language: 'ja-JP',
      temperature: 2,
      speed: 1.1,
    });
    assert.equal(url.pathname, `/v1/text-to-speech/${elevenLabsVoices[1]}/multi-stream-input`);
    assert.deepEqual(Object.fromEntries(url.searchParams), {
      output_format: 'pcm_16000',
      inactivity_timeout: '180',
      auto_mode: 'true',
      sync_alignment: 'true',
      model_id: 'eleven_flash_v2_5',
      language_code: 'ja',
    });
    assert.deepEqual(settings, { stability: 0, speed: 1.1 });
    const plain = await asked({ voiceId: elevenLabsVoices[2], temperature: 1 });
    assert.deepEqual(
      [plain.url.searchParams.get('model_id'), plain.url.searchParams.get('language_code')],
      [null, null],
    );
    assert.equal(plain.settings, undefined);
  });

  it('gets a speed within its range, and reports what it does not do', async () => {
    assert.deepEqual((await asked({ voiceId, speed: 2 })).settings, { speed: 1.2 });
    const notApplied = ttsOf(parts.provider).notApplied({
      ...spoken,
      voiceId,
      speed: 0.5,
      emotion: 'happy',
      temperature: 0,
    });
    assert.deepEqual(notApplied, [
      { field: 'voiceSpeed', reason: 'clamped', used: '0.7' },
      { field: 'voiceEmotion', reason: 'not_supported' },
    ]);
    assert.deepEqual(ttsOf(parts.provider).notApplied({ ...spoken, voiceId, temperature: 1 }), []);
  });

  it('speaks with a voice of the language if the agent’s is none of its own', async () => {
    const { url } = await asked({ voiceId: 'ja-JP-Nanami', language: 'ja', rate: 24_000 });
    assert.ok(url.pathname.includes(elevenLabsVoices[1]));
    assert.deepEqual(ttsOf(parts.provider).notApplied({ ...spoken, voiceId: 'ja-JP-Nanami' }), [
      { field: 'voiceId', reason: 'not_supported' },
    ]);
  });

  it('lists the voices of all pages', async () => {
    assert.deepEqual(await parts.provider.voices?.(), [
      { provider: 'elevenlabs', voiceId: elevenLabsVoices[0], name: 'Rachel', languages: [] },
      { provider: 'elevenlabs', voiceId: elevenLabsVoices[1], name: 'Adam', languages: ['ja', 'en'] },
    ]);
  });

  it('reports where words end', async () => {
    const { marks } = await spokenAudio(ttsOf(parts.provider), { voiceId }, 'Good morning. ', 'Bye.');
    assert.deepEqual(
      marks.map(({ characters }) => characters),
      [4, 12, 13, 17, 18].filter((characters) => marks.some((mark) => mark.characters === characters)),
    );
    assert.equal(marks.at(-1)?.characters, 18);
  });

  it('keeps its connection for the next utterances', async () => {
    const before = parts.double.urls.length;
    for (let index = 0; index < 5; index += 1)
      await spokenAudio(ttsOf(parts.provider), { voiceId, rate: 8000 }, 'Hello.');
    assert.equal(parts.double.urls.length - before, 1);
  });

  it('does not fail because a connection that was kept is gone', async () => {
    await spokenAudio(ttsOf(parts.provider), { voiceId, rate: 22_050 }, 'Hello.');
    parts.double.drop();
    assert.equal((await spokenAudio(ttsOf(parts.provider), { voiceId, rate: 22_050 }, 'Hello.')).failure, null);
  });

  for (const [fault, detail] of [
    [{ status: 401 }, 'HTTP 401 of elevenlabs'],
    [{ status: 422 }, 'HTTP 422 of elevenlabs'],
    [{ status: 429, headers: { 'retry-after': '2' } }, 'HTTP 429 of elevenlabs'],
    ['not JSON', 'elevenlabs sent malformed data'],
    ['half a frame', 'elevenlabs closed the connection (1006)'],
    ['closes midway', 'elevenlabs closed the connection (1011)'],
  ] as const) {
    it(`says in words of our own what failed: ${JSON.stringify(fault)}`, async () => {
      parts.double.drop();
      await eventually(() => parts.double.open() === 0);
      parts.double.fail(fault);
      const { failure } = await spokenAudio(ttsOf(parts.provider), { voiceId, rate: 44_100 }, 'Good morning.');
      assert.equal(failure, detail);
      parts.double.fail('none');
    });
  }

  it('waits for a provider that is slow', async () => {
    parts.double.delay(300);
    const { failure, samples } = await spokenAudio(ttsOf(parts.provider), { voiceId }, 'Good morning.');
    parts.double.delay(0);
    assert.deepEqual([failure, samples.length], [null, 6400]);
  });

  it('has no voices to list while its key is rejected, and says nothing about it', async () => {
    const other = createElevenLabs({ apiKey: 'sk_el_other', baseUrl: parts.double.baseUrl }, new CallTime());
    assert.deepEqual(await other.voices?.(), []);
    await other.close?.();
  });

  it('fails for a voice that does not exist', async () => {
    const { failure } = await spokenAudio(ttsOf(parts.provider), { voiceId: 'AAAAAAAAAAAAAAAAAAAA' }, 'Hello.');
    assert.equal(failure, 'elevenlabs reported an error');
  });
});

describe('Cartesia', () => {
  const voiceId = cartesiaVoices[0];
  const parts = useProvider(startCartesiaDouble, (account) => createCartesia(account, new CallTime()), cartesiaKey);
  describeVoice('Cartesia', () => ({ ...parts, voiceId }));

  const asked = async (options: Parameters<typeof spokenAudio>[1]) => {
    const from = parts.double.received.length;
    const { failure } = await spokenAudio(ttsOf(parts.provider), options, 'Good morning.');
    assert.equal(failure, null);
    const { context_id: _, ...request } = parts.double.received[from] ?? {};
    return request;
  };

  it('is asked for the voice, the model, the language, the speed and the emotion', async () => {
    assert.deepEqual(await asked({ voiceId, model: 'sonic-3', language: 'ja-JP', speed: 1.2, emotion: 'fearful' }), {
      model_id: 'sonic-3',
      voice: { mode: 'id', id: voiceId },
      language: 'ja',
      output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 16_000 },
      add_timestamps: true,
      max_buffer_delay_ms: 0,
      generation_config: { speed: 1.2, emotion: 'scared' },
      transcript: 'Good morning.',
      continue: false,
    });
    const { model_id: model, generation_config: config } = await asked({ voiceId });
    assert.deepEqual([model, config], ['sonic-3', undefined]);
  });

  it('gets a speed within its range, and reports what it does not do', async () => {
    assert.deepEqual((await asked({ voiceId, speed: 2 })).generation_config, { speed: 1.5 });
    const tts = ttsOf(parts.provider);
    assert.deepEqual(tts.notApplied({ ...spoken, voiceId, speed: 0.5, emotion: 'happy', temperature: 0 }), [
      { field: 'voiceSpeed', reason: 'clamped', used: '0.6' },
      { field: 'voiceTemperature', reason: 'not_supported' },
    ]);
    const older = { ...spoken, voiceId, model: 'sonic-2', speed: 1.2, emotion: 'happy' };
    assert.deepEqual(tts.notApplied(older), [
      { field: 'voiceSpeed', reason: 'not_supported' },
      { field: 'voiceEmotion', reason: 'not_supported' },
    ]);
    assert.equal((await asked(older)).generation_config, undefined);
  });

  it('speaks with a voice of the language if the agent’s is none of its own', async () => {
    assert.deepEqual((await asked({ voiceId: 'nanami', language: 'ja' })).voice, { mode: 'id', id: cartesiaVoices[1] });
  });

  it('lists the voices of all pages', async () => {
    assert.deepEqual(
      (await parts.provider.voices?.())?.map(({ name, languages }) => [name, languages]),
      [
        ['Barbershop Man', ['en']],
        ['Yumiko', ['ja']],
      ],
    );
  });

  it('shares a connection between utterances, and reports where words end', async () => {
    const tts = ttsOf(parts.provider);
    const all = await Promise.all(
      Array.from({ length: 20 }, () => spokenAudio(tts, { voiceId }, 'Good morning. ', 'Bye.')),
    );
    for (const { failure, marks, samples } of all) {
      assert.equal(failure, null);
      assert.equal(samples.length, 3 * 3200);
      assert.deepEqual(marks, [
        { characters: 4, samples: 3200 },
        { characters: 13, samples: 6400 },
        { characters: 18, samples: 9600 },
      ]);
    }
    assert.equal(parts.double.urls.length, 1);
  });

  it('fails one utterance, and not the others on its connection', async () => {
    const tts = ttsOf(parts.provider);
    const unknown = '00000000-0000-4000-8000-000000000000';
    const [good, bad] = await Promise.all([
      spokenAudio(tts, { voiceId }, 'Hello.'),
      spokenAudio(tts, { voiceId: unknown }, 'Hello.'),
    ]);
    assert.deepEqual([good?.failure, bad?.failure], [null, 'HTTP 404 of cartesia']);
  });

  for (const [fault, detail] of [
    [{ status: 400 }, 'HTTP 400 of cartesia'],
    [{ status: 429, headers: { 'retry-after': '2' } }, 'HTTP 429 of cartesia'],
    ['not JSON', 'cartesia sent malformed data'],
    ['half a frame', 'cartesia closed the connection (1006)'],
    ['closes midway', 'cartesia closed the connection (1011)'],
  ] as const) {
    it(`says in words of our own what failed: ${JSON.stringify(fault)}`, async () => {
      parts.double.drop();
      await eventually(() => parts.double.open() === 0);
      parts.double.fail(fault);
      const { failure } = await spokenAudio(ttsOf(parts.provider), { voiceId }, 'Good morning.');
      assert.equal(failure, detail);
      parts.double.fail('none');
    });
  }

  it('says in words of our own that its key is rejected', async () => {
    const other = createCartesia({ apiKey: 'sk_car_other', baseUrl: parts.double.baseUrl }, new CallTime());
    const { failure } = await spokenAudio(ttsOf(other), { voiceId }, 'Hello.');
    assert.equal(failure, 'HTTP 401 of cartesia');
    await other.close?.();
  });
});
