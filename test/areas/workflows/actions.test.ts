import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StepFailure } from '../../../src/areas/workflows/step-failure.ts';
import { actionOf, followingIndex } from '../../../src/areas/workflows/steps/action.ts';
import { type ContextOptions, contextWith, stepOf, stepsOf } from './template-context.ts';

type Given = Readonly<Record<string, unknown>>;

function resumeAt(fields: Given, options: ContextOptions = {}): string {
  const action = actionOf(stepOf('wait', fields), contextWith(options));
  assert.equal(action.type, 'wait');
  return new Date(action.type === 'wait' ? action.resumeAtMs : 0).toISOString();
}

function failsAs(code: string) {
  return (error: unknown): true => {
    assert.ok(error instanceof StepFailure, String(error));
    assert.equal(error.code, code);
    return true;
  };
}

describe('a wait', () => {
  it('lasts for its seconds', () => {
    assert.equal(resumeAt({ seconds: 90 }), '2026-11-18T09:31:30.000Z');
  });

  it('lasts until its time, and no longer if that is past', () => {
    assert.equal(resumeAt({ until: '2026-11-20T15:00:00+09:00' }), '2026-11-20T06:00:00.000Z');
    assert.equal(resumeAt({ until: '2026-11-01T00:00:00Z' }), '2026-11-18T09:30:00.000Z');
    assert.throws(() => resumeAt({ until: '2026-12-18T09:30:01Z' }), failsAs('wait_too_long'));
    const options = (at: unknown): ContextOptions => ({ call: { metadata: { at } } });
    assert.equal(
      resumeAt({ until: '{{call.metadata.at}}' }, options('2026-11-19T00:00:00Z')),
      '2026-11-19T00:00:00.000Z',
    );
    for (const at of ['tomorrow', '2026-11-19', 1_800_000_000_000, null]) {
      assert.throws(
        () => resumeAt({ until: '{{call.metadata.at}}' }, options(at)),
        failsAs('template_error'),
        String(at),
      );
    }
  });

  it('lasts until it is its time of day somewhere', () => {
    assert.equal(resumeAt({ at: '10:00', timeZone: 'Asia/Tokyo' }), '2026-11-19T01:00:00.000Z');
    assert.equal(resumeAt({ at: '10:00' }), '2026-11-18T10:00:00.000Z');
    assert.equal(
      resumeAt({ at: '10:00', timeZone: 'Europe/Berlin' }, { now: '2027-03-27T12:00:00Z' }),
      '2027-03-28T08:00:00.000Z',
    );
    const options = (metadata: Given): ContextOptions => ({ call: { metadata } });
    const fields = { at: '{{call.metadata.at}}', timeZone: '{{call.metadata.zone | default: "UTC"}}' };
    assert.equal(resumeAt(fields, options({ at: '08:30', zone: 'Asia/Tokyo' })), '2026-11-18T23:30:00.000Z');
    for (const metadata of [{ at: '8:30' }, { at: '24:00' }, { at: 'ten' }, { at: '08:30', zone: 'Mars' }, {}]) {
      assert.throws(() => resumeAt(fields, options(metadata)), failsAs('template_error'), JSON.stringify(metadata));
    }
  });
});

describe('a condition', () => {
  const steps = [{ id: 'crm', type: 'http_request', url: 'https://crm.example.com/' }];
  const route = (filter: Given, next: string) => ({ if: filter, next });
  const matched = (routes: readonly Given[], options: ContextOptions) => {
    const step = stepOf('condition', { routes, otherwise: 'end' }, steps);
    const action = actionOf(step, contextWith(options));
    return action.type === 'condition' ? [action.matched, action.target] : [];
  };

  it('takes the first route that matches, else otherwise', () => {
    const routes = [
      route({ field: 'metadata.paid', op: 'eq', value: true }, 'end'),
      route({ field: 'metadata.paid', op: 'exists', value: true }, 'end'),
    ];
    assert.deepEqual(matched(routes, { call: { metadata: { paid: true } } }), [0, 'end']);
    assert.deepEqual(matched(routes, { call: { metadata: { paid: 'no' } } }), [1, 'end']);
    assert.deepEqual(matched(routes, {}), [null, 'end']);
  });

  it('compares what earlier steps returned like the fields of a call', () => {
    const crm = {
      status: 'succeeded',
      output: { statusCode: 201, body: { a: { 'b.c': 'Straße' }, at: '2026-11-18T09:00:00+09:00', list: [1] } },
    } as const;
    const cases: [Given, boolean][] = [
      [{ field: 'steps.crm.status', op: 'eq', value: 'succeeded' }, true],
      [{ field: 'steps.crm.statusCode', op: 'gte', value: 201 }, true],
      [{ field: 'steps.crm.output.statusCode', op: 'lt', value: 201 }, false],
      [{ field: 'steps.crm.output.body.a.b.c', op: 'contains', value: 'SS' }, true],
      [{ field: 'steps.crm.output.body.at', op: 'lte', value: '2026-11-18T00:00:00Z' }, true],
      [{ field: 'steps.crm.output.body.list', op: 'exists', value: true }, true],
      [{ field: 'steps.crm.output.body.list', op: 'eq', value: 1 }, false],
      [{ field: 'steps.crm.output.body.none', op: 'exists', value: false }, true],
      [{ field: 'createdAt', op: 'eq', value: '2026-11-15T18:30:03.702+09:00' }, true],
    ];
    for (const [filter, expected] of cases) {
      const [index] = matched([route(filter, 'end')], { steps: { crm } });
      assert.equal(index === 0, expected, JSON.stringify(filter));
    }
    const [index] = matched([route({ field: 'steps.crm.statusCode', op: 'exists', value: false }, 'end')], {});
    assert.equal(index, 0, 'a step that has not run has no values');
  });
});

describe('a change of the call', () => {
  it('has rendered metadata, in which null removes a key', () => {
    const metadata = {
      note: 'called {{call.from | default: "nobody"}}',
      n: '{{call.durationMs}}',
      old: '{{call.metadata.x | default: null}}',
      keep: null,
    };
    const action = actionOf(stepOf('update_call', { metadata }), contextWith({ call: { durationMs: 1200 } }));
    assert.deepEqual(action, {
      type: 'update_call',
      metadata: { note: 'called nobody', n: 1200, old: null, keep: null },
      externalId: undefined,
    });
  });

  it('has an external id of 1 to 255 characters', () => {
    const externalId = (id: unknown) =>
      actionOf(
        stepOf('update_call', { externalId: '{{call.metadata.id | default: null}}' }),
        contextWith({ call: { metadata: { id } } }),
      );
    assert.deepEqual(externalId(81), { type: 'update_call', metadata: {}, externalId: '81' });
    assert.deepEqual(externalId(null), { type: 'update_call', metadata: {}, externalId: undefined });
    for (const id of ['', 'x'.repeat(256)]) assert.throws(() => externalId(id), failsAs('VALIDATION_ERROR'), id);
  });
});

describe('a new call', () => {
  const base = { type: 'phone', agentId: 'agt_1', fromPhoneNumberId: 'num_1', to: '{{call.from}}' };
  const created = (fields: Given, options: ContextOptions = {}) =>
    actionOf(
      stepOf('create_call', { call: { ...base, ...fields } }),
      contextWith({ call: { from: '+81312345678', ...options.call } }),
    );

  it('is the body of calls.create, with its defaults', () => {
    const action = created(
      {
        variables: { name: '{{call.collectedVariables.name}}', n: '{{call.durationMs}}' },
        externalId: '{{call.metadata.id}}',
        startAt: '{{call.metadata.at | default: null}}',
      },
      { call: { collectedVariables: { name: '佐藤' }, durationMs: 5, metadata: { id: 81 } } },
    );
    assert.deepEqual(action.type === 'create_call' && action.call, {
      type: 'phone',
      agentId: 'agt_1',
      agentVersion: 'published',
      variables: { name: '佐藤', n: 5 },
      metadata: {},
      externalId: '81',
      queue: false,
      expiresInSeconds: 3600,
      toolResults: 'live',
      fromPhoneNumberId: 'num_1',
      to: '+81312345678',
    });
  });

  it('fails like calls.create if its values are not valid', () => {
    assert.throws(() => created({}, { call: { from: '+8131****78' } }), failsAs('VALIDATION_ERROR'));
    assert.throws(() => created({}, { call: { from: null } }), failsAs('template_error'));
    assert.throws(
      () => created({ variables: { v: '{{call.metadata.v}}' } }, { call: { metadata: { v: {} } } }),
      failsAs('VALIDATION_ERROR'),
    );
    assert.throws(
      () =>
        created(
          { metadata: { v: '{{call.metadata.v}}', w: '{{call.metadata.v}}' } },
          { call: { metadata: { v: 'x'.repeat(5000) } } },
        ),
      failsAs('VALIDATION_ERROR'),
    );
  });
});

describe('the step after another', () => {
  it('is the following one, the named one, or none', () => {
    const steps = stepsOf(['a', 'b', 'c'].map((id) => ({ id, type: 'wait', seconds: 1 })));
    assert.equal(followingIndex(steps, 0, null), 1);
    assert.equal(followingIndex(steps, 0, 'c'), 2);
    assert.equal(followingIndex(steps, 0, 'end'), null);
    assert.equal(followingIndex(steps, 2, null), null);
  });
});
