import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { clientFrames, readClientFrame, serverFrames } from '../../src/contract/calls/live.ts';
import { buildAsyncApi } from '../../src/contract/documents/asyncapi.ts';
import { livePage } from '../../src/http/pages/live-reference.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document is walked as it comes.
type Json = Record<string, any>;

describe('the AsyncAPI document', () => {
  const document: Json = JSON.parse(readFileSync(new URL('../../asyncapi.json', import.meta.url), 'utf8'));

  it('is current, and has every frame in its direction', () => {
    assert.deepEqual(document, JSON.parse(JSON.stringify(buildAsyncApi())));
    const namesOf = (operation: string) =>
      document.operations[operation].messages.map(({ $ref }: { $ref: string }) => {
        const name = $ref.split('/').at(-1) as string;
        assert.ok(document.channels.call.messages[name], name);
        return document.components.messages[name].name;
      });
    assert.deepEqual(namesOf('receive'), [...Object.keys(clientFrames), 'caller audio']);
    assert.deepEqual(namesOf('send'), [...Object.keys(serverFrames), 'agent audio']);
  });

  it('describes every field, with an example and, if it has one, a range', () => {
    const check = (schema: Json, path: string): void => {
      for (const [name, property] of Object.entries<Json>(schema.properties ?? {})) {
        const place = `${path}.${name}`;
        assert.ok(property.description || property.$ref, `${place} has a description`);
        const isWhole = property.properties || property.items || property.$ref || property.anyOf;
        assert.ok(isWhole || property.examples, `${place} has an example`);
        if (property.type === 'integer') assert.ok(property.minimum !== undefined, `${place} has a range`);
        check(property, place);
      }
    };
    const frames = Object.keys(document.components.schemas).filter((name) => name.startsWith('Live'));
    assert.equal(frames.length, Object.keys(clientFrames).length + Object.keys(serverFrames).length);
    for (const name of frames) check(document.components.schemas[name], name);
    assert.ok(frames.every((name) => document.components.schemas[name].additionalProperties === false));
  });

  it('refers to nothing that it does not have', () => {
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g);
    for (const [, path = ''] of references) {
      const found = path.split('/').reduce((part: Json | undefined, name) => part?.[name], document);
      assert.ok(found, path);
    }
  });

  it('is a page for people, with every frame and close code', () => {
    const page = livePage();
    for (const name of [...Object.keys(clientFrames), ...Object.keys(serverFrames), '4409']) {
      assert.ok(page.includes(name), name);
    }
    assert.ok(!/(src|href)="?https?:/.test(page));
  });
});

describe('a frame of a client', () => {
  it('is read with the values that it has, and no others', () => {
    assert.deepEqual(readClientFrame('{"type":"end"}'), { frame: { type: 'end' } });
    assert.deepEqual(readClientFrame('{"type":"text","text":"こんにちは"}'), {
      frame: { type: 'text', text: 'こんにちは' },
    });
    const nullResult = '{"type":"tool_result","toolCallId":"tcl_1","result":null}';
    assert.deepEqual(readClientFrame(nullResult), {
      frame: { type: 'tool_result', toolCallId: 'tcl_1', result: null },
    });
    assert.ok('issue' in readClientFrame('{"type":"__proto__"}'));
    assert.ok('issue' in readClientFrame('null'));
  });
});
