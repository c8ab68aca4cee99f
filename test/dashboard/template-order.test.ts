import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { templateLanguages, templateOrder } from '../../dashboard/src/pages/new-agent/template-order.ts';

const provider = (languages: string[]) => ({
  name: 'embedded',
  configured: true,
  capabilities: ['stt', 'tts'] as ('stt' | 'tts')[],
  languages,
  automatic: true,
});

describe('the order of templates', () => {
  it('knows the language of every example', () => {
    for (const [name, language] of Object.entries(templateLanguages)) {
      if (language === null) continue;
      const { language: written = 'ja-JP' } = parse(readFileSync(`examples/${name}/agent.yaml`, 'utf8'));
      assert.equal(language, written, name);
    }
  });

  it('offers first what the service can talk to, and blank last', () => {
    assert.deepEqual(templateOrder([provider(['en'])]), ['opening-hours', 'faq-desk', 'survey', 'salon', 'blank']);
    assert.deepEqual(templateOrder([provider(['ja'])]), ['salon', 'opening-hours', 'faq-desk', 'survey', 'blank']);
    assert.deepEqual(templateOrder([]), ['opening-hours', 'faq-desk', 'survey', 'salon', 'blank']);
  });
});
