import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildOpenApi } from '../../src/contract/documents/openapi.ts';
import { codes, documentedStatuses, errorCodes } from '../../src/contract/errors.ts';

type Schema = Readonly<Record<string, unknown>>;

interface Document {
  readonly paths: Record<string, Record<string, { responses: Record<string, { $ref?: string }> }>>;
  readonly components: { schemas: Record<string, Schema>; responses: Record<string, { description: string }> };
}

const document = JSON.parse(JSON.stringify(buildOpenApi())) as Document;

/** Every schema inside a named one, with the path of properties that leads to it. */
function* innerSchemas(schema: Schema, path: readonly string[]): Generator<[readonly string[], Schema]> {
  for (const [keyword, value] of Object.entries(schema)) {
    if (typeof value !== 'object' || value === null || ['examples', 'example', 'default'].includes(keyword)) continue;
    const isOfProperties = keyword === 'properties';
    for (const [name, inner] of Object.entries(isOfProperties || Array.isArray(value) ? value : { [keyword]: value })) {
      if (typeof inner !== 'object' || inner === null) continue;
      const place = isOfProperties ? [...path, name] : path;
      yield [place, inner as Schema];
      yield* innerSchemas(inner as Schema, place);
    }
  }
}

describe('the OpenAPI document', () => {
  it('names every object, so that generated clients have a type for each', () => {
    const unnamed = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      [...innerSchemas(schema, [name])]
        .filter(([, { properties }]) => properties !== undefined)
        .map(([path]) => path.join('.')),
    );
    assert.deepEqual(unnamed, []);
  });

  it('has no two types that a generator would give the same name', () => {
    const names = Object.keys(document.components.schemas);
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      const own = [...innerSchemas(schema, [name])].filter(([, inner]) => inner.enum !== undefined);
      const paths = new Set(own.map(([path]) => path.join('.')));
      names.push(...[...paths].map((path) => path.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase())));
    }
    const repeated = names.filter((name, index) => names.indexOf(name) !== index);
    assert.deepEqual(repeated, []);
  });

  it('describes each error once, and every operation refers to all of them', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { responses }] of Object.entries(methods)) {
        for (const status of Object.keys(documentedStatuses)) {
          const reference = responses[status]?.$ref ?? '';
          const name = reference.replace('#/components/responses/', '');
          assert.ok(document.components.responses[name] !== undefined, `${method} ${path} ${status}: ${reference}`);
        }
      }
    }
    const descriptions = Object.values(document.components.responses).map(({ description }) => description);
    // The others are sent before an operation is known.
    for (const code of codes.filter((code) => errorCodes[code].status in documentedStatuses)) {
      assert.equal(descriptions.filter((text) => text.includes(`\`${code}\``)).length, 1, code);
    }
  });
});
