import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findingsHere, findingsOfCheck } from '../../dashboard/src/flow/findings.ts';
import {
  addSkill,
  connect,
  type Flow,
  flowIn,
  newSkill,
  removeSkill,
  rename,
  skillTypes,
  startOf,
  waysOf,
} from '../../dashboard/src/flow/flow.ts';
import { wayLabel } from '../../dashboard/src/flow/skill-preview.ts';
import type { FlowTexts } from '../../dashboard/src/flow/texts.ts';
import { skillSchema } from '../../src/contract/agents/settings/flow.ts';

const flow: Flow = {
  skills: [
    {
      id: 'greet',
      type: 'choose',
      text: 'Hello. A booking?',
      routes: [{ when: ['yes'], next: 'day' }],
      otherwise: 'bye',
    },
    { id: 'day', type: 'ask', text: 'Which day?', variable: 'day', as: 'date', next: 'done', otherwise: 'bye' },
    { id: 'done', type: 'end', text: 'See you on {{day}}.' },
    { id: 'bye', type: 'end', text: 'Goodbye.' },
  ],
  anytime: [{ when: ['stop'], next: 'bye' }],
};

describe('a flow in the dashboard', () => {
  it('is read only if it is a list of skills', () => {
    assert.equal(flowIn({ flow }), flow);
    for (const broken of [undefined, null, [], {}, { skills: {} }, { skills: [1] }, { skills: [{ id: 'a' }] }]) {
      assert.equal(flowIn({ flow: broken }), null);
    }
  });

  it('has every type of skill of the contract, with the ways out of it', () => {
    const contract = new Map(skillSchema.options.map(({ shape }) => [shape.type.value, Object.keys(shape)]));
    assert.deepEqual([...skillTypes].sort(), [...contract.keys()].sort());
    for (const type of skillTypes) {
      const wanted = contract.get(type)?.filter((field) => field === 'next' || field === 'otherwise');
      const ends = waysOf({ id: 'a', type }).map(({ path }) => path);
      assert.deepEqual(ends, wanted, type);
    }
    assert.deepEqual(newSkill('transfer', new Set(['transfer_1'])), {
      id: 'transfer_2',
      type: 'transfer',
      transfer: '',
    });
  });

  it('leads a route to another skill, and nowhere', () => {
    assert.deepEqual(connect(flow, 0, 'routes.0.next', 'done').skills[0]?.routes, [{ when: ['yes'], next: 'done' }]);
    const { skills } = connect(flow, 1, 'otherwise', '');
    assert.equal('otherwise' in (skills[1] ?? {}), false);
    assert.deepEqual(Object.keys(connect(flow, 1, 'next', 'bye').skills[1] ?? {}), Object.keys(flow.skills[1] ?? {}));
  });

  it('keeps its routes when a skill is renamed, and cuts them when it is removed', () => {
    const renamed = rename(flow, 3, 'goodbye');
    assert.equal(renamed.skills[0]?.otherwise, 'goodbye');
    assert.equal(renamed.skills[1]?.otherwise, 'goodbye');
    assert.deepEqual(renamed.anytime, [{ when: ['stop'], next: 'goodbye' }]);
    const removed = removeSkill(flow, 1);
    assert.deepEqual(removed.skills[0]?.routes, [{ when: ['yes'] }]);
    assert.equal(removed.skills.length, 3);
  });

  it('gets a new skill where the selected one leads nowhere', () => {
    const open = connect(flow, 1, 'next', '');
    const { flow: added, position } = addSkill(open, 'say', 1);
    assert.equal(position, 4);
    assert.equal(added.skills[4]?.id, 'say_1');
    assert.equal(added.skills[1]?.next, 'say_1');
    assert.equal(addSkill(added, 'say', null).flow.skills[5]?.id, 'say_2');
  });

  it('has the same problems here as at the service', () => {
    assert.deepEqual(findingsHere(flow, undefined), []);
    const broken = connect(flow, 0, 'routes.0.next', 'nowhere');
    const found = findingsHere(broken, undefined).map(({ skill, path, message }) => [skill, path, message]);
    assert.deepEqual(found, [
      [0, 'routes.0.next', 'is not the id of a skill'],
      [1, '', 'cannot be reached: no route leads to it'],
      [2, '', 'cannot be reached: no route leads to it'],
    ]);
    assert.equal(startOf(flow, 'day'), 1);
    assert.equal(findingsHere(flow, 'day')[0]?.skill, 0, 'nothing leads to the old start');
    const finding = { field: 'agentSettings', path: 'flow.skills.2.text', message: 'x' };
    const other = { field: 'webhookEvents', path: '0', message: 'x' };
    assert.deepEqual(findingsOfCheck({ errors: [finding, other], warnings: [] }), [
      { skill: 2, path: 'text', message: 'x', isWarning: false },
    ]);
  });

  it('shows conditions in words and signs', () => {
    const leaf = (op: string, value: unknown) => ({ field: 'collectedVariables.rating', op, value });
    const texts = {
      and: ' and ',
      or: ' or ',
      not: (condition: string) => `not (${condition})`,
      isKnown: (name: string) => `${name} is known`,
      isUnknown: (name: string) => `${name} is not known`,
      op_startsWith: 'starts with',
      value_true: 'yes',
    } as FlowTexts;
    const shown = (condition: unknown) =>
      wayLabel({ id: 'a', type: 'branch', routes: [{ if: condition }] }, 'routes.0.next', texts);
    assert.equal(shown(leaf('gte', 9)), 'rating ≥ 9');
    assert.equal(shown(leaf('eq', true)), 'rating = yes');
    assert.equal(shown(leaf('startsWith', 'A')), 'rating starts with "A"');
    assert.equal(shown({ any: [leaf('lt', 0), leaf('gt', 10)] }), 'rating < 0 or rating > 10');
    assert.equal(shown({ not: leaf('exists', true) }), 'not (rating is known)');
    assert.equal(shown({ all: [leaf('exists', false), leaf('ne', 'x')] }), 'rating is not known and rating ≠ "x"');
    assert.equal(shown({}), '…');
  });
});
