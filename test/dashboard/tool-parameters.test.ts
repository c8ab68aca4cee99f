import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  argumentOf,
  choicesText,
  exampleText,
  kindOf,
  parametersIn,
  withChoices,
  withKind,
  withParameters,
} from '../../dashboard/src/tools/parameters.ts';
import { hasExamples, newTool, runningIn, sayOf, toolsIn, withTools } from '../../dashboard/src/tools/tools.ts';

describe('the table of parameters', () => {
  it('changes only what it shows', () => {
    const schema = {
      type: 'object',
      description: 'kept',
      properties: { a: { type: 'string', pattern: '^A' }, b: { anyOf: [{ type: 'null' }] } },
      required: ['b'],
      additionalProperties: false,
    };
    const rows = parametersIn(schema);
    assert.deepEqual(
      rows?.map(({ name, isRequired }) => [name, isRequired]),
      [
        ['a', false],
        ['b', true],
      ],
    );
    assert.deepEqual(withParameters(schema, rows ?? []), schema);
    assert.equal('required' in withParameters(schema, []), false);
    assert.deepEqual(withParameters(undefined, []), { type: 'object', properties: {} });
  });

  it('is not there for a schema that it cannot show', () => {
    for (const schema of [
      undefined,
      null,
      [],
      'x',
      { properties: [] },
      { properties: { a: true } },
      { required: 'a' },
    ]) {
      assert.equal(parametersIn(schema), null, JSON.stringify(schema));
    }
    assert.deepEqual(parametersIn({}), []);
  });

  it('knows the types that it offers, and leaves others alone', () => {
    for (const kind of ['string', 'number', 'integer', 'boolean', 'date', 'list'] as const) {
      assert.equal(kindOf(withKind({ description: 'd', pattern: 'x' }, kind)), kind);
    }
    assert.deepEqual(withKind({ type: 'string', enum: ['a'], description: 'd' }, 'date'), {
      type: 'string',
      format: 'date',
      description: 'd',
    });
    for (const schema of [{}, { type: ['string', 'null'] }, { type: 'array' }, { type: 'object' }]) {
      assert.equal(kindOf(schema), 'other');
    }
  });

  it('reads allowed values as they are typed, and shows no others', () => {
    assert.deepEqual(withChoices({ type: 'string' }, 'S, M、L,, S'), { type: 'string', enum: ['S', 'M', 'L'] });
    assert.deepEqual(withChoices({ type: 'integer' }, '1, 2'), { type: 'integer', enum: [1, 2] });
    assert.deepEqual(withChoices({ type: 'string', enum: ['a'] }, ''), { type: 'string' });
    assert.equal(choicesText({ enum: ['S', 2] }), 'S, 2');
    for (const choices of [['a,b'], [null], [' a'], ['']]) assert.equal(choicesText({ enum: choices }), null);
  });

  it('makes arguments of what is typed for a test', () => {
    const of = (schema: object, text: string) =>
      argumentOf({ name: 'a', schema: { ...schema }, isRequired: true }, text);
    assert.equal(of({ type: 'string' }, '12'), '12');
    assert.equal(of({ type: 'integer' }, '12'), 12);
    assert.equal(of({ type: 'integer' }, 'x'), 'x');
    assert.equal(of({ type: 'boolean' }, 'false'), false);
    assert.deepEqual(of({ type: 'array', items: { type: 'string' } }, 'a, b'), ['a', 'b']);
    assert.deepEqual(of({}, '{"a":1}'), { a: 1 });
    assert.equal(of({ type: 'string' }, ''), undefined);
    const example = (schema: object, isRequired = true) =>
      exampleText({ name: 'a', schema: { ...schema }, isRequired }, '2026-11-20');
    assert.equal(example({ type: 'string', format: 'date' }), '2026-11-20');
    assert.equal(example({ type: 'string', enum: ['S', 'M'] }), 'S');
    assert.equal(example({ type: 'string', examples: ['A-1'], enum: ['S'] }), 'A-1');
    assert.equal(example({ type: 'string' }), '');
    assert.equal(example({ type: 'string', enum: ['S'] }, false), '');
    assert.equal(example({ type: 'string', examples: ['A-1'] }, false), 'A-1');
  });
});

describe('the tools of the form', () => {
  it('change no other settings, and leave no empty list', () => {
    const settings = { theme: 'salon', tools: [{ name: 'a' }] };
    assert.deepEqual(withTools(settings, []), { theme: 'salon' });
    assert.deepEqual(withTools({ theme: 'salon' }, [{ name: 'a' }]), settings);
    for (const tools of [null, {}, ['a'], [null]]) assert.equal(toolsIn({ tools }), null);
  });

  it('start with a name of their own', () => {
    const first = newTool([]);
    assert.notEqual(newTool([first]).name, first.name);
    assert.equal(newTool([{ name: 'new_tool' }, { name: 'new_tool_2' }]).name, 'new_tool_3');
  });

  it('get their address back when they return from the page to a server', () => {
    const tool = { name: 'a', method: 'GET', url: 'https://a.example/', headers: { a: 'b' }, say: 'Hm.' };
    const inPage = runningIn(tool, 'client', tool);
    assert.deepEqual(inPage, { name: 'a', say: 'Hm.', where: 'client' });
    assert.deepEqual(runningIn(inPage, 'server', tool), tool);
    assert.equal(sayOf([]), undefined);
    assert.equal(sayOf(['a']), 'a');
    assert.deepEqual(sayOf(['a', 'b']), ['a', 'b']);
  });

  it('have examples only if every one of them has', () => {
    assert.equal(hasExamples({ tools: [{ example: null }] }), true);
    for (const settings of [undefined, {}, { tools: [] }, { tools: [{ example: 1 }, {}] }, { tools: 'x' }]) {
      assert.equal(hasExamples(settings), false);
    }
  });
});
