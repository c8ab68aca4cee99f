import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neighborOf } from '../../dashboard/src/flow/canvas/neighbors.ts';
import {
  copiedFrom,
  copyOf,
  maxSkills,
  paste,
  placesIn,
  removeSkills,
  withoutPlaces,
  withPlaces,
} from '../../dashboard/src/flow/edits.ts';
import { findingsHere, findingsOfCheck } from '../../dashboard/src/flow/findings.ts';
import {
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
import { edited, type FlowMoment, newHistory, redone, synchronized, undone } from '../../dashboard/src/flow/history.ts';
import { nameProblem, stepsWith } from '../../dashboard/src/flow/problem-names.ts';
import { addCoverage, coverageOf, framesOf } from '../../dashboard/src/flow/simulate/walk.ts';
import { wayLabel } from '../../dashboard/src/flow/skill-preview.ts';
import type { FlowTexts } from '../../dashboard/src/flow/texts.ts';
import type { SimulationReport } from '../../sdk/src/index.ts';
import { maxSkills as contractMaxSkills, skillSchema } from '../../src/contract/agents/settings/flow.ts';

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

  it('keeps places by id, through renames and removals, and within the bounds of the contract', () => {
    const placed = withPlaces(flow, [{ x: 1.4, y: -2.6 }, { x: 1e9, y: 0 }, null, { x: 5, y: 6 }]);
    assert.deepEqual(placed.layout, { greet: { x: 1, y: -3 }, day: { x: 50_000, y: 0 }, bye: { x: 5, y: 6 } });
    assert.deepEqual(placesIn(placed), [{ x: 1, y: -3 }, { x: 50_000, y: 0 }, null, { x: 5, y: 6 }]);
    assert.deepEqual(placesIn(rename(placed, 3, 'end'))[3], { x: 5, y: 6 });
    assert.deepEqual(Object.keys(removeSkill(placed, 0).layout as object), ['day', 'bye']);
    assert.deepEqual(withoutPlaces(placed), flow);
    for (const layout of [null, [], 'x', { greet: 1 }, { greet: { x: '1', y: 2 } }]) {
      assert.deepEqual(placesIn({ ...flow, layout }), [null, null, null, null]);
    }
  });

  it('pastes copies with ids of their own, whose routes lead to each other', () => {
    const text = copyOf(flow, new Set([1, 0]), [{ x: 0, y: 0 }, null, null, null]);
    const copied = copiedFrom(text) as Flow;
    assert.deepEqual(copied.layout, { greet: { x: 0, y: 0 } });
    const { flow: pasted, positions } = paste(flow, copied, []) ?? assert.fail();
    assert.deepEqual([...positions], [4, 5]);
    assert.deepEqual(pasted.skills[4], {
      ...flow.skills[0],
      id: 'greet_2',
      routes: [{ when: ['yes'], next: 'day_2' }],
    });
    assert.deepEqual(pasted.skills[5], { ...flow.skills[1], id: 'day_2' });
    assert.equal(paste(pasted, copied, [])?.flow.skills[6]?.id, 'greet_3');
    assert.deepEqual(removeSkills(pasted, positions), flow);
    // Into another flow: what leads outside leads nowhere.
    const elsewhere = paste({ skills: [] }, copied, [])?.flow.skills[0];
    assert.equal(elsewhere !== undefined && 'otherwise' in elsewhere, false);
    assert.equal(maxSkills, contractMaxSkills);
    const many = Array.from({ length: maxSkills - 1 }, (_, index) => ({ id: `a${index}`, type: 'end' }));
    assert.equal(paste({ skills: many }, copied, []), null);
    for (const other of ['', 'Hello', '[]', '{"skills":[1]}']) assert.equal(copiedFrom(other), null);
  });

  it('undoes and redoes edits, of which letters in the same field are one', () => {
    const moment = (text: string): FlowMoment => ({ flow: { text }, startSkillId: undefined });
    let history = synchronized(newHistory, moment('a'));
    history = edited(history, moment('b'), '0 text');
    history = edited(history, moment('bc'), '0 text');
    history = edited(history, moment('bcd'), '1 text');
    const once = undone(history) ?? assert.fail();
    assert.deepEqual(once.present, moment('bc'));
    const twice = undone(once) ?? assert.fail();
    assert.deepEqual(twice.present, moment('a'));
    assert.equal(undone(twice), null);
    assert.deepEqual(redone(redone(twice) ?? assert.fail())?.present, moment('bcd'));
    // Saving it changes nothing; another person's version has no past.
    assert.equal(synchronized(once, moment('bc')), once);
    assert.deepEqual(synchronized(once, moment('x')).past, []);
    const restarted = edited(twice, moment('c'), '0 text');
    assert.equal(redone(restarted), null);
  });

  it('names a problem as people would: the step, the route, and what to do', () => {
    const labels: Readonly<Record<string, string>> = { when: 'Words', retry: 'If not understood' };
    const texts = {
      route: (number: number) => `Route ${number}`,
      otherwise: 'otherwise',
      chooseTarget: 'choose where it goes',
      noSuchStep: (id: string) => `there is no step “${id}”`,
      notReached: 'no route leads to this step',
      unnamed: '(no id)',
      fieldLabel: (name: string) => labels[name] ?? name,
    } as FlowTexts;
    const say = (message: string) => message;
    const skill = {
      ...flow.skills[0],
      routes: [{ when: [] }, { when: ['no'], next: 'gone' }],
    } as Flow['skills'][number];
    const named = (path: string, message: string) => {
      const { place, text } = nameProblem(skill, { path, message }, texts, say);
      return `${place}: ${text}`;
    };
    assert.equal(named('routes.0.next', 'is required'), 'greet · Route 1: choose where it goes');
    assert.equal(named('routes.1.next', 'is not the id of a skill'), 'greet · Route 2: there is no step “gone”');
    assert.equal(named('routes.0.when', 'must not be empty'), 'greet · Route 1 · Words: must not be empty');
    assert.equal(named('otherwise', 'is required'), 'greet · otherwise: choose where it goes');
    assert.equal(named('', 'cannot be reached: no route leads to it'), 'greet: no route leads to this step');
    assert.equal(named('retry.text', 'must not be empty'), 'greet · If not understood: must not be empty');
    const { place } = nameProblem(undefined, { path: 'next', message: 'x' }, texts, say);
    assert.equal(place, '(no id) · next');
  });

  it('finds steps by any of their words, those with a matching id first', () => {
    assert.deepEqual(stepsWith(flow, 'DAY'), [1, 2]);
    assert.deepEqual(stepsWith(flow, 'yes'), [0]);
    assert.deepEqual(stepsWith(flow, 'ｇｏｏｄ'), [3]);
    assert.deepEqual(stepsWith(flow, ' '), [0, 1, 2, 3]);
  });

  it('goes to the nearest step in the direction of an arrow key', () => {
    const places = [{ x: 0, y: 0 }, { x: 300, y: 10 }, { x: 200, y: 400 }, null];
    assert.equal(neighborOf(places, 0, 'ArrowRight'), 1);
    assert.equal(neighborOf(places, 0, 'ArrowDown'), 2);
    assert.equal(neighborOf(places, 0, 'ArrowLeft'), null);
    assert.equal(neighborOf(places, 3, 'ArrowLeft'), null);
  });

  it('walks the path of a simulation, and sums up what was taken', () => {
    const path = [
      { skillId: 'greet', route: 'retry', atMs: 1 },
      { skillId: 'greet', route: 'routes.0', atMs: 2 },
      { skillId: 'day', route: 'anytime.0', atMs: 3 },
    ];
    const routes = path.map(({ skillId, route }) => ({ skillId, route, count: 2 }));
    const report = { path, routes } as unknown as SimulationReport;
    assert.deepEqual(
      framesOf(report, flow, undefined).map(({ skillId }) => skillId),
      ['greet', 'greet', 'day', 'bye'],
    );
    assert.deepEqual(framesOf({ ...report, path: [] }, flow, 'day'), [{ skillId: 'day', route: null, atMs: 0 }]);
    const coverage = addCoverage(addCoverage(null, report), report);
    assert.equal(coverage.get('greet routes.0'), 4);
    assert.deepEqual(coverageOf(flow, coverage), { taken: 1, all: 4 });
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
