import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bannerText } from '../../src/process/banner.ts';

describe('the banner', () => {
  const banner = {
    host: '127.0.0.1',
    port: 8080,
    database: { engine: 'sqlite', file: '/data/voice.db' },
    firstKey: null,
    isOwnKey: false,
  } as const;

  it('names the host of a connected model, and never its key', () => {
    const llm = { baseUrl: 'http://127.0.0.1:11434/v1', apiKey: 'sk-secret', modelMap: new Map() };
    const text = bannerText({ ...banner, llm });
    assert.match(text, /^ {2}Model {6}127\.0\.0\.1:11434$/m);
    assert.ok(!text.includes('sk-secret'));
    assert.doesNotMatch(bannerText({ ...banner, llm: null }), /Model/);
  });
});
