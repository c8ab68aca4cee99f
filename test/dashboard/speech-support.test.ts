import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { speechSupport } from '../../dashboard/src/try/spoken/speech-support.ts';
import type { Provider } from '../../sdk/src/index.ts';

const entry = (
  name: string,
  capabilities: Provider['capabilities'],
  languages: string[],
  { configured = true, automatic = true } = {},
): Provider => {
  const source = configured ? 'embedded' : 'none';
  return { name, configured, capabilities, languages, automatic, usedFor: [], source, credentials: null };
};

/** English, and a voice for Japanese. */
const providers: Provider[] = [
  entry('deepgram', ['stt'], [], { configured: false }),
  entry('embedded', ['stt'], ['en']),
  entry('embedded', ['tts'], ['en', 'ja']),
  entry('browser', ['stt'], [], { automatic: false }),
  entry('test', ['stt', 'tts'], [], { automatic: false }),
];
const support = (fields: object, hasRecognition = false) =>
  speechSupport(providers, { language: 'ja-JP', sttProvider: 'auto', ttsProvider: 'auto', ...fields }, hasRecognition);

describe('what a call can do before it is started', () => {
  it('depends on the language, whatever its region', () => {
    assert.deepEqual(support({}), { speechIn: false, speechOut: true, unknown: [] });
    assert.deepEqual(support({ language: 'en-GB' }), { speechIn: true, speechOut: true, unknown: [] });
    assert.deepEqual(support({ language: 'fr' }), { speechIn: false, speechOut: false, unknown: [] });
  });

  it('includes no provider that calls do not choose by themselves', () => {
    const model = entry('openai', ['stt', 'tts', 'llm'], [], { automatic: false });
    const settings = { language: 'fr', sttProvider: 'auto', ttsProvider: 'auto' };
    assert.deepEqual(speechSupport([...providers, model], settings, false), {
      speechIn: false,
      speechOut: false,
      unknown: [],
    });
    const named = { ...settings, sttProvider: 'openai', ttsProvider: 'openai' };
    assert.deepEqual(speechSupport([...providers, model], named, false), {
      speechIn: true,
      speechOut: true,
      unknown: [],
    });
  });

  it('depends on the browser if that recognizes the speech', () => {
    assert.equal(support({ sttProvider: 'browser' }).speechIn, false);
    assert.equal(support({ sttProvider: 'browser' }, true).speechIn, true);
    assert.equal(support({}, true).speechIn, false, 'only if the agent says so');
  });

  it('names providers that the service does not have, or that are not configured', () => {
    assert.deepEqual(support({ sttProvider: 'deepgram', ttsProvider: 'acme' }).unknown, ['deepgram', 'acme']);
    assert.deepEqual(support({ sttProvider: 'embedded', ttsProvider: 'test' }), {
      speechIn: false,
      speechOut: true,
      unknown: [],
    });
  });
});
