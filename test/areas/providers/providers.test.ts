import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSpeechProviders } from '../../../src/voice/providers/registry.ts';
import type { SpeechProvider } from '../../../src/voice/providers/speech-provider.ts';
import type { TtsOptions } from '../../../src/voice/speech-ports.ts';
import { send } from '../../support/client.ts';
import { sqliteEngine } from '../../support/engines.ts';
import { startService, useService } from '../../support/service.ts';

const body = { provider: 'parrot', voiceId: 'polly', language: 'fr-CA', text: 'Bonjour.' };

/** A voice that answers with as many samples as the text has characters, or fails. */
function parrot(opened: TtsOptions[], { fails = false } = {}): SpeechProvider {
  return {
    name: 'parrot',
    configured: true,
    capabilities: ['tts'],
    languages: ['fr'],
    automatic: true,
    voices: async () => [{ provider: 'parrot', voiceId: 'polly', name: 'Polly', languages: ['fr-FR'] }],
    tts: (language) =>
      language.startsWith('fr')
        ? {
            name: 'parrot',
            notApplied: ({ voiceId }) =>
              voiceId === 'polly' ? [] : [{ field: 'voiceId' as const, reason: 'not_supported' as const }],
            open: (options, events) => {
              opened.push(options);
              return {
                say: (text) => {
                  if (fails) return events.failed('HTTP 500 of the parrot, key abc');
                  if (/\p{L}/u.test(text)) events.audio(Int16Array.from(text, (_, index) => index));
                  events.done();
                },
                cancel: () => {},
              };
            },
          }
        : null,
  };
}

function speechWith(...others: SpeechProvider[]) {
  return createSpeechProviders({ models: '/nowhere', programPath: '', isPreloaded: false, others });
}

describe('providers and voices', () => {
  const opened: TtsOptions[] = [];
  const closed: SpeechProvider = {
    name: 'closed',
    configured: false,
    capabilities: ['stt', 'tts'],
    languages: [],
    automatic: true,
    voices: async () => [{ provider: 'closed', voiceId: 'x', name: 'X', languages: [] }],
  };
  const service = useService(sqliteEngine(), { speech: speechWith(parrot(opened), closed) });
  const get = async (path: string) => {
    const { key } = await service.newKey({ scopes: ['calls:read'] });
    return (await send(service, 'GET', path, { key })).json;
  };
  const preview = async (fields: object) => {
    const { key } = await service.newKey({ scopes: ['calls:write'] });
    return send(service, 'POST', '/api/v1/voices/preview', { key, body: { ...body, ...fields } });
  };

  it('lists providers, also those that are not configured', async () => {
    const { items, pagination } = await get('/api/v1/providers');
    assert.deepEqual(items.slice(0, 2), [
      {
        ...{ name: 'parrot', configured: true, capabilities: ['tts'], languages: ['fr'], automatic: true },
        ...{ usedFor: ['tts'], source: 'operator', credentials: null },
      },
      {
        ...{ name: 'closed', configured: false, capabilities: ['stt', 'tts'], languages: [], automatic: true },
        ...{ usedFor: [], source: 'none', credentials: null },
      },
    ]);
    assert.deepEqual(
      items.map(({ name }: { name: string }) => name),
      ['parrot', 'closed', 'embedded', 'browser', 'test', 'embeddings'],
    );
    assert.deepEqual(pagination, { nextCursor: null });
  });

  it('lists voices of configured providers, by provider and by language whatever the region', async () => {
    const names = async (query: string) =>
      (await get(`/api/v1/voices${query}`)).items.map(({ voiceId }: { voiceId: string }) => voiceId);
    const polly = ['polly'];
    assert.deepEqual((await names('')).slice(0, 1), polly);
    assert.deepEqual(await names('?language=fr-CA'), polly);
    assert.deepEqual(await names('?provider=parrot'), polly);
    assert.deepEqual(await names('?provider=closed'), []);
    assert.deepEqual(await names('?provider=unknown'), []);
    assert.deepEqual(await names('?provider=parrot&language=en'), []);
  });

  it('previews a voice as a WAV file', async () => {
    const { key } = await service.newKey({ scopes: ['calls:write'] });
    const response = await fetch(`${service.url}/api/v1/voices/preview`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, voiceSpeed: 1.5, voiceEmotion: 'happy', voiceModel: 'v2' }),
    });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'audio/wav');
    const file = Buffer.from(await response.arrayBuffer());
    assert.equal(file.length, 44 + 2 * body.text.length);
    assert.deepEqual([file.readUInt32LE(24), file.readUInt16LE(34), file.readUInt32LE(40)], [24_000, 16, 16]);
    assert.deepEqual([file.readInt16LE(44), file.readInt16LE(46)], [0, 1]);
    assert.deepEqual(opened.at(-1), {
      voiceId: 'polly',
      model: 'v2',
      speed: 1.5,
      emotion: 'happy',
      temperature: null,
      language: 'fr-CA',
      rate: 24_000,
    });
  });

  it('chooses a configured provider for auto', async () => {
    assert.equal((await preview({ provider: 'auto' })).status, 200);
  });

  it('gets 422 for a provider or a voice that is not there, and for a text without words', async () => {
    for (const [fields, field, issue] of [
      [{ provider: 'unknown' }, 'provider', 'is not a configured provider of voices'],
      [{ provider: 'closed' }, 'provider', 'is not a configured provider of voices'],
      [{ provider: 'browser' }, 'provider', 'is not a configured provider of voices'],
      [{ language: 'de' }, 'provider', 'has no voice for this language'],
      [{ provider: 'auto', language: 'de' }, 'provider', 'has no voice for this language'],
      [{ voiceId: 'nobody' }, 'voiceId', 'is not a voice of the provider for this language'],
      [{ text: '…' }, 'text', 'is nothing that this voice can say'],
    ] as const) {
      const answer = await preview(fields);
      assert.equal(answer.status, 422, JSON.stringify(fields));
      assert.deepEqual(answer.json.error.details.fieldErrors, { [field]: [issue] });
    }
  });

  it('gets 400 for a text that is empty or too long', async () => {
    for (const text of ['', 'a'.repeat(301)]) assert.equal((await preview({ text })).status, 400);
  });

  it('gets 502 if the voice fails, without what it said about it', async () => {
    const failing = await startService(sqliteEngine(), { speech: speechWith(parrot([], { fails: true })) });
    const { key } = await failing.newKey();
    const answer = await send(failing, 'POST', '/api/v1/voices/preview', { key, body });
    assert.equal(answer.status, 502);
    assert.deepEqual(answer.json.error.details, { provider: 'parrot', providerCode: null, retryable: true });
    assert.doesNotMatch(answer.text, /abc/);
    await failing.close();
  });

  it('allows 20 previews per minute and key', async () => {
    const limited = await startService(sqliteEngine(), { speech: speechWith(parrot([])), rateLimits: { calls: null } });
    const { key } = await limited.newKey();
    const statuses: number[] = [];
    for (let count = 0; count < 21; count++) {
      statuses.push((await send(limited, 'POST', '/api/v1/voices/preview', { key, body })).status);
    }
    assert.deepEqual(statuses, [...Array(20).fill(200), 429]);
    const other = await limited.newKey();
    assert.equal((await send(limited, 'POST', '/api/v1/voices/preview', { key: other.key, body })).status, 200);
    await limited.close();
  });
});
