import assert from 'node:assert/strict';
import { it } from 'node:test';
import { allRows } from '../../backup/support.ts';
import { onEachEngine } from '../../support/engines.ts';
import { newChat } from '../calls/support.ts';
import { eventReceiver, type Given, newWorkspace, onEnd, useWorkflowService } from './support.ts';

const own = { field: 'metadata.page', op: 'eq', value: '/booking' };
/** What counts and times requests of any kind. */
const countedTables = ['request_figures', 'api_keys'];

onEachEngine('a test of a workflow', (engine) => {
  const service = useWorkflowService(engine);

  const tester = async () => {
    const workspace = await newWorkspace(service);
    const { id: callId } = await workspace.endedCall({
      externalId: 'visit 1',
      metadata: { page: '/booking', from: '+81312345678' },
    });
    const test = (body: Given) => workspace.request('POST', '/workflows/test', { callId, ...body });
    const run = async (steps: readonly Given[], mocks: Given = {}, trigger: Given = onEnd) => {
      const { status, json, text } = await test({ definition: { trigger, steps }, mocks });
      assert.equal(status, 200, text);
      return json;
    };
    return { ...workspace, callId, test, run };
  };

  it('shows what each step would do, sends nothing and changes no row', async () => {
    const receiver = await eventReceiver();
    const { callId, run, secret, agent } = await tester();
    await secret('CRM_TOKEN', 'planted-crm-token');
    const { id: agentId } = await agent();
    const call = {
      type: 'phone',
      agentId,
      agentVersion: 'latest',
      fromPhoneNumberId: 'num_1',
      to: '{{call.metadata.from}}',
    };
    const steps = [
      {
        id: 'crm',
        type: 'http_request',
        url: `${receiver.url}/{{call.externalId}}`,
        headers: { Authorization: 'Bearer {{secrets.CRM_TOKEN}}' },
        body: { said: '{{transcript.text}}', id: '{{call.id}}' },
      },
      { id: 'pause', type: 'wait', at: '10:00', timeZone: 'Asia/Tokyo' },
      {
        id: 'choose',
        type: 'condition',
        routes: [{ if: { field: 'steps.crm.statusCode', op: 'eq', value: 200 }, next: 'note' }],
        otherwise: 'skipped',
      },
      { id: 'skipped', type: 'update_call', metadata: { skipped: true } },
      { id: 'note', type: 'update_call', metadata: { told: true }, externalId: 'told {{call.externalId}}' },
      { id: 'back', type: 'create_call', call: { ...call, metadata: { told: '{{call.metadata.told}}' } } },
      {
        id: 'last',
        type: 'http_request',
        url: receiver.url,
        form: { call: '{{steps.back.output.callId}}', id: '{{call.externalId}}' },
      },
    ];
    const before = await allRows(service.databaseUrl);
    const result = await run(steps);
    const after = await allRows(service.databaseUrl);
    for (const [table, rows] of Object.entries(before)) {
      if (!countedTables.includes(table)) assert.deepEqual(after[table], rows, table);
    }
    assert.equal(receiver.requests.length, 0);
    assert.equal(service.lines.dialed.length, 0);
    assert.ok(!JSON.stringify(result).includes('planted-crm-token'));

    assert.deepEqual([result.matched, result.end], [true, 'succeeded']);
    const step = (id: string) => result.steps.find((each: Given) => each.id === id);
    assert.deepEqual(
      result.steps.map(({ id, reached, assumed, problems }: Given) => [id, reached, assumed, problems]),
      [
        ['crm', true, true, []],
        ['pause', true, false, []],
        ['choose', true, false, []],
        ['skipped', false, false, []],
        ['note', true, false, []],
        ['back', true, true, []],
        ['last', true, true, []],
      ],
    );
    const { rendered } = step('crm');
    assert.equal(rendered.url, `${receiver.url}/visit%201`);
    assert.equal(rendered.headers.Authorization, 'Bearer {{secrets.CRM_TOKEN}}');
    const body = JSON.parse(rendered.body);
    assert.match(body.said, /^caller: Hello\nagent: /);
    assert.equal(body.id, callId);
    assert.match(step('pause').rendered.resumeAt, /T01:00:00.000Z$/);
    assert.deepEqual(step('choose').rendered, { matched: 0, next: 'note' });
    assert.equal(step('skipped').rendered, null);
    assert.deepEqual(step('note').rendered, { metadata: { told: true }, externalId: 'told visit 1' });
    assert.deepEqual([step('back').rendered.to, step('back').rendered.metadata], ['+81312345678', { told: true }]);
    assert.equal(new URLSearchParams(step('last').rendered.body).get('id'), 'told visit 1');
  });

  it('explains leaf by leaf why it would not start', async () => {
    const { test, callId, enabled, runs, agent } = await tester();
    const { id: otherAgent } = await agent();
    const filter = {
      all: [
        own,
        {
          any: [{ field: 'durationMs', op: 'gt', value: 1e9 }, { not: { field: 'status', op: 'eq', value: 'ended' } }],
        },
      ],
    };
    const definition = {
      trigger: { event: 'call_analyzed', agentIds: [otherAgent], filter },
      steps: [{ id: 'a', type: 'wait', seconds: 1 }],
    };
    const { json } = await test({ definition });
    assert.equal(json.matched, false);
    const leaves = json.filter.map(({ path, field, op, expected, result }: Given) => [
      path,
      field,
      op,
      expected,
      result,
    ]);
    assert.deepEqual(leaves, [
      ['event', 'analysis.status', 'in', ['completed', 'failed', 'skipped'], true],
      ['agentIds', 'agentId', 'in', [otherAgent], false],
      ['includeDrafts', 'isDraft', 'eq', false, false],
      ['all.0', 'metadata.page', 'eq', '/booking', true],
      ['all.1.any.0', 'durationMs', 'gt', 1e9, false],
      ['all.1.any.1.not', 'status', 'eq', 'ended', true],
    ]);
    assert.equal(json.filter[3].actual, '/booking');
    // It is tested all the same.
    assert.equal(json.steps[0].reached, true);
    const { id: workflowId } = await enabled(definition.steps, { ...onEnd, filter: own });
    const saved = await test({ workflowId });
    assert.deepEqual([saved.status, saved.json.matched], [200, true]);
    assert.deepEqual(await runs(`?callId=${callId}`), []);
  });

  it('takes what a mock says, as a run does', async () => {
    const { run } = await tester();
    const crm = { id: 'crm', type: 'http_request', url: 'https://crm.example.com/', otherwise: 'failed' };
    const steps = [
      crm,
      { id: 'done', type: 'update_call', metadata: { lead: '{{steps.crm.output.body.id}}' }, next: 'end' },
      { id: 'failed', type: 'update_call', metadata: { status: '{{steps.crm.statusCode | default: "none"}}' } },
    ];
    const outcome = async (mock: Given | undefined, fields: Given = {}) => {
      const { steps: tested, end } = await run(
        [{ ...crm, ...fields }, ...steps.slice(1)],
        mock === undefined ? {} : { crm: mock },
      );
      const reached = tested.filter(({ reached }: Given) => reached).map(({ id }: Given) => id);
      return [
        reached.join(' '),
        tested[0].problems[0]?.code ?? null,
        tested.at(-1).rendered?.metadata.status ?? null,
        end,
      ];
    };
    assert.deepEqual(await outcome({ statusCode: 201, body: { id: 81 } }), ['crm done', null, null, 'succeeded']);
    assert.deepEqual(await outcome({ statusCode: 404 }), ['crm failed', 'http_error', 404, 'succeeded']);
    assert.deepEqual(await outcome({ statusCode: 302 }), ['crm failed', 'redirect', 302, 'succeeded']);
    assert.deepEqual(await outcome({ error: 'timeout' }), ['crm failed', 'timeout', 'none', 'succeeded']);
    assert.deepEqual(await outcome({ statusCode: 404, body: { id: 1 } }, { expect: [404] }), [
      'crm done',
      null,
      null,
      'succeeded',
    ]);
    assert.deepEqual(await outcome({ statusCode: 200 }, { expect: [404] }), [
      'crm failed',
      'http_error',
      200,
      'succeeded',
    ]);
    // Without a mock: an empty body, which `done` needs more than.
    assert.deepEqual(await outcome(undefined), ['crm done', null, null, 'failed']);
    const alone = await run([{ ...crm, otherwise: null }], { crm: { error: 'timeout' } });
    assert.deepEqual([alone.steps[0].problems[0].code, alone.end], ['timeout', 'failed']);
  });

  it('shows problems of templates, and of calls whose content is not stored', async () => {
    const { run, endedCall, request } = await tester();
    const steps = [{ id: 'note', type: 'update_call', metadata: { a: '{{call.metadata.nothing}}' } }];
    const { steps: tested, end } = await run(steps);
    assert.equal(end, 'failed');
    assert.deepEqual(tested, [
      {
        id: 'note',
        reached: true,
        rendered: null,
        assumed: false,
        problems: [{ code: 'template_error', message: '{{call.metadata.nothing}} has no value' }],
      },
    ]);
    const { id: callId } = await endedCall({ dataStorageSetting: 'basic_attributes_only' });
    const definition = {
      trigger: onEnd,
      steps: [
        { id: 'note', type: 'update_call', metadata: { a: 1 }, otherwise: 'crm' },
        { id: 'crm', type: 'http_request', url: 'https://crm.example.com/' },
        { id: 'answer', type: 'update_call', externalId: '{{steps.crm.output.body.id}}' },
      ],
    };
    const answer = await request('POST', '/workflows/test', {
      callId,
      definition,
      mocks: { crm: { statusCode: 200, body: { id: 'x' } } },
    });
    const codes = answer.json.steps.map(({ problems }: { problems: { code: string }[] }) => problems[0]?.code ?? null);
    assert.deepEqual(codes, ['not_stored', null, 'template_error']);
  });

  it('is refused like a workflow that is created, and for a call that is open or unknown', async () => {
    const { test, key, secret } = await tester();
    const step = { id: 'crm', type: 'http_request', url: 'https://crm.example.com/' };
    const definition = (fields: Given) => ({ trigger: onEnd, steps: [{ ...step, ...fields }] });
    const refused = async (body: Given, status: number) => {
      const answer = await test(body);
      assert.equal(answer.status, status, answer.text);
      return answer.json.error.details;
    };
    const unknownCall = 'call_01m7f8np1p0000f5kznwj47tan9zt2';
    assert.deepEqual(await refused({ definition: definition({ next: 'x', url: 'https://{{call.id}}/' }) }, 400), {
      fieldErrors: {
        definition: [
          'steps.0.next: must be the id of a later step, or end',
          'steps.0.url: must not have templates in scheme, host or port',
        ],
      },
    });
    const privateAddress = 'must not be an address in a local, private or reserved network';
    assert.deepEqual(
      await refused({ callId: unknownCall, definition: definition({ url: 'https://10.0.0.1/{{call.id}}' }) }, 400),
      {
        fieldErrors: { definition: [`steps.0.url: ${privateAddress}`] },
      },
    );
    assert.deepEqual(Object.keys((await refused({}, 400)).fieldErrors), ['definition']);
    assert.deepEqual(await refused({ definition: definition({}), mocks: { other: { statusCode: 200 } } }, 400), {
      fieldErrors: { mocks: ['other: is not a step of the workflow'] },
    });
    await secret('KEY', 'secret-value', ['other.example.com']);
    const headers = { 'X-A': '{{secrets.KEY}}', 'X-B': '{{secrets.NONE}}' };
    assert.deepEqual(await refused({ definition: definition({ headers }) }, 422), {
      fieldErrors: {
        definition: [
          'steps.0.headers.X-A: uses the secret KEY, which may not be sent to crm.example.com',
          'steps.0.headers.X-B: uses the secret NONE, which does not exist',
        ],
      },
    });
    assert.deepEqual(await refused({ callId: unknownCall, workflowId: 'wfl_1' }, 422), {
      fieldErrors: { callId: ['is not a call of the workspace'], workflowId: ['is not a workflow of the workspace'] },
    });
    const { id: openCall } = await newChat(service, key);
    const { status, allowed } = await refused({ callId: openCall, definition: definition({ headers }) }, 409);
    assert.deepEqual([status, allowed], ['registered', ['ended', 'not_connected', 'error']]);
  });
});
