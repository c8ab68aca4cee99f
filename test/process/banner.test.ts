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

  it('has a link that opens the dashboard signed in, unless the operator has chosen the key', () => {
    const firstKey = { secret: 'vak_1', workspaceId: 'ws_1', workspaceName: 'default', signInCode: 'abc' };
    const text = bannerText({ ...banner, host: '0.0.0.0', llm: null, firstKey });
    assert.match(text, /^ {2}http:\/\/127\.0\.0\.1:8080\/#sign-in=abc$/m);
    const own = { ...firstKey, signInCode: null };
    assert.doesNotMatch(bannerText({ ...banner, llm: null, firstKey: own, isOwnKey: true }), /sign-in/);
  });
});
