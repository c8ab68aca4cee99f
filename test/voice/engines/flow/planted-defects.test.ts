import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flowSchema } from '../../../../src/contract/agents/settings/flow.ts';
import type { FindingKind } from '../../../../src/voice/engines/flow/explore/findings.ts';
import { exploreFlow } from '../../../../src/voice/engines/flow/explore.ts';
import { now } from './phone-call.ts';
import { salonFlow } from './salon-flow.ts';

type Routes = { when?: string[]; if?: unknown; next: string }[];

const end = { id: 'end', type: 'end', text: 'ありがとうございました。' };
const person = { id: 'person', type: 'end', text: '担当者に代わります。' };

function choose(id: string, routes: Routes, otherwise = 'person') {
  return { id, type: 'choose', text: `${id}ですか。`, routes, otherwise };
}

function ask(id: string, as: string, next: string, fields: object = {}) {
  return { id, type: 'ask', text: `${id}をどうぞ。`, variable: id, as, next, otherwise: 'person', ...fields };
}

function branch(id: string, routes: Routes, otherwise = 'person') {
  return { id, type: 'branch', routes, otherwise };
}

function is(variable: string, value: unknown, op = 'eq') {
  return { field: `collectedVariables.${variable}`, op, value };
}

const lookUp = { id: 'look', type: 'tool', tool: 'look', arguments: {}, next: 'check', otherwise: 'person' };
const menu: Routes = [
  { when: ['予約'], next: 'end' },
  { when: ['変更'], next: 'person' },
];
const options = (first: string[], second: string[]) => ({
  options: [
    { value: 'cut', say: first },
    { value: 'perm', say: second },
  ],
});

interface Planted {
  readonly defect: string;
  readonly flow: { readonly skills: readonly object[]; readonly anytime?: readonly object[] };
  readonly startSkillId?: string;
  readonly finding: FindingKind;
  readonly at: string;
}

const planted: Planted[] = [
  {
    defect: 'a question that leads to itself only',
    flow: { skills: [ask('name', 'text', 'name', { otherwise: 'name' })] },
    finding: 'dead_end',
    at: 'skills.0',
  },
  {
    defect: 'two menus that lead to each other only',
    flow: {
      skills: [
        choose('first', [
          { when: ['終わり'], next: 'end' },
          { when: ['次'], next: 'second' },
        ]),
        choose('second', [{ when: ['次'], next: 'third' }], 'third'),
        choose('third', [{ when: ['前'], next: 'second' }], 'second'),
        end,
        person,
      ],
    },
    finding: 'dead_end',
    at: 'skills.1',
  },
  {
    defect: 'a skill that nothing leads to',
    flow: { skills: [choose('menu', menu), end, person, ask('name', 'text', 'end')] },
    finding: 'unreachable_skill',
    at: 'skills.3',
  },
  {
    defect: 'two skills that only lead to each other',
    flow: { skills: [choose('menu', menu), end, person, ask('a', 'text', 'b'), ask('b', 'text', 'a')] },
    finding: 'unreachable_skill',
    at: 'skills.4',
  },
  {
    defect: 'a greeting before the start',
    flow: {
      skills: [{ id: 'greet', type: 'say', text: 'こんにちは。', next: 'menu' }, choose('menu', menu), end, person],
    },
    startSkillId: 'menu',
    finding: 'unreachable_skill',
    at: 'skills.0',
  },
  {
    defect: 'a menu that asks forever',
    flow: { skills: [choose('menu', menu, 'menu'), end, person] },
    finding: 'endless_retry',
    at: 'skills.0',
  },
  {
    defect: 'two questions that hand over to each other',
    flow: {
      skills: [
        ask('day', 'date', 'end', { otherwise: 'hour' }),
        ask('hour', 'number', 'end', { otherwise: 'day' }),
        end,
      ],
    },
    finding: 'endless_retry',
    at: 'skills.0',
  },
  {
    defect: 'a tool that fails back into the question',
    flow: {
      skills: [ask('name', 'date', 'end', { otherwise: 'look' }), { ...lookUp, next: 'end', otherwise: 'name' }, end],
    },
    finding: 'endless_retry',
    at: 'skills.0',
  },
  {
    defect: 'a route with the phrases of an earlier one',
    flow: {
      skills: [choose('menu', [...menu, { when: ['予約'], next: 'end' }]), end, person],
    },
    finding: 'route_never_taken',
    at: 'skills.0.routes.2',
  },
  {
    defect: 'a route whose words a longer match takes',
    flow: {
      skills: [
        choose('menu', [
          { when: ['/.*予約.*/'], next: 'person' },
          { when: ['新しい予約', '予約'], next: 'end' },
        ]),
        end,
        person,
      ],
    },
    finding: 'route_never_taken',
    at: 'skills.0.routes.1',
  },
  {
    defect: 'a route whose words are taken at any time',
    flow: {
      skills: [choose('menu', [...menu, { when: ['担当者の変更'], next: 'end' }]), end, person],
      anytime: [{ when: ['担当者'], next: 'person' }],
    },
    finding: 'route_never_taken',
    at: 'skills.0.routes.2',
  },
  {
    defect: 'a phrase that another route takes',
    flow: {
      skills: [
        choose('menu', [
          { when: ['/よやく|予約/'], next: 'person' },
          { when: ['予約', '新規'], next: 'end' },
        ]),
        end,
        person,
      ],
    },
    finding: 'phrase_never_matched',
    at: 'skills.0.routes.1.when.0',
  },
  {
    defect: 'an anytime route behind an equal one',
    flow: {
      skills: [choose('menu', menu), end, person],
      anytime: [
        { when: ['もう一度'], repeat: true },
        { when: ['もう一度'], next: 'end' },
      ],
    },
    finding: 'route_never_taken',
    at: 'anytime.1',
  },
  {
    defect: 'an option with the phrases of another',
    flow: { skills: [ask('style', 'choice', 'end', options(['カット', 'ヘア'], ['ヘア'])), end, person] },
    finding: 'option_never_understood',
    at: 'skills.0.options.1',
  },
  {
    defect: 'an option that is taken at any time',
    flow: {
      skills: [ask('style', 'choice', 'end', options(['カット'], ['パーマ'])), end, person],
      anytime: [{ when: ['パーマ'], next: 'person' }],
    },
    finding: 'option_never_understood',
    at: 'skills.0.options.1',
  },
  {
    defect: 'a condition on another type',
    flow: {
      skills: [ask('ok', 'yes_no', 'check'), branch('check', [{ if: is('ok', 'yes'), next: 'end' }]), person, end],
    },
    finding: 'route_never_taken',
    at: 'skills.1.routes.0',
  },
  {
    defect: 'a condition that contradicts itself',
    flow: {
      skills: [
        ask('count', 'number', 'check'),
        branch('check', [{ if: { all: [is('count', 5, 'gt'), is('count', 3, 'lt')] }, next: 'end' }]),
        person,
        end,
      ],
    },
    finding: 'route_never_taken',
    at: 'skills.1.routes.0',
  },
  {
    defect: 'a condition behind one that is true whenever it is',
    flow: {
      skills: [
        ask('count', 'number', 'check'),
        branch('check', [
          { if: is('count', 2, 'gte'), next: 'end' },
          { if: is('count', 4, 'gte'), next: 'person' },
        ]),
        person,
        end,
      ],
    },
    finding: 'route_never_taken',
    at: 'skills.1.routes.1',
  },
  {
    defect: 'texts that follow each other forever',
    flow: {
      skills: [
        choose('menu', [...menu, { when: ['案内'], next: 'a' }]),
        { id: 'a', type: 'say', text: 'あ。', next: 'b' },
        { id: 'b', type: 'say', text: 'い。', next: 'a' },
        end,
        person,
      ],
    },
    finding: 'loop_without_listening',
    at: 'skills.1',
  },
  {
    defect: 'a tool that is called again until it finds something',
    flow: { skills: [lookUp, branch('check', [{ if: is('found', true), next: 'end' }], 'look'), end, person] },
    finding: 'loop_without_listening',
    at: 'skills.0',
  },
];

function explore({ flow, startSkillId }: Pick<Planted, 'flow' | 'startSkillId'>) {
  return exploreFlow(flowSchema.parse(flow), { language: 'ja', now, startSkillId });
}

describe('the exploration of a flow', () => {
  it('has 20 planted defects to find', () => assert.equal(planted.length, 20));

  for (const each of planted) {
    it(`finds ${each.defect}, and nothing else`, () => {
      const { findings } = explore(each);
      const found = findings.map(({ kind, path }) => `${kind} ${path.join('.')}`);
      assert.ok(found.includes(`${each.finding} ${each.at}`), found.join(', ') || 'nothing found');
      assert.deepEqual(new Set(findings.map(({ kind }) => kind)), new Set([each.finding]));
    });
  }

  const clean: [string, Planted['flow']][] = [
    ['the salon', salonFlow],
    ['a menu', { skills: [choose('menu', menu), end, person] }],
    [
      'a condition on what a tool has found',
      { skills: [lookUp, branch('check', [{ if: is('found', true), next: 'end' }]), end, person] },
    ],
    [
      'conditions on variables and metadata of the call',
      {
        skills: [
          branch('vip', [
            { if: { field: 'variables.plan', op: 'eq', value: 'gold' }, next: 'person' },
            { if: { not: { field: 'metadata.source', op: 'exists', value: false } }, next: 'end' },
          ]),
          person,
          end,
        ],
      },
    ],
    [
      'a question with options, a read-back and every kind of answer',
      {
        skills: [
          ask('style', 'choice', 'q1', { ...options(['カット'], ['パーマ', '/ぱーま?/']), confirm: true }),
          ...['text', 'yes_no', 'number', 'digits', 'date', 'phone', 'email', 'postal_code'].map((as, index) =>
            ask(`q${index + 1}`, as, `q${index + 2}`, { confirm: index % 2 === 0 }),
          ),
          ask('q9', 'time', 'end', { within: ['09:00', '20:00'] }),
          end,
          person,
        ],
      },
    ],
    [
      'a prompt',
      {
        skills: [
          {
            id: 'talk',
            type: 'prompt',
            prompt: 'x',
            routes: [{ name: 'leave', description: 'x', next: 'end' }],
            next: 'person',
          },
          end,
          person,
        ],
      },
    ],
  ];
  for (const [name, flow] of clean) {
    it(`finds nothing in ${name}`, () => {
      const { findings, coverage, isComplete } = explore({ flow });
      assert.deepEqual(findings, []);
      assert.deepEqual(coverage.notTaken, []);
      assert.equal(coverage.percent, 100);
      assert.equal(isComplete, true);
    });
  }

  it('has the longest path and the shortest script to each end', () => {
    const { longestPath, ends } = explore({ flow: salonFlow });
    assert.deepEqual(longestPath, ['greet', 'day', 'hour', 'confirm', 'decide', 'book', 'done']);
    assert.deepEqual(
      ends.map(({ skill }) => skill),
      ['person', 'done'],
    );
    assert.deepEqual(ends[0]?.script.steps, [
      'expect agent says /お電話ありがとうございます。ご予約ですか、変更ですか。/',
      'say "担当者"',
      'expect agent says /担当者から折り返しお電話いたします。/',
      'expect end agent_hangup',
    ]);
    const done = ends[1]?.script;
    assert.deepEqual(done?.tools, { book: [{ result: {} }] });
    assert.deepEqual(
      done?.steps.filter((step) => step.startsWith('say')),
      ['say "予約"', 'say "明日"', 'say "15時"', 'say "はい"'],
    );
    assert.ok(done?.steps.includes('expect tool book {"day":"2026-11-17","hour":"15:00"}'));
  });

  it('walks 200 skills in less than a second', () => {
    const kinds = ['date', 'time', 'number', 'phone', 'yes_no', 'text'];
    const skills = [
      ...Array.from({ length: 99 }, (_, index) => [
        ask(`q${index}`, kinds[index % kinds.length] as string, `c${index}`, { confirm: index % 3 === 0 }),
        choose(`c${index}`, [
          { when: ['次', '進む'], next: index === 98 ? 'end' : `q${index + 1}` },
          { when: ['戻る', '前'], next: `q${index}` },
        ]),
      ]).flat(),
      end,
      person,
    ];
    const flow = {
      skills,
      anytime: [
        { when: ['もう一度'], repeat: true },
        { when: ['担当者'], next: 'person' },
      ],
    };
    explore({ flow });
    const start = process.cpuUsage();
    const { findings, coverage } = explore({ flow });
    const { user, system } = process.cpuUsage(start);
    assert.deepEqual(findings, []);
    assert.equal(coverage.percent, 100);
    // The target is 1 s, which `npm run bench` measures.
    assert.ok((user + system) / 1000 < 5000, `${(user + system) / 1000} ms`);
  });
});
