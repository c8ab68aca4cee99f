import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { askedTemplate, templateExamples, templatesIn } from '../../dashboard/src/pages/new-agent/template-order.ts';

describe('the templates of a new agent', () => {
  it('are examples in the language under which they are offered, with a voice of a fresh install', () => {
    for (const [name, examples] of Object.entries(templateExamples)) {
      for (const [language, example] of Object.entries(examples)) {
        if (example === null) continue;
        const own = `examples/${example}/agent-${language}.yaml`;
        const file = existsSync(own) ? own : `examples/${example}/agent.yaml`;
        const { language: written = 'ja-JP', voiceId } = parse(readFileSync(file, 'utf8'));
        assert.equal(written.slice(0, 2), language, name);
        assert.equal(voiceId, language === 'ja' ? 'mei' : 'slt', file);
      }
    }
  });

  it('exist in both languages, except the smallest, and end with blank', () => {
    const english = templatesIn('en');
    assert.deepEqual(
      templatesIn('ja'),
      english.filter((name) => name !== 'opening-hours'),
    );
    assert.deepEqual([english[0], english.at(-1)], ['reception', 'blank']);
  });

  it('are chosen by the address, also by links of earlier versions', () => {
    const asked = (query: string, shown: 'en' | 'ja') => askedTemplate(new URLSearchParams(query), shown);
    assert.deepEqual(asked('', 'ja'), { name: 'reception', language: 'ja' });
    assert.deepEqual(asked('template=survey&language=ja', 'en'), { name: 'survey', language: 'ja' });
    assert.deepEqual(asked('template=opening-hours', 'ja'), { name: 'opening-hours', language: 'en' });
    assert.deepEqual(asked('template=salon', 'en'), { name: 'reception', language: 'ja' });
    assert.deepEqual(asked('template=toString&language=xx', 'en'), { name: 'reception', language: 'en' });
  });
});
