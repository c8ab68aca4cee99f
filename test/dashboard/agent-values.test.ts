import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { check, issuesOf } from '../../dashboard/src/pages/agent/checks.ts';
import { labelOf, meaningOf } from '../../dashboard/src/pages/agent/field-texts.ts';
import { type FieldRules, fields } from '../../dashboard/src/pages/agent/fields.ts';
import { groupFindings } from '../../dashboard/src/pages/agent/findings.ts';
import { placeInJson } from '../../dashboard/src/pages/agent/json-place.ts';
import { compareThree, merge } from '../../dashboard/src/pages/agent/merge.ts';
import { en } from '../../dashboard/src/pages/agent/texts.en.ts';
import { ja } from '../../dashboard/src/pages/agent/texts.ja.ts';
import {
  canBePatched,
  createBody,
  defaultValues,
  isSame,
  patchBetween,
  type Values,
  valuesOf,
} from '../../dashboard/src/pages/agent/values.ts';
import type { Agent } from '../../sdk/src/index.ts';
import { buildOpenApi } from '../../src/contract/documents/openapi.ts';
import { mergePatch } from '../../src/core/merge-patch.ts';
import { seed } from '../support/seed.ts';

interface Schemas {
  readonly components: { readonly schemas: Record<string, { readonly properties: Record<string, { not?: unknown }> }> };
}

const shortNames = ['responseEngineType', 'prompt', 'llmModel'];

describe('the agent form', () => {
  it('has every writable field, with a label and a description in both languages', () => {
    const { schemas } = (buildOpenApi() as unknown as Schemas).components;
    const engine = ['type', 'prompt', 'model', 'llmWebsocketUrl'].map((part) => `responseEngine.${part}`);
    for (const name of ['CreateAgent', 'UpdateAgent']) {
      const writable = Object.keys(schemas[name]?.properties ?? {})
        .filter((field) => !shortNames.includes(field))
        .flatMap((field) => (field === 'responseEngine' ? engine : [field]));
      assert.deepEqual(fields.map((field) => field.name as string).sort(), writable.sort(), name);
    }
    const japanese = /[ぁ-んァ-ヶ一-龠]/;
    const look = (path: string, rules: FieldRules) => {
      assert.notEqual(labelOf(path, 'en'), path);
      assert.match(`${labelOf(path, 'ja')} ${meaningOf(path, rules, 'ja')}`, japanese, path);
      assert.ok(meaningOf(path, rules, 'en').length > 5, path);
      for (const [part, inner] of Object.entries(rules.parts ?? rules.item?.parts ?? {}))
        look(`${path}.${part}`, inner);
    };
    for (const { name, rules } of fields) look(name, rules);
  });

  it('takes limits and defaults from the contract', () => {
    const { rules } = fields.find(({ name }) => name === 'endCallAfterSilenceMs') as (typeof fields)[number];
    assert.deepEqual([rules.minimum, rules.maximum, rules.default], [10_000, 7_200_000, 600_000]);
  });

  it('sends required fields and those that differ from their default for a new agent', () => {
    const values: Values = { ...defaultValues(), name: 'A', voiceId: 'v', volume: 0, beginMessage: '' };
    assert.deepEqual(createBody({ ...values, 'responseEngine.llmWebsocketUrl': 'wss://x.example' }), {
      name: 'A',
      voiceId: 'v',
      volume: 0,
      beginMessage: '',
      responseEngine: { llmWebsocketUrl: 'wss://x.example' },
    });
  });

  it('sends the patch between any two agents', () => {
    const json = fc.jsonValue({ maxDepth: 3 }).map((value) => (value === null ? undefined : value));
    // JSON values only.
    const pace = fc.double({ min: 0.5, max: 2, noNaN: true });
    const rate = fc.option(
      fc.record({ enabled: fc.boolean(), minSpeed: pace, speedRatio: pace }, { requiredKeys: ['enabled'] }),
      {
        nil: undefined,
      },
    );
    const some = fc.record({
      agentSettings: json,
      adaptiveSpeechRate: rate,
      startSkillId: fc.option(fc.string(), { nil: undefined }),
      'responseEngine.prompt': fc.option(fc.string(), { nil: undefined }),
      agentVariables: fc.option(fc.array(fc.jsonValue()), { nil: undefined }),
    });
    fc.assert(
      fc.property(some, some, (one, other) => {
        fc.pre(canBePatched(one.agentSettings, other.agentSettings));
        const [before, after] = [one, other].map((part) => shaped({ ...defaultValues(), ...part } as Values));
        const patch = patchBetween(valuesOf(before as Agent), valuesOf(after as Agent));
        const result = mergePatch(before, JSON.parse(JSON.stringify(patch)));
        for (const { name } of fields) {
          assert.ok(
            isSame(valuesOf(result as Agent)[name] ?? undefined, valuesOf(after as Agent)[name] ?? undefined),
            name,
          );
        }
      }),
      { seed },
    );
  });

  it('reports changes that a merge patch cannot express, instead of losing them', () => {
    const base = { ...defaultValues(), name: 'A', voiceId: 'v' };
    assert.deepEqual(check({ ...base, agentSettings: { a: { b: null } } }, base, en), {
      agentSettings: [en.issueNullInside],
    });
    assert.deepEqual(check({ ...base, agentSettings: { a: [null] } }, base, en), {});
  });

  it('shows errors of the service at their field, in the language of the user', () => {
    const fieldErrors = {
      pronunciationDictionary: ['2.find: must not be empty'],
      adaptiveSpeechRate: ['minSpeed: must be at least 0.5'],
      name: ['is required'],
    };
    assert.deepEqual(issuesOf(fieldErrors, ja), {
      name: ['必須です'],
      'adaptiveSpeechRate.minSpeed': ['0.5以上の値を入力してください'],
      'pronunciationDictionary.2.find': ['入力してください'],
    });
    assert.deepEqual(Object.keys(issuesOf(fieldErrors, en))[0], 'name', 'in the order of the form');
  });

  it('shows findings by field, in the order and the words of the form', () => {
    const findings = [
      { field: 'agentSettings', path: 'flow.skills.3.next', message: 'a' },
      { field: 'agentSettings', path: 'tools.0.url', message: 'f' },
      { field: 'somethingNew', path: 'x', message: 'b' },
      { field: 'postCallAnalysisData', path: '0.options', message: 'c' },
      { field: 'responseEngine', path: 'llmWebsocketUrl', message: 'd' },
      { field: 'agentSettings', path: '', message: 'e' },
    ];
    const skills = ['a', 'b', 'c', 'greet'].map((id) => ({ id, type: 'say' }));
    const settings = { flow: { skills }, tools: [{ name: 'find_order' }] };
    const shown = groupFindings(findings, settings, 'ja', ja).map(({ label, findings: found }) => [
      label,
      ...found.map(({ path, place, message }) => [path, place, message]),
    ]);
    assert.deepEqual(shown, [
      ['プロンプトとモデル・WebSocket URL', ['responseEngine.llmWebsocketUrl', null, 'd']],
      ['フロー', ['agentSettings.flow.skills.3.next', 'greet · 次へ', 'a']],
      ['ツール', ['agentSettings.tools.0.url', 'find_order · URL', 'f']],
      ['詳細設定・その他の設定', ['agentSettings', null, 'e']],
      [
        '分析・分析項目',
        ['postCallAnalysisData.0.options', `分析項目1・${labelOf('postCallAnalysisData.options', 'ja')}`, 'c'],
      ],
      ['somethingNew', ['somethingNew.x', 'x', 'b']],
    ]);
  });

  it('finds the value at any path in any JSON, and the value around a path that is not there', () => {
    const at = (text: string, path: string[]) => {
      const place = placeInJson(text, path);
      return place === null ? null : text.slice(place.start, place.end);
    };
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const look = (inner: unknown, path: string[]): void => {
          assert.equal(JSON.stringify(JSON.parse(at(text, path) ?? '')), JSON.stringify(inner));
          if (typeof inner !== 'object' || inner === null) return;
          for (const [name, next] of Object.entries(inner)) look(next, [...path, name]);
        };
        look(value, []);
      }),
      { seed },
    );
    assert.equal(at('{"a": [{"b": 1}]}', ['a', '0', 'missing', 'c']), '{"b": 1}');
    assert.equal(at('{"a": ', ['a']), null);
  });

  it('merges changes of one side, and asks if both sides have changed', () => {
    const base = { ...defaultValues(), name: 'A', voiceId: 'v' };
    const theirs = { ...base, name: 'Theirs', volume: 2, language: 'en' };
    const mine = { ...base, name: 'Mine', voiceSpeed: 2, language: 'en' };
    const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);
    const compared = compareThree(base, theirs, mine);
    assert.deepEqual(names(compared.conflicting), ['name']);
    assert.deepEqual(names(compared.onlyTheirs), ['volume']);
    assert.deepEqual(names(compared.onlyMine), ['voiceSpeed']);
    assert.deepEqual(merge(base, theirs, mine), { ...theirs, name: 'Mine', voiceSpeed: 2 });
    assert.deepEqual(merge(base, theirs, mine, { name: 'theirs' }), { ...theirs, voiceSpeed: 2 });
  });
});

/** As the service returns it: nested, and without unset fields. */
function shaped(values: Values): object {
  const agent: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    const [first, second] = name.split('.') as [string, string | undefined];
    if (second === undefined) agent[first] = value;
    else agent[first] = { ...(agent[first] as object), [second]: value };
  }
  return JSON.parse(JSON.stringify(agent));
}
