import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { definitionExample, definitionSchema } from '../../../src/contract/workflows/definition.ts';
import { AppError } from '../../../src/core/errors.ts';
import { check, throwIssues } from '../../../src/core/issues.ts';

type Given = Readonly<Record<string, unknown>>;

const request = { id: 'crm', type: 'http_request', url: 'https://crm.example.com/leads' };
const update = { id: 'note', type: 'update_call', metadata: { noted: true } };
const call = { type: 'phone', agentId: 'agt_1', fromPhoneNumberId: 'num_1', to: '{{call.from}}' };
const pause = { id: 'pause', type: 'wait', seconds: 60 };

/** `fieldErrors` of the response; undefined if the definition is valid. */
function errorsOf(definition: Given): Readonly<Record<string, readonly string[]>> | undefined {
  const checked = check(definitionSchema, definition);
  if ('value' in checked) return undefined;
  try {
    throwIssues(checked.issues);
  } catch (error) {
    assert.ok(error instanceof AppError);
    return (error.details as { fieldErrors: Record<string, string[]> }).fieldErrors;
  }
  throw new Error('there is an issue');
}

function stepErrors(...steps: readonly Given[]): readonly string[] {
  return errorsOf({ trigger: { event: 'call_ended' }, steps })?.steps ?? [];
}

function triggerErrors(trigger: Given): readonly string[] {
  return errorsOf({ trigger, steps: [update] })?.trigger ?? [];
}

const later = 'must be the id of a later step, or end';

describe('a definition of a workflow', () => {
  it('has a trigger and steps of the right kind, whatever is sent instead', () => {
    const anything = [undefined, null, 5, 'call_ended', true, [], [null]];
    for (const trigger of anything) {
      const errors = errorsOf({ trigger, steps: [update] });
      assert.deepEqual(Object.keys(errors ?? {}), ['trigger'], JSON.stringify(trigger));
    }
    for (const filter of [5, 'x', [], { all: [null] }, { any: 5 }, { not: null }, { field: null }]) {
      assert.ok(triggerErrors({ event: 'call_ended', filter }).length > 0, JSON.stringify(filter));
    }
    for (const steps of [...anything, [5], [[]], [{}]]) {
      const errors = errorsOf({ trigger: { event: 'call_ended' }, steps });
      assert.deepEqual(Object.keys(errors ?? {}), ['steps'], JSON.stringify(steps));
    }
  });

  it('has the defaults of the documentation', () => {
    const checked = check(definitionSchema, definitionExample);
    assert.ok('value' in checked);
    const { trigger, steps } = checked.value;
    assert.deepEqual(trigger, {
      event: 'call_analyzed',
      agentIds: [],
      filter: definitionExample.trigger.filter,
      onEveryAnalysis: false,
      includeDrafts: false,
    });
    assert.deepEqual(steps[0], {
      ...definitionExample.steps[0],
      method: 'POST',
      form: null,
      expect: null,
      timeoutMs: 15_000,
      maxAttempts: 5,
      next: null,
      otherwise: null,
    });
  });

  it('is the same when it is sent again as it was returned', () => {
    const steps = [
      request,
      { ...request, id: 'form', form: { a: 1, b: 'x', c: true }, expect: [204] },
      pause,
      { id: 'at', type: 'wait', at: '10:00', timeZone: 'Asia/Tokyo' },
      { id: 'until', type: 'wait', until: '{{call.metadata.remindAt}}' },
      {
        id: 'choose',
        type: 'condition',
        routes: [{ if: { field: 'status', op: 'eq', value: 'ended' }, next: 'end' }],
        otherwise: 'note',
      },
      update,
      { id: 'call_back', type: 'create_call', call },
    ];
    const once = check(definitionSchema, { trigger: { event: 'call_ended' }, steps });
    assert.ok('value' in once, JSON.stringify(once));
    const again = check(definitionSchema, JSON.parse(JSON.stringify(once.value)));
    assert.deepEqual(again, once);
  });

  it('reports every issue at once, each with its path', () => {
    const errors = errorsOf({
      trigger: { event: 'call_started', agentIds: [1] },
      steps: [
        {
          ...request,
          url: 'https://{{call.to}}.example.com/',
          timeoutMs: 1,
          headers: { Host: 'x', 'X-Name': '{{call.names}}' },
        },
        { id: 'crm', type: 'wait', at: '25:00' },
        { id: 'choose', type: 'condition', routes: [], otherwise: 'crm' },
        { id: 'mail', type: 'send_mail' },
      ],
    });
    assert.deepEqual(errors, {
      trigger: ['event: must be one of: call_ended, call_analyzed', 'agentIds.0: must be a string'],
      steps: [
        '0.headers.Host: is set by the service',
        '0.timeoutMs: must be at least 1000',
        '2.routes: must not be empty',
        '3.type: must be one of: http_request, wait, condition, update_call, create_call',
        '0.url: must not have templates in scheme, host or port',
        '0.headers.X-Name: names call.names, which is not a field of a call',
        '1.id: must be unique',
        '1.at: must be a time of day such as 09:00',
        `2.otherwise: ${later}`,
      ],
    });
  });

  it('has 1 to 30 steps and at most 128 KiB', () => {
    const steps = Array.from({ length: 31 }, (_, index) => ({ ...update, id: `s${index}` }));
    assert.deepEqual(stepErrors(...steps.slice(1)), []);
    assert.deepEqual(errorsOf({ trigger: { event: 'call_ended' }, steps }), { steps: ['must have at most 30 items'] });
    assert.deepEqual(errorsOf({ trigger: { event: 'call_ended' }, steps: [] }), { steps: ['must not be empty'] });
    const tooLarge = 'must be at most 128 KiB as JSON, together with the trigger';
    assert.deepEqual(stepErrors({ ...request, body: { text: 'x'.repeat(127 * 1024) } }), []);
    assert.deepEqual(stepErrors({ ...request, body: { text: 'あ'.repeat(43 * 1024) } }), [tooLarge]);
    const filter = { field: 'metadata.a', op: 'eq', value: 'x'.repeat(100 * 1024) };
    const large = { trigger: { event: 'call_ended', filter }, steps: [{ ...request, body: 'x'.repeat(60 * 1024) }] };
    assert.deepEqual(errorsOf(large), { steps: [tooLarge] });
  });
});

describe('the trigger of a workflow', () => {
  it('cannot filter on an analysis when a call ends', () => {
    const filter = {
      all: [
        { field: 'status', op: 'eq', value: 'ended' },
        { not: { field: 'analysis.status', op: 'eq', value: 'completed' } },
      ],
    };
    assert.deepEqual(triggerErrors({ event: 'call_analyzed', filter }), []);
    assert.deepEqual(triggerErrors({ event: 'call_ended', filter }), [
      'filter.all.1.not.field: has no value yet when a call ends: use the event call_analyzed',
    ]);
    const data = { field: 'analysis.data.booked', op: 'exists', value: false };
    assert.equal(triggerErrors({ event: 'call_ended', filter: data }).length, 1);
  });

  it('has the issues of its filter, with the path of each condition', () => {
    const filter = {
      any: [
        { field: 'durationMs', op: 'gt', value: 'long' },
        { field: 'steps.a.status', op: 'eq', value: 'failed' },
      ],
    };
    assert.deepEqual(triggerErrors({ event: 'call_ended', filter }), [
      'filter.any.0.value: must be a number',
      'filter.any.1.field: is not a field that can be filtered by',
    ]);
  });

  it('names up to 100 agents', () => {
    const agentIds = Array.from({ length: 101 }, (_, index) => `agt_${index}`);
    assert.deepEqual(triggerErrors({ event: 'call_ended', agentIds: agentIds.slice(1) }), []);
    assert.deepEqual(triggerErrors({ event: 'call_ended', agentIds }), ['agentIds: must have at most 100 items']);
  });
});

describe('the steps of a workflow', () => {
  it('lead to later ones only', () => {
    const [first, second] = [request, update];
    for (const next of ['note', 'end']) assert.deepEqual(stepErrors({ ...first, next }, second), []);
    for (const next of ['crm', 'nowhere', 'note2'])
      assert.deepEqual(stepErrors({ ...first, next }, second), [`0.next: ${later}`]);
    assert.deepEqual(stepErrors(first, { ...second, otherwise: 'crm' }), [`1.otherwise: ${later}`]);
    const route = { if: { field: 'status', op: 'eq', value: 'ended' }, next: 'crm' };
    const choose = { id: 'choose', type: 'condition', routes: [route], otherwise: 'end' };
    assert.deepEqual(stepErrors(request, choose), [`1.routes.0.next: ${later}`]);
  });

  it('have ids that begin with a letter, and that are not end', () => {
    for (const id of ['a', 'a1_b', 'x'.repeat(32)]) assert.deepEqual(stepErrors({ ...update, id }), []);
    for (const id of ['A', '1a', '_a', 'a-b', 'x'.repeat(33), '', 'end']) {
      assert.notDeepEqual(stepErrors({ ...update, id }), [], id);
    }
  });

  it('name only steps that can have run before', () => {
    const choose = (next: string) => ({
      id: 'choose',
      type: 'condition',
      routes: [{ if: { field: 'status', op: 'eq', value: 'ended' }, next }],
      otherwise: 'left',
    });
    const left = { ...request, id: 'left', next: 'last' };
    const right = (value: string) => ({ id: 'right', type: 'update_call', metadata: { value } });
    const last = (value: string) => ({ id: 'last', type: 'update_call', metadata: { value } });
    const steps = (inRight: string, inLast: string) => [choose('right'), left, right(inRight), last(inLast)];
    assert.deepEqual(stepErrors(...steps('{{steps.choose.output.matched}}', '{{steps.left.statusCode}}')), []);
    assert.deepEqual(stepErrors(...steps('x', '{{steps.right.status}}')), []);
    const cannot = (id: string) => `names the step ${id}, which cannot have run before this one`;
    assert.deepEqual(stepErrors(...steps('{{steps.left.statusCode}}', 'x')), [`2.metadata.value: ${cannot('left')}`]);
    assert.deepEqual(stepErrors(...steps('{{steps.right.status}}', '{{steps.nowhere.status}}')), [
      `2.metadata.value: ${cannot('right')}`,
      `3.metadata.value: ${cannot('nowhere')}`,
    ]);
    // Through `otherwise`.
    const failing = { ...request, otherwise: 'last', next: 'end' };
    assert.deepEqual(stepErrors(failing, last('{{steps.crm.status}}')), []);
    // No path leads to it.
    assert.deepEqual(stepErrors({ ...request, next: 'end' }, last('{{steps.crm.status}}')), [
      `1.metadata.value: ${cannot('crm')}`,
    ]);
  });

  it('name only outputs that the step has', () => {
    const note = (value: string) => ({ ...update, metadata: { value } });
    for (const path of ['status', 'statusCode', 'output.statusCode', 'output.body.leads.0.id', 'output']) {
      assert.deepEqual(stepErrors(request, note(`{{steps.crm.${path}}}`)), [], path);
    }
    assert.deepEqual(stepErrors(request, note('{{steps.crm.output.id}}')), [
      '1.metadata.value: names steps.crm.output.id, but the step crm has the output statusCode, body',
    ]);
    assert.deepEqual(stepErrors(pause, note('{{steps.pause.statusCode}}')), [
      '1.metadata.value: names steps.pause.statusCode, but the step pause has the output resumedAt',
    ]);
    assert.deepEqual(stepErrors(pause, note('{{steps.pause.outputs}}')), [
      '1.metadata.value: names steps.pause.outputs, which must be steps.<id>.status, .statusCode or .output.<path>',
    ]);
  });
});

describe('a request', () => {
  const url = (given: string) => stepErrors({ ...request, url: given });

  it('has a literal scheme, host and port', () => {
    for (const valid of [
      'https://crm.example.com/{{call.id}}',
      'https://crm.example.com/?id={{call.id}}',
      'https://crm.example.com?id={{call.id}}',
      'https://crm.example.com:8443/{{secrets.HOOK}}',
      'http://127.0.0.1:9000/{{call.id}}',
    ]) {
      assert.deepEqual(url(valid), [], valid);
    }
    for (const templated of [
      '{{call.metadata.url}}',
      '{{call.metadata.scheme}}://crm.example.com/',
      'https://{{call.metadata.host}}/',
      'https://crm.example.com{{call.metadata.host}}/',
      'https://crm.example.com:{{call.metadata.port}}/',
      'https://crm.example.com:84{{call.metadata.port}}',
      'https://{{call.metadata.user}}@crm.example.com/',
    ]) {
      assert.deepEqual(url(templated), ['0.url: must not have templates in scheme, host or port'], templated);
    }
    assert.deepEqual(url('https://crm.example.com\\{{call.id}}'), [
      '0.url: must not contain spaces, backslashes or control characters',
    ]);
    assert.deepEqual(url('https://crm.example.com/ {{call.id}}'), [
      '0.url: must not contain spaces, backslashes or control characters',
    ]);
    for (const other of ['ftp://crm.example.com/', 'leads', 'javascript:alert(1)']) {
      assert.deepEqual(url(other), ['0.url: must be a URL that starts with https://'], other);
    }
  });

  it('has the header rules of tools, with templates', () => {
    const headers = (given: Given) => stepErrors({ ...request, headers: given });
    assert.deepEqual(headers({ Authorization: 'Bearer {{secrets.CRM_TOKEN}}', 'X-Call': 'call {{call.id}}' }), []);
    assert.deepEqual(headers({ authorization: 'Bearer 123' }), [
      '0.headers.authorization: must contain a secret, as in Bearer {{secrets.NAME}}',
    ]);
    assert.deepEqual(headers({ authorization: '{{call.metadata.token}}' }), [
      '0.headers.authorization: must contain a secret, as in Bearer {{secrets.NAME}}',
    ]);
    assert.deepEqual(headers({ 'X-Name': '佐藤' }), ['0.headers.X-Name: must consist of printable ASCII characters']);
    assert.deepEqual(headers({ 'Idempotency-Key': 'x', 'proxy-a': 'x', 'Content-Type': 'text/plain' }), [
      '0.headers.Idempotency-Key: is set by the service',
      '0.headers.proxy-a: is set by the service',
      '0.headers.Content-Type: is set by the service',
    ]);
    assert.deepEqual(headers({ 'X-A': '1', 'x-a': '2' }), ['0.headers.x-a: must be unique']);
    assert.deepEqual(headers({ 'X A': '1' }), ['0.headers.X A: is not the name of a header']);
  });

  it('has a body or a form, which GET does not send', () => {
    assert.deepEqual(stepErrors({ ...request, body: {}, form: {} }), ['0.form: must not be given with body']);
    assert.deepEqual(stepErrors({ ...request, method: 'GET', body: {} }), ['0.body: is not sent with GET']);
    assert.deepEqual(stepErrors({ ...request, method: 'DELETE', form: { a: '{{call.id}}' } }), []);
    assert.deepEqual(stepErrors({ ...request, form: { a: {} } }), [
      '0.form.a: must be a string, a number, true or false',
    ]);
  });

  it('has secrets in headers, path and query only', () => {
    const only = 'may contain secrets only in headers, path and query of a request';
    assert.deepEqual(stepErrors({ ...request, body: { key: ['{{secrets.KEY}}'] } }), [`0.body.key.0: ${only}`]);
    assert.deepEqual(stepErrors({ ...request, form: { key: '{{secrets.KEY}}' } }), [`0.form.key: ${only}`]);
    assert.deepEqual(stepErrors({ ...update, metadata: { key: '{{secrets.KEY}}' } }), [`0.metadata.key: ${only}`]);
    assert.deepEqual(url('https://a.example.com/{{secrets.key}}'), [
      '0.url: names secrets.key, which is not {{secrets.NAME}} with capital letters, digits and underscores',
    ]);
    assert.deepEqual(url('https://a.example.com/{{secrets.KEY | default: "x"}}'), [
      '0.url: must have nothing after the name of a secret',
    ]);
  });
});

describe('templates in a definition', () => {
  const text = (value: string) => stepErrors({ ...request, body: { a: [{ b: value }] } });

  it('name fields of a call, and what the service knows', () => {
    for (const path of [
      ...['call.id', 'call.from', 'call.analysis.summary', 'call.analysis.data.予約 日', 'call.metadata.a.b.c'],
      ...['call.variables.x', 'call.latency.e2eMs.p95', 'call.usage.llm.totalTokens', 'call.knowledgeBases.0.name'],
      ...['transcript.text', 'run.id', 'run.startedAt', 'workflow.id', 'now'],
    ]) {
      assert.deepEqual(text(`{{${path}}}`), [], path);
    }
    for (const path of ['call.name', 'call.analysis.mood', 'call.id.x', 'call.__proto__', 'call.constructor']) {
      assert.deepEqual(text(`{{${path}}}`), [`0.body.a.0.b: names ${path}, which is not a field of a call`], path);
    }
    for (const path of ['calls.id', 'call', 'transcript', 'run.status', 'workflow.name', 'env.HOME', 'constructor']) {
      assert.match(text(`{{${path}}}`)[0] ?? '', /which is unknown/, path);
    }
  });

  it('are reported if they are not templates', () => {
    for (const value of ['{{', '{{}}', '{{ }}', '{{call.id}', '{{call.id|}}', '{{call.{id}}', 'a {{call.id b']) {
      assert.match(text(value)[0] ?? '', /^0\.body\.a\.0\.b: /, value);
    }
    assert.match(text('{{call.id | default}}')[0] ?? '', /must have default: <JSON>/);
    assert.match(text('{{call.id | default: none}}')[0] ?? '', /must have a JSON value after default/);
    assert.match(text('{{call.id | upper: 1}}')[0] ?? '', /must have default: <JSON>/);
    assert.match(text('{{now | local_date: "Mars"}}')[0] ?? '', /must name a time zone/);
    assert.match(text('{{now | local_date: "UTC" | local_time: "UTC"}}')[0] ?? '', /one of local_date and local_time/);
    assert.deepEqual(text('}} { {a} '), []);
  });

  it('are not in names', () => {
    assert.deepEqual(stepErrors({ ...request, body: { '{{call.id}}': 1 } }), [
      '0.body.{{call.id}}: must not have a template in its name',
    ]);
  });
});

describe('the other steps', () => {
  it('wait for one of a duration, a time and a time of day', () => {
    const wait = (fields: Given) => stepErrors({ id: 'pause', type: 'wait', ...fields });
    assert.deepEqual(wait({ seconds: 2_592_000 }), []);
    assert.deepEqual(wait({ seconds: 2_592_001 }), ['0.seconds: must be at most 2592000']);
    assert.deepEqual(wait({}), ['0.seconds: must be given if no other of seconds, until and at is']);
    assert.deepEqual(wait({ seconds: 1, at: '10:00' }).length, 1);
    assert.deepEqual(wait({ until: '2026-11-20T15:00:00+09:00' }), []);
    assert.deepEqual(wait({ until: 'tomorrow' }), [
      '0.until: must be an ISO 8601 date-time, such as 2026-01-31T09:00:00Z',
    ]);
    assert.deepEqual(wait({ at: '{{call.collectedVariables.time}}', timeZone: '{{call.metadata.zone}}' }), []);
    assert.deepEqual(wait({ at: '10:00', timeZone: 'Mars' }), [
      '0.timeZone: must be the name of a time zone, such as Asia/Tokyo',
    ]);
    assert.deepEqual(wait({ seconds: 5, timeZone: 'UTC' }), ['0.timeZone: is for at only']);
  });

  it('choose by the fields of calls.search and of steps that have run', () => {
    const choose = (filter: Given) =>
      stepErrors(request, { id: 'choose', type: 'condition', routes: [{ if: filter, next: 'end' }], otherwise: 'end' });
    for (const filter of [
      { field: 'analysis.successful', op: 'eq', value: true },
      { field: 'steps.crm.statusCode', op: 'gte', value: 500 },
      { field: 'steps.crm.status', op: 'eq', value: 'failed' },
      { field: 'steps.crm.output.body.lead id', op: 'exists', value: true },
    ]) {
      assert.deepEqual(choose(filter), []);
    }
    assert.deepEqual(choose({ not: { field: 'steps.other.status', op: 'eq', value: 'failed' } }), [
      '1.routes.0.if.not.field: names the step other, which cannot have run before this one',
    ]);
    assert.deepEqual(choose({ field: 'steps.crm.status', op: 'eq', value: 'broken' }), [
      '1.routes.0.if.value: must be one of: succeeded, failed',
    ]);
    assert.deepEqual(choose({ field: 'steps.crm.output', op: 'exists', value: true }), [
      '1.routes.0.if.field: is not a field that can be filtered by',
    ]);
  });

  it('change at least something of the call', () => {
    assert.deepEqual(stepErrors({ ...update, metadata: {} }), [
      '0.metadata: must not be empty, unless externalId is given',
    ]);
    assert.deepEqual(stepErrors({ id: 'note', type: 'update_call', externalId: '{{call.metadata.id}}' }), []);
    assert.deepEqual(stepErrors({ ...update, metadata: { 'a b': 1 } }).length, 1);
  });

  it('create phone calls', () => {
    const create = (fields: Given) => stepErrors({ id: 'back', type: 'create_call', call: { ...call, ...fields } });
    assert.deepEqual(create({ variables: { name: '{{call.collectedVariables.name}}' }, agentVersion: 3 }), []);
    assert.deepEqual(create({ type: 'chat' }).length, 1);
    assert.deepEqual(create({ to: '090' }), [
      '0.call.to: must be a valid phone number in E.164 format, such as +81312345678',
    ]);
    assert.deepEqual(create({ to: undefined }), ['0.call.to: is required']);
    assert.deepEqual(create({ startAt: 'soon' }), [
      '0.call.startAt: must be an ISO 8601 date-time, such as 2026-01-31T09:00:00Z',
    ]);
    assert.deepEqual(create({ startAt: '{{call.metadata.at}}' }), []);
    assert.deepEqual(create({ to: '{{call.phone}}' }), ['0.call.to: names call.phone, which is not a field of a call']);
  });
});
