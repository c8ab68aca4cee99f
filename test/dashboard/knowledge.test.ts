import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { attachedDefaults, attachedIn, maxAttachedBases, withBases } from '../../dashboard/src/knowledge/attached.ts';
import {
  isPageUrl,
  maxFileBytes,
  maxTextCharacters,
  repetitionOf,
  synonymsIn,
  synonymText,
  toneOf,
} from '../../dashboard/src/knowledge/documents.ts';
import { maxQuestions, questionsIn } from '../../dashboard/src/knowledge/evaluation.ts';
import { highlighted } from '../../dashboard/src/knowledge/highlight.ts';
import { documentNames } from '../../dashboard/src/pages/knowledge/texts.ts';
import * as attached from '../../src/contract/agents/settings/knowledge.ts';
import * as contract from '../../src/contract/knowledge/document.ts';

import { evaluateBody } from '../../src/contract/knowledge/search.ts';

describe('knowledge in the dashboard', () => {
  it('highlights in the original spelling, and joins what overlaps or touches', () => {
    const marks = (text: string, ...places: [number, number][]) =>
      highlighted(
        text,
        places.map(([start, end]) => ({ start, end })),
      )
        .map((part) => (part.isHit ? `[${part.text}]` : part.text))
        .join('');
    assert.equal(marks('返品は30日以内です。', [0, 2], [3, 6]), '[返品]は[30日]以内です。');
    assert.equal(marks('ＶＩＰ会員', [3, 5], [0, 2], [1, 4]), '[ＶＩＰ会員]');
    assert.equal(marks('abc'), 'abc');
    assert.equal(marks('abc', [2, 9], [5, 5]), 'ab[c]');
    assert.equal(marks('', [0, 1]), '');
  });

  it('knows the limits, error codes and warnings of the contract, in both languages', () => {
    assert.deepEqual([maxFileBytes, maxTextCharacters], [contract.maxFileBytes, contract.maxTextCharacters]);
    const codes = [
      ...contract.documentStatuses,
      ...contract.documentTypes,
      ...contract.documentErrorCodes,
      ...contract.documentWarningCodes,
    ];
    for (const names of [documentNames.en, documentNames.ja]) {
      assert.deepEqual(Object.keys(names).sort(), [...new Set(codes)].sort());
    }
  });

  it('offers to repeat only what can succeed', () => {
    const error = (retryable: boolean) => ({ code: 'timeout' as const, message: '', retryable });
    const of = (
      type: 'url' | 'file' | 'text',
      status: 'ready' | 'failed' | 'fetching',
      isRetryable = false,
      revision = 0,
    ) => repetitionOf({ type, status, error: status === 'failed' ? error(isRetryable) : null, revision });
    assert.equal(of('url', 'ready'), 'refresh');
    assert.equal(of('url', 'failed'), 'retry');
    assert.equal(of('file', 'failed', true, 1), 'retry');
    assert.equal(of('file', 'failed', true), null, 'its content is gone');
    assert.equal(of('file', 'failed', false, 1), null);
    assert.equal(of('text', 'ready', false, 1), null);
    assert.equal(of('url', 'fetching'), null);
  });

  it('shows a failed refresh as a warning while the former content is searched', () => {
    assert.equal(toneOf({ status: 'failed', revision: 0 }), 'bad');
    assert.equal(toneOf({ status: 'failed', revision: 3 }), 'warn');
    assert.equal(toneOf({ status: 'indexing', revision: 3 }), 'quiet');
  });

  it('reads synonyms as people type them', () => {
    assert.deepEqual(synonymsIn('犬、猫，ペット\n\nWi-Fi, ワイファイ ,Wi-Fi\nalone\n'), [
      ['犬', '猫', 'ペット'],
      ['Wi-Fi', 'ワイファイ'],
    ]);
    assert.deepEqual(synonymsIn(synonymText([['a', 'b']])), [['a', 'b']]);
  });

  it('changes the bases of an agent and keeps its other settings', () => {
    const settings = { tools: [], knowledge: { bases: [{ id: 'kb_1' }], limit: 3 } };
    assert.deepEqual(attachedIn(settings), { ...attachedDefaults, ids: ['kb_1'], limit: 3 });
    assert.deepEqual(withBases(settings, ['kb_1', 'kb_2']), {
      tools: [],
      knowledge: { bases: [{ id: 'kb_1' }, { id: 'kb_2' }], limit: 3 },
    });
    assert.deepEqual(withBases(settings, []), { tools: [] });
    assert.deepEqual(withBases({}, ['kb_1']), { knowledge: { bases: [{ id: 'kb_1' }] } });
    for (const knowledge of [null, 1, [], {}, { bases: ['kb_1'] }, { bases: [null] }]) {
      assert.equal(attachedIn({ knowledge }), null);
    }
  });

  it('tests a question with what applies to an agent', () => {
    const { limit, minScore, minSemanticScore } = attached.knowledgeDefaults;
    assert.deepEqual(attachedDefaults, { limit, minScore, minSemanticScore });
    assert.equal(maxAttachedBases, attached.maxAttachedBases);
  });

  it('reads questions for an evaluation from CSV and from the cells of a table', () => {
    const text = 'query,expected\n返したい,返品について\n\n"Hi, ""you"", open?" , hours.md, faq.md\nlost\tlost.md\n';
    assert.deepEqual(questionsIn(text), {
      questions: [
        { query: '返したい', expected: ['返品について'] },
        { query: 'Hi, "you", open?', expected: ['hours.md', 'faq.md'] },
        { query: 'lost', expected: ['lost.md'] },
      ],
      badLine: null,
    });
    assert.equal(questionsIn('a,b\nonly a question').badLine, 2);
    assert.equal(questionsIn('a,').badLine, 1);
    const isAccepted = (count: number) =>
      evaluateBody.shape.questions.safeParse(Array(count).fill({ query: 'a', expected: ['b'] })).success;
    assert.deepEqual([isAccepted(maxQuestions), isAccepted(maxQuestions + 1)], [true, false]);
  });

  it('takes addresses of pages only', () => {
    assert.equal(isPageUrl('https://shop.example.com/faq'), true);
    for (const text of ['', 'shop.example.com', 'ftp://a.example', 'https://', 'javascript:alert(1)']) {
      assert.equal(isPageUrl(text), false, text);
    }
  });
});
