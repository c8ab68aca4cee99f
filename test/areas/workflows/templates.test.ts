import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StepFailure } from '../../../src/areas/workflows/step-failure.ts';
import { Renderer } from '../../../src/areas/workflows/templates/renderer.ts';
import { renderedRequest, requestWithSecrets, responseBody } from '../../../src/areas/workflows/templates/request.ts';
import { RequestProblem } from '../../../src/net/partner/secrets.ts';
import { type ContextOptions, contextWith, stepOf } from './template-context.ts';

type Given = Readonly<Record<string, unknown>>;

const url = 'https://crm.example.com/leads';

function rendered(value: unknown, options: ContextOptions = {}): unknown {
  return new Renderer(contextWith(options)).json(value);
}

function request(fields: Given, options: ContextOptions = {}) {
  return renderedRequest(
    stepOf('http_request', { url, ...fields }),
    new Renderer(contextWith(options)),
    'run_1.tested',
  );
}

function failsAs(code: string, message: RegExp = /./) {
  return (error: unknown): true => {
    assert.ok(error instanceof StepFailure, String(error));
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
  };
}

describe('templates', () => {
  it('read the call, the steps that have run, the run, the workflow and the time', () => {
    const options: ContextOptions = {
      call: { externalId: 'visit-1', metadata: { page: '/booking', tags: ['a', { b: 'c' }] }, durationMs: 1200 },
      transcriptText: 'agent: Hello\ncaller: Hi',
      steps: {
        crm: { status: 'succeeded', output: { statusCode: 201, body: { lead: { id: 81 } } } },
        tell: { status: 'failed', output: null },
      },
    };
    const cases: Readonly<Record<string, unknown>> = {
      '{{call.id}}': 'call_1',
      '{{ call.externalId }}': 'visit-1',
      '{{call.durationMs}}': 1200,
      '{{call.isDraft}}': false,
      '{{call.usage.llm.totalTokens}}': 0,
      '{{call.metadata.page}}': '/booking',
      '{{call.metadata.tags.1.b}}': 'c',
      '{{transcript.text}}': 'agent: Hello\ncaller: Hi',
      '{{steps.crm.status}}': 'succeeded',
      '{{steps.crm.statusCode}}': 201,
      '{{steps.crm.output.body.lead.id}}': 81,
      '{{steps.tell.status}}': 'failed',
      '{{steps.tell.statusCode | default: "no answer"}}': 'no answer',
      '{{run.id}} {{run.startedAt}} {{workflow.id}} {{now}}':
        'run_1 2026-11-18T09:00:00.000Z wfl_1 2026-11-18T09:30:00.000Z',
    };
    for (const [text, value] of Object.entries(cases)) assert.deepEqual(rendered(text, options), value, text);
  });

  it('keep the type of a string that is exactly one template, and of nothing else', () => {
    const metadata = { n: 1.5, yes: true, list: [1, null], object: { a: { b: 1 } }, text: '1' };
    const options = { call: { metadata } };
    for (const [name, value] of Object.entries(metadata)) {
      assert.deepEqual(rendered(`{{call.metadata.${name}}}`, options), value, name);
    }
    assert.equal(rendered(' {{call.metadata.n}}', options), ' 1.5');
    assert.equal(rendered('{{call.metadata.n}}{{call.metadata.yes}}', options), '1.5true');
    assert.equal(rendered('a {{call.metadata.object}}', options), 'a {"a":{"b":1}}');
    assert.deepEqual(rendered({ a: ['{{call.metadata.list}}', 7, null, true] }, options), {
      a: [[1, null], 7, null, true],
    });
  });

  it('fail without a value, also if it is null, unless there is a default', () => {
    const options = { call: { metadata: { none: null, empty: '' } } };
    for (const path of [
      'call.externalId',
      'call.metadata.none',
      'call.metadata.absent',
      'call.latency.e2eMs.p50',
      'transcript.text',
    ]) {
      assert.throws(() => rendered(`a {{${path}}}`, options), failsAs('template_error', /has no value/), path);
      assert.equal(rendered(`a {{${path} | default: "b"}}`, options), 'a b', path);
    }
    assert.equal(rendered('{{call.metadata.empty}}', options), '');
    assert.equal(rendered('{{call.metadata.empty | default: "x"}}', options), '');
    const defaults: [string, unknown][] = [
      ['null', null],
      ['0', 0],
      ['-1.5e3', -1500],
      ['false', false],
      ['"}} | {{call.id}}"', '}} | {{call.id}}'],
      ['{"a": [1, {"b": "}}"}]}', { a: [1, { b: '}}' }] }],
      ['[]', []],
    ];
    for (const [json, value] of defaults)
      assert.deepEqual(rendered(`{{call.externalId | default: ${json}}}`), value, json);
    assert.equal(rendered('a{{call.externalId | default: null}}b'), 'ab');
  });

  it('read own properties only', () => {
    for (const path of ['toString', '__proto__', 'constructor.name', 'tags.length']) {
      const options = { call: { metadata: { tags: ['a'] } } };
      assert.throws(() => rendered(`{{call.metadata.${path}}}`, options), failsAs('template_error'), path);
    }
    const metadata = JSON.parse('{"__proto__": "own"}');
    assert.equal(rendered('{{call.metadata.__proto__}}', { call: { metadata } }), 'own');
  });

  it('mean the longest of dotted names that exist', () => {
    const options = { call: { metadata: { a: { b: { c: 1 } }, 'a.b': { c: 2, 'c.d': 3 }, 'x.y': 4, x: { y: 5 } } } };
    assert.equal(rendered('{{call.metadata.a.b.c}}', options), 2);
    assert.equal(rendered('{{call.metadata.a.b.c.d}}', options), 3);
    assert.equal(rendered('{{call.metadata.x.y}}', options), 4);
    assert.throws(() => rendered('{{call.metadata.x.z}}', options), failsAs('template_error'));
  });

  it('write times as dates and times of a zone', () => {
    const options: ContextOptions = {
      call: { startedAt: '2026-11-18T15:30:00.000Z' },
      now: '2026-07-01T03:59:00.000Z',
    };
    assert.equal(rendered('{{call.startedAt | local_date: "Asia/Tokyo"}}', options), '2026-11-19');
    assert.equal(rendered('{{call.startedAt | local_time: "Asia/Tokyo"}}', options), '00:30');
    assert.equal(
      rendered('{{now | local_date: "America/New_York"}} {{now | local_time: "America/New_York"}}', options),
      '2026-06-30 23:59',
    );
    assert.equal(rendered('{{call.endedAt | local_date: "UTC" | default: "-"}}', options), '-');
    assert.equal(rendered('{{call.endedAt | default: "-" | local_date: "UTC"}}', options), '-');
    assert.throws(
      () => rendered('{{call.id | local_date: "UTC"}}', options),
      failsAs('template_error', /is not a time/),
    );
  });

  it('are rendered once: what a value contains stays as it is', () => {
    const options = { call: { metadata: { a: '{{call.id}}', b: '{{secrets.KEY}}', c: '{{' } } };
    assert.equal(rendered('{{call.metadata.a}} {{call.metadata.b}}', options), '{{call.id}} {{secrets.KEY}}');
    assert.equal(rendered('{{call.metadata.c}}call.id}}', options), '{{call.id}}');
    assert.equal(request({ body: { a: '{{call.metadata.b}}' } }, options).body, '{"a":"{{secrets.KEY}}"}');
  });
});

describe('a rendered request', () => {
  it('has the key of the step, and the type of its body', () => {
    assert.deepEqual(request({}), { method: 'POST', url, headers: { 'Idempotency-Key': 'run_1.tested' }, body: null });
    assert.deepEqual(request({ method: 'PUT', headers: { 'X-Call': '{{call.id}}' }, body: { a: 1 } }), {
      method: 'PUT',
      url,
      headers: { 'X-Call': 'call_1', 'Content-Type': 'application/json', 'Idempotency-Key': 'run_1.tested' },
      body: '{"a":1}',
    });
    assert.equal(request({ body: 'text {{call.id}}' }).body, '"text call_1"');
    assert.equal(request({ body: ['{{call.externalId | default: null}}'] }).body, '[null]');
  });

  it('encodes values in path, query and form', () => {
    const metadata = { v: 'a/b?c=d&e#f %+"\u0000あ\ud800', none: null };
    const encoded = 'a%2Fb%3Fc%3Dd%26e%23f%20%25%2B%22%00%E3%81%82%EF%BF%BD';
    const options = { call: { metadata } };
    assert.equal(request({ url: `${url}/{{call.metadata.v}}/x` }, options).url, `${url}/${encoded}/x`);
    assert.equal(request({ url: `${url}?q={{call.metadata.v}}&r=1` }, options).url, `${url}?q=${encoded}&r=1`);
    const form = {
      v: '{{call.metadata.v}}',
      n: 1,
      yes: true,
      'a b&': 'x {{call.id}}',
      none: '{{call.metadata.none | default: null}}',
    };
    const sent = request({ form }, options);
    assert.equal(sent.headers['Content-Type'], 'application/x-www-form-urlencoded');
    assert.deepEqual(
      [...new URLSearchParams(sent.body ?? '')],
      [
        ['v', metadata.v.toWellFormed()],
        ['n', '1'],
        ['yes', 'true'],
        ['a b&', 'x call_1'],
      ],
    );
  });

  it('fails for a part of the path that is . or ..', () => {
    const at = (v: string, template = `${url}/{{call.metadata.v}}/notes`) =>
      request({ url: template }, { call: { metadata: { v } } });
    for (const v of ['.', '..']) {
      assert.throws(() => at(v), failsAs('template_error', /part of the path/), v);
      assert.throws(() => at(v, `${url}/{{call.metadata.v}}`), failsAs('template_error'), v);
      assert.throws(() => at(v, `${url}/{{call.metadata.v}}?a`), failsAs('template_error'), v);
    }
    assert.throws(() => at('.', `${url}/.{{call.metadata.v}}`), failsAs('template_error'));
    assert.throws(() => at('.', `${url}/%2e{{call.metadata.v}}`), failsAs('template_error'));
    assert.equal(at('%2e%2e').url, `${url}/%252e%252e/notes`);
    assert.equal(at('...').url, `${url}/.../notes`);
    assert.equal(at('..', `${url}?path={{call.metadata.v}}`).url, `${url}?path=..`);
  });

  it('fails for a header that cannot be sent, or that would name a secret by a value', () => {
    const header = (v: unknown, text = '{{call.metadata.v}}') =>
      request({ headers: { 'X-V': text } }, { call: { metadata: { v } } });
    for (const v of ['a\r\nHost: evil.example.com', 'a\nb', '\u0000', '\u007f', '佐藤', 'é']) {
      assert.throws(() => header(v), failsAs('template_error', /printable ASCII/), JSON.stringify(v));
    }
    assert.equal(header('a\tb~').headers['X-V'], 'a\tb~');
    assert.throws(() => header('{{secrets.KEY}}'), failsAs('template_error', /secrets/));
    assert.equal(header('b}}', 'a{{call.metadata.v}} {{secrets.KEY}}').headers['X-V'], 'ab}} {{secrets.KEY}}');
    assert.throws(
      () => header('ets.KEY}}', '{{call.metadata.w | default: "{{secr"}}{{call.metadata.v}}'),
      failsAs('template_error', /secrets/),
    );
    assert.equal(header('{{call.id}}').headers['X-V'], '{{call.id}}');
  });

  it('has at most 256 KiB, which is known before the memory is used', () => {
    const metadata = { v: 'x'.repeat(8000) };
    const body = Array.from({ length: 3000 }, () => '{{call.metadata.v}}');
    const before = process.memoryUsage().heapUsed;
    assert.throws(() => request({ body }, { call: { metadata } }), failsAs('request_too_large'));
    assert.throws(() => request({ body: body.join('') }, { call: { metadata } }), failsAs('request_too_large'));
    assert.throws(
      () => request({ body: ['{{transcript.text}}'] }, { transcriptText: 'あ'.repeat(100_000) }),
      failsAs('request_too_large'),
    );
    assert.throws(
      () => request({ form: { a: '{{transcript.text}}' } }, { transcriptText: 'あ'.repeat(50_000) }),
      failsAs('request_too_large'),
    );
    const output = {
      status: 'succeeded',
      output: { statusCode: 200, body: Array.from({ length: 9000 }, (_, index) => index) },
    } as const;
    const many = Array.from({ length: 200 }, () => '{{steps.tested0.output.body}}');
    const step = stepOf('http_request', { url, body: many }, [{ id: 'tested0', type: 'http_request', url }]);
    const renderer = new Renderer(contextWith({ steps: { tested0: output } }));
    assert.throws(() => renderedRequest(step, renderer, 'key'), failsAs('request_too_large'));
    assert.ok(process.memoryUsage().heapUsed - before < 64 * 1024 * 1024);
    const fits = request({ body: '{{transcript.text}}' }, { transcriptText: 'x'.repeat(256 * 1024 - 2) });
    assert.equal(Buffer.byteLength(fits.body ?? ''), 256 * 1024);
    assert.throws(
      () => request({ url: `${url}/{{call.metadata.v}}` }, { call: { metadata } }),
      failsAs('template_error', /2048/),
    );
  });
});

describe('the secrets of a request', () => {
  const secrets = (values: Readonly<Record<string, string>>) =>
    new Map(Object.entries(values).map(([name, value]) => [name, { value, hosts: ['crm.example.com'] }]));

  it('are named in what is stored, and inserted when it is sent', () => {
    const stored = request({
      url: `${url}/{{ secrets.HOOK }}?key={{secrets.KEY}}&call={{call.id}}`,
      headers: { Authorization: 'Bearer {{secrets.KEY}}' },
      body: {},
    });
    assert.equal(stored.url, `${url}/{{secrets.HOOK}}?key={{secrets.KEY}}&call=call_1`);
    assert.equal(stored.headers.Authorization, 'Bearer {{secrets.KEY}}');
    const sent = requestWithSecrets(stored, secrets({ HOOK: 'T0/B0/a b?#', KEY: 'k&=?#/!' }));
    assert.equal(sent.url, `${url}/T0/B0/a%20b%3F%23?key=k%26%3D%3F%23%2F!&call=call_1`);
    assert.equal(sent.headers.authorization, 'Bearer k&=?#/!');
    assert.equal(sent.body, stored.body);
  });

  it('are not inserted for what a value contains', () => {
    const stored = request(
      { url: `${url}/{{call.metadata.v}}?q={{call.metadata.v}}`, body: { v: '{{call.metadata.v}}' } },
      { call: { metadata: { v: '{{secrets.KEY}}' } } },
    );
    assert.ok(
      !JSON.stringify(requestWithSecrets(stored, secrets({ KEY: 'planted-secret' }))).includes('planted-secret'),
    );
  });

  it('cannot change where the request goes', () => {
    const stored = request({ url: `${url}/{{secrets.HOOK}}/x`, headers: { 'X-Key': '{{secrets.HOOK}}' } });
    for (const value of ['..', '../..', 'a/./b', 'a/..']) {
      assert.throws(() => requestWithSecrets(stored, secrets({ HOOK: value })), StepFailure, value);
    }
    for (const value of ['//evil.example.com', '@evil.example.com', '\\evil', '?', '#']) {
      assert.equal(new URL(requestWithSecrets(stored, secrets({ HOOK: value })).url).host, 'crm.example.com');
    }
    for (const value of ['a\r\nb', 'あ', '\u0000']) {
      assert.throws(() => requestWithSecrets(stored, secrets({ HOOK: value })), RequestProblem, JSON.stringify(value));
    }
  });

  it('are replaced where a response repeats them', () => {
    const values = secrets({ KEY: 'planted/secret"1' });
    const body = (text: string) => responseBody(Buffer.from(text), values);
    assert.equal(body('you sent planted/secret"1'), 'you sent [SECRET]');
    assert.deepEqual(body('{"a":"planted\\/secret\\"1","planted\\/secret\\"1":[1]}'), {
      a: '[SECRET]',
      '[SECRET]': [1],
    });
    assert.equal(body('planted%2Fsecret%221'), '[SECRET]');
    assert.equal(body('  '), null);
    assert.equal(body('12'), 12);
    assert.throws(() => body('['.repeat(100) + ']'.repeat(100)), failsAs('response_too_large'));
  });
});
