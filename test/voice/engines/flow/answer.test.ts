import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Flow, flowSchema } from '../../../../src/contract/agents/settings/flow.ts';
import { exploreFlow } from '../../../../src/voice/engines/flow/explore.ts';
import { flowIssues } from '../../../../src/voice/engines/flow/validate.ts';
import { settingsWith, startChat } from '../../knowledge/chat.ts';
import { type FakeKnowledgeOptions, hit } from '../../knowledge/fake-knowledge.ts';
import { simulate } from '../../simulated-call.ts';

const skills = [
  { id: 'ask', type: 'answer', text: 'What is your question?', next: 'more', otherwise: 'unknown' },
  { id: 'more', type: 'answer', next: 'more', otherwise: 'unknown' },
  { id: 'unknown', type: 'say', text: 'I do not know.', next: 'bye' },
  { id: 'bye', type: 'end', text: 'Goodbye.' },
] as const;
const anytime = [{ when: ['goodbye'], next: 'bye' }];
const flow: Flow = flowSchema.parse({ skills, anytime });
const engine = { responseEngine: { type: 'conversation_flow' }, beginMessage: null } as const;

const faq = (number: number, fields = {}) => hit(number, { answer: `Answer ${number}, {{word}} for word.`, ...fields });

function faqChat(knowledge: FakeKnowledgeOptions, minScore?: number) {
  const own = { ...flow, skills: flow.skills.map((skill) => (skill.id === 'ask' ? { ...skill, minScore } : skill)) };
  const chat = startChat({ ...engine, ...settingsWith({}, { flow: own }) }, { knowledge, hasModel: false });
  chat.clock.advance(1000);
  return chat;
}

describe('the skill answer', () => {
  it('says the answer of the best question word for word, with its source, and goes on', () => {
    const chat = faqChat({ hits: [hit(1), faq(2), faq(3)] });
    const turn = chat.say('Can I return the bag?');
    assert.deepEqual(
      [turn?.text, turn?.sources.map(({ chunkId }) => chunkId)],
      ['Answer 2, {{word}} for word.', ['chk_2']],
    );
    assert.deepEqual(chat.knowledge.queries, [{ words: 'Can I return the bag?', previous: null, answersOnly: true }]);
    assert.equal(chat.say('And the shoes?')?.text, 'Answer 2, {{word}} for word.');
    assert.equal(chat.knowledge.queries[1]?.previous, null);
    assert.equal(chat.eventsOf('knowledge_searched').length, 2);
    assert.deepEqual(
      chat.turns.map(({ text }) => text),
      [
        'What is your question?',
        'Can I return the bag?',
        'Answer 2, {{word}} for word.',
        'And the shoes?',
        'Answer 2, {{word}} for word.',
      ],
    );
  });

  it('goes on with otherwise if nothing is good enough', () => {
    const weak = faq(1, { score: 1, lexicalScore: 0.19 });
    const cases: [FakeKnowledgeOptions, number | undefined, boolean][] = [
      [{ hits: [weak] }, undefined, false],
      [{ hits: [weak] }, 0.1, true],
      [{ hits: [{ ...weak, semanticScore: 0.5 }] }, undefined, true],
      [{ hits: [{ ...weak, semanticScore: 0.3 }] }, undefined, false],
      [{ hits: [hit(1)] }, undefined, false],
      [{ isFailing: true }, undefined, false],
      [{ lexicalMs: null }, undefined, false],
    ];
    for (const [knowledge, minScore, isAnswered] of cases) {
      const chat = faqChat(knowledge, minScore);
      const turn = chat.say('Can I return the bag?');
      assert.equal(turn?.text, isAnswered ? 'Answer 1, {{word}} for word.' : 'I do not know. Goodbye.');
      assert.equal(turn.sources.length, isAnswered ? 1 : 0);
    }
  });

  it('cuts an answer of more than 2,000 characters', () => {
    const chat = faqChat({ hits: [hit(1, { answer: 'A sentence. '.repeat(300) })] });
    const { text = '' } = chat.say('Why?') ?? {};
    assert.ok(text.length > 1900 && text.length <= 2000);
  });

  it('lets phrases that can be said at any time pass first, and gives a moment', () => {
    const chat = faqChat({ hits: [faq(1)] });
    chat.say('One moment please.');
    assert.equal(chat.turns.at(-1)?.text, 'Of course, take your time.');
    assert.equal(chat.say('goodbye')?.text, 'Goodbye.');
    assert.equal(chat.knowledge.queries.length, 0);
  });

  it('finds nothing in a simulation', () => {
    const fields = { ...engine, language: 'en', ...settingsWith({}, { flow }) };
    simulate(fields, ['expect agent says /question/', 'say "Can I return it?"', 'expect agent says /do not know/']);
  });

  it('needs knowledge bases', () => {
    const context = { toolNames: [], variableNames: [], language: 'en' };
    assert.deepEqual(flowIssues(flow, { ...context, hasKnowledge: true }).errors, []);
    assert.deepEqual(
      flowIssues(flow, context).errors.map(({ path }) => path.join('.')),
      ['agentSettings.flow.skills.0.type', 'agentSettings.flow.skills.1.type'],
    );
  });

  it('is explored in both directions', () => {
    const { findings, coverage } = exploreFlow(flow, { language: 'en', now: 0 });
    assert.deepEqual(coverage.notTaken, []);
    assert.deepEqual(findings, []);
  });

  it('hands over to a prompt skill, which searches for itself', () => {
    const mixed = {
      skills: [
        { id: 'ask', type: 'answer', text: 'Yes?', next: 'ask', otherwise: 'model' },
        { id: 'model', type: 'prompt', prompt: 'Help.' },
      ],
    };
    const chat = startChat(
      { ...engine, ...settingsWith({}, { flow: mixed }) },
      { knowledge: { hits: ({ answersOnly }) => (answersOnly === true ? [] : [hit(1)]) } },
    );
    chat.clock.advance(1000);
    const turn = chat.say('Can I return the bag?');
    assert.deepEqual([turn?.text, turn?.sources.length], ['Ok.', 1]);
    assert.equal(chat.requests[0]?.messages.filter((message) => 'isKnowledge' in message).length, 1);
    assert.deepEqual(
      chat.eventsOf('knowledge_searched').map(({ results }) => results),
      [0, 1],
    );
  });
});
