import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endingTools } from '../../../src/voice/tools/built-in.ts';
import { defineTool, readTools } from '../../../src/voice/tools/definition.ts';
import { parametersIssues } from '../../../src/voice/tools/json-schema.ts';

const book = { name: 'book', description: 'Books.', url: 'https://shop.example.com/book' };
const issues = (parameters: Record<string, unknown>, given: unknown) => {
  assert.deepEqual(parametersIssues(parameters), [], JSON.stringify(parameters));
  return defineTool({ ...book, parameters })
    .checkArguments(given)
    .map(({ path, message }) => `${path.join('.')}: ${message}`);
};
const isValid = (parameters: Record<string, unknown>, given: unknown) => issues(parameters, given).length === 0;
const property = (schema: unknown) => ({ properties: { a: schema } });

describe('the arguments of a tool', () => {
  it('are told what is wrong with them, each with its path', () => {
    const schema = {
      type: 'object',
      properties: {
        day: { type: 'string', format: 'date' },
        guests: { type: 'integer', minimum: 1, maximum: 8 },
        menu: { enum: ['cut', 'color'] },
        'a/b~c d': { type: 'boolean' },
        people: { type: 'array', items: { type: 'object', required: ['name'] } },
      },
      required: ['day'],
      additionalProperties: false,
    };
    assert.deepEqual(issues(schema, { day: '2026-12-24', guests: 2, menu: 'cut', people: [{ name: 'A' }] }), []);
    assert.deepEqual(issues(schema, { guests: 9, menu: 'x', 'a/b~c d': 1, people: [{}, 1], other: 1 }).toSorted(), [
      ': does not have required property "day"',
      'a/b~c d: has the type "number", expected "boolean"',
      'guests: 9 is greater than 8',
      'menu: does not match any of ["cut","color"]',
      'other: is not allowed',
      'people.0: does not have required property "name"',
      'people.1: has the type "number", expected "object"',
    ]);
    assert.equal(isValid(schema, { day: '2026-02-30' }), false);
    for (const given of [null, [], 'x', 1, undefined]) assert.deepEqual(issues(schema, given), [': must be an object']);
    assert.deepEqual(issues({}, { text: 'x'.repeat(33_000) }), [': must be at most 32 KiB as JSON']);
  });

  it('are checked by every keyword that is accepted', () => {
    const cases: [schema: unknown, good: unknown, bad: unknown][] = [
      [{ type: ['string', 'null'] }, null, 1],
      [{ const: { x: [1] } }, { x: [1] }, { x: [2] }],
      [{ minLength: 2, maxLength: 3 }, '予約', '予'],
      [{ exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5, 1],
      [{ multipleOf: 0.1 }, 0.3, 0.35],
      [{ minItems: 1, maxItems: 2, uniqueItems: true }, [1, 2], [1, 1]],
      [{ prefixItems: [{ type: 'string' }], items: { type: 'number' } }, ['a', 1], ['a', 'b']],
      [{ contains: { const: 1 }, minContains: 2, maxContains: 2 }, [1, 1, 2], [1, 2]],
      [{ minProperties: 1, maxProperties: 1 }, { x: 1 }, {}],
      [{ propertyNames: { pattern: '^x' } }, { xy: 1 }, { y: 1 }],
      [{ dependentRequired: { x: ['y'] } }, { x: 1, y: 1 }, { x: 1 }],
      [{ dependentSchemas: { x: { required: ['y'] } } }, { y: 1 }, { x: 1 }],
      [{ anyOf: [{ type: 'string' }, { minimum: 3 }] }, 'a', 2],
      [{ oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, 4, 6],
      [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, 1, 3],
      [{ not: { type: 'string' } }, 1, 'a'],
      // As JSON: an object with `then` could be taken for a promise.
      [JSON.parse('{"if": {"type": "string"}, "then": {"minLength": 2}, "else": {"minimum": 2}}'), 'ab', 1],
      [{ allOf: [{ properties: { x: {} } }], unevaluatedProperties: false }, { x: 1 }, { y: 1 }],
      [{ prefixItems: [true], unevaluatedItems: false }, [1], [1, 2]],
      [{ format: 'email' }, 'a@example.com', 'a@'],
      [{ format: 'date-time' }, '2026-12-24T10:00:00Z', '2026-12-24'],
      [{ format: 'time' }, '10:00', undefined],
      [true, 1, undefined],
    ];
    for (const [schema, good, bad] of cases) {
      assert.deepEqual(issues(property(schema), { a: good }), [], JSON.stringify(schema));
      if (bad !== undefined) assert.equal(isValid(property(schema), { a: bad }), false, JSON.stringify(schema));
    }
  });

  it('follow references inside of the schema', () => {
    const schema = {
      $defs: { day: { type: 'string', minLength: 3 }, days: { type: 'array', items: { $ref: '#/$defs/day' } } },
      properties: { a: { $ref: '#/$defs/days', maxItems: 1 }, b: { $ref: '#/properties/a' } },
    };
    assert.deepEqual(issues(schema, { a: ['Mon'], b: ['Tue'] }), []);
    for (const given of [{ a: ['M'] }, { b: ['Mon', 'Tue'] }, { a: 'Mon' }])
      assert.equal(isValid(schema, given), false);
  });

  it('match patterns as RE2 does, in linear time, wherever a pattern can be', () => {
    const pattern = property({ pattern: '(a+)+$' });
    const begun = process.cpuUsage();
    assert.equal(isValid(pattern, { a: `${'a'.repeat(20_000)}!` }), false);
    assert.equal(isValid({ patternProperties: { '(x+)+$': false } }, { [`${'x'.repeat(5000)}!`]: 1 }), true);
    const { user, system } = process.cpuUsage(begun);
    assert.ok(user + system < 2_000_000, `${user + system} µs`);
    assert.equal(isValid(pattern, { a: 'baa' }), true);
    assert.equal(isValid(property({ pattern: '^[.*+?^$(){}|\\[\\]\\\\/-]+$' }), { a: '.*+?^$(){}|[]\\/-' }), true);
    assert.equal(isValid(property({ pattern: '^\\d{3}$' }), { a: '1234' }), false);
    assert.equal(isValid(property({ pattern: '^.$' }), { a: '😀' }), true);
    assert.equal(isValid(property({ not: { pattern: 'a' } }), { a: 'xax' }), false);
    const named = {
      patternProperties: { '^x': { type: 'string' }, y$: { minLength: 2 }, '^z': {} },
      additionalProperties: false,
    };
    assert.equal(isValid(named, { xy: 'ab', z1: 1 }), true);
    for (const given of [{ xy: 'a' }, { x: 1 }, { other: 1 }]) assert.equal(isValid(named, given), false);
    // A property may have the name of a keyword.
    const odd = { properties: { pattern: { type: 'string', pattern: '^p' }, $ref: { const: 1 } } };
    assert.equal(isValid(odd, { pattern: 'p', $ref: 1 }), true);
    assert.equal(isValid(odd, { pattern: 'q' }), false);
  });
});

describe('the parameters of a tool', () => {
  const reported = (parameters: Record<string, unknown>) =>
    parametersIssues(parameters).map(({ path, message }) => `${path.join('.')}: ${message}`);

  it('must be a JSON Schema that can be used: everything else is named with its place', () => {
    const cases: [schema: Record<string, unknown>, ...expected: RegExp[]][] = [
      [{ type: 'strng' }, /^type: must be one of/, /^type: must be object/],
      [{ type: 'array' }, /^type: must be object/],
      [property({ type: 'text' }), /^properties\.a\.type: must be one of: array/],
      [{ properties: [] }, /^properties: must be an object of schemas/],
      [property('string'), /^properties\.a: must be a schema/],
      [{ required: 'a' }, /^required: must be a list/],
      [{ properties: { a: { required: true } } }, /^properties\.a\.required: must be a list/],
      [property({ enum: [] }), /^properties\.a\.enum: must not be empty/],
      [property({ anyOf: [] }), /^properties\.a\.anyOf: must be a list of schemas/],
      [property({ items: [{}] }), /^properties\.a\.items: must be a schema/],
      [property({ minimum: '1' }), /^properties\.a\.minimum: must be a number/],
      [property({ multipleOf: 0 }), /^properties\.a\.multipleOf: must be greater than 0/],
      [property({ minLength: -1 }), /^properties\.a\.minLength: must be at least 0/],
      [property({ pattern: '(?=a)' }), /^properties\.a\.pattern: is not a regular expression in RE2 syntax/],
      [{ patternProperties: { '(': {} } }, /^patternProperties\.\(: is not a regular expression/],
      [property({ pattern: '((x{1000}){1000}){1000}' }), /^: has regular expressions that are too complex/],
      [property({ $ref: 'https://example.com/schema' }), /^properties\.a\.\$ref: must refer to a schema in this one/],
      [property({ $ref: '#/$defs/none' }), /^properties\.a\.\$ref: must refer/],
      [property({ default: { x: {} }, $ref: '#/properties/a/default/x' }), /^properties\.a\.\$ref: must refer/],
      [{ $id: 'https://example.com', $dynamicRef: '#x' }, /^\$dynamicRef: is not supported/, /^\$id: is not supported/],
      [property({ $ref: '#' }), /^: must not contain a schema that refers to itself/],
      [{ $ref: '#' }, /^: must not contain a schema that refers to itself/],
    ];
    for (const [schema, ...expected] of cases) {
      const found = reported(schema);
      assert.equal(found.length, expected.length, `${JSON.stringify(schema)}: ${found.join('; ')}`);
      for (const [index, pattern] of expected.entries()) assert.match(found[index] as string, pattern);
    }
  });

  it('may have any annotation, and keywords of others', () => {
    const annotations = { title: 'A', description: 'B', default: 1, examples: [1], $comment: 'C', 'x-order': 1 };
    assert.deepEqual(reported({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...annotations }), []);
    assert.deepEqual(reported(property({ ...annotations, format: 'anything' })), []);
  });

  it('cannot grow without limit by references to references', () => {
    const $defs: Record<string, unknown> = { d0: {} };
    for (let level = 1; level <= 60; level += 1) {
      $defs[`d${level}`] = { allOf: [{ $ref: `#/$defs/d${level - 1}` }, { $ref: `#/$defs/d${level - 1}` }] };
    }
    assert.deepEqual(reported({ $defs, ...property({ $ref: '#/$defs/d60' }) }), [
      ': has too many references to other references',
    ]);
    assert.deepEqual(reported({ $defs, ...property({ $ref: '#/$defs/d5' }) }), []);
  });
});

describe('the tools of an agent', () => {
  it('have their defaults filled in', () => {
    const [server, client] = readTools([
      { ...book, parameters: { properties: {} }, say: 'One moment.' },
      { name: 'show', description: 'Shows.', parameters: {}, where: 'client', say: ['A', 'B'], timeoutMs: 500 },
    ]);
    assert.deepEqual(
      { ...server, checkArguments: undefined },
      {
        ...book,
        parameters: { type: 'object', properties: {} },
        where: 'server',
        method: 'POST',
        timeoutMs: 10_000,
        say: ['One moment.'],
        headers: {},
        example: null,
        checkArguments: undefined,
      },
    );
    assert.deepEqual([client?.where, client?.url, client?.say, client?.timeoutMs], ['client', null, ['A', 'B'], 500]);
    assert.deepEqual(readTools(undefined), []);
  });

  it('come with those that every model has: waiting only where somebody listens', () => {
    const [end, wait] = endingTools({ isSpoken: true });
    assert.deepEqual(
      endingTools({ isSpoken: false }).map(({ name }) => name),
      ['end_call'],
    );
    assert.ok(end !== undefined && wait !== undefined);
    assert.deepEqual([end.name, wait.name], ['end_call', 'wait']);
    for (const given of [{}, { reason: 'done' }]) assert.deepEqual(end.checkArguments(given), []);
    for (const seconds of [1, 60]) assert.deepEqual(wait.checkArguments({ seconds }), []);
    for (const given of [{}, { seconds: 0 }, { seconds: 61 }, { seconds: 1.5 }, { seconds: 1, x: 1 }]) {
      assert.notEqual(wait.checkArguments(given).length, 0, JSON.stringify(given));
    }
    for (const tool of [end, wait]) assert.deepEqual(parametersIssues(tool.parameters), []);
  });
});
