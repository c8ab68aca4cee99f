import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import twilio from 'twilio';
import {
  type CarrierClient,
  type CarrierCredentials,
  CarrierError,
  type DialRequest,
} from '../../../../src/voice/carriers/carrier.ts';
import { createTwilioClient } from '../../../../src/voice/carriers/twilio/client.ts';
import { freePort } from '../../../support/free-port.ts';
import { httpReceiver, httpsReceiver, rawReceiver } from '../../../support/receiver.ts';

const accountSid = `AC${'1'.repeat(32)}`;
const credentials: CarrierCredentials = { accountSid, authToken: 'planted-auth-token' };
const withKey = { ...credentials, apiKeySid: 'SK1', apiKeySecret: 'planted-key-secret' };
const account = `/2010-04-01/Accounts/${accountSid}`;
const callSid = `CA${'2'.repeat(32)}`;

const dialRequest: DialRequest = {
  to: '+819012345678',
  from: '+81312345678',
  answerUrl: 'https://voice.example.com/carrier/v1/car_1/calls/call_1/answer',
  statusUrl: 'https://voice.example.com/carrier/v1/car_1/calls/call_1/status',
  ringTimeoutMs: 29_500,
  maxDurationMs: 3_630_000,
  machineDetectionUrl: null,
};

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly authorization: string;
  readonly type: string;
  /** As it was sent. */
  readonly body: string;
  readonly form: readonly (readonly [string, string])[];
}

type Reply = { readonly status: number; readonly json?: unknown; readonly headers?: Record<string, string> };

/** A carrier that answers requests in turn, the last answer again and again, and remembers them. */
async function carrier(...replies: Reply[]) {
  const seen: Seen[] = [];
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = request;
    const { authorization = '', 'content-type': type = '' } = headers;
    const body = await text(request);
    seen.push({ method, path: url, authorization, type, body, form: [...new URLSearchParams(body)] });
    const { status, json, headers: sent } = replies[Math.min(seen.length, replies.length) - 1] as Reply;
    response.writeHead(status, { 'content-type': 'application/json', ...sent });
    response.end(json === undefined ? '' : JSON.stringify(json));
  };
  const { port, connections } = await httpReceiver((request, response) => void listener(request, response));
  const address = `http://127.0.0.1:${port}`;
  return { seen, connections, address, client: clientOf(address) };
}

function clientOf(
  baseUrl: string,
  options: { credentials?: CarrierCredentials; timeoutMs?: number } = {},
): CarrierClient {
  return createTwilioClient({ baseUrl, credentials, ...options });
}

/** The client of the official package, with another address. */
class OfficialClient extends twilio.RequestClient {
  readonly #address: string;

  constructor(address: string) {
    super({ keepAlive: false });
    this.#address = address;
  }

  override request<Data>(options: Parameters<typeof twilio.RequestClient.prototype.request<Data>>[0]) {
    return super.request<Data>({ ...options, uri: options.uri.replace('https://api.twilio.com', this.#address) });
  }
}

const anything = { sid: callSid, status: 'in-progress', calls: [], incoming_phone_numbers: [] };

/** Lets our client and the official one send requests to the same server, and compares them as they arrive. */
async function assertSame(
  ours: (client: CarrierClient) => Promise<unknown>,
  theirs: (client: twilio.Twilio) => Promise<unknown>,
): Promise<Seen> {
  const { seen, address, client } = await carrier({ status: 200, json: anything });
  await theirs(twilio(accountSid, credentials.authToken, { httpClient: new OfficialClient(address) }));
  await ours(client);
  const [expected, actual] = seen.map(({ body, form: _form, ...rest }) => ({ ...rest, body: body.split('&').sort() }));
  assert.equal(seen.length, 2);
  assert.deepEqual(actual, expected);
  return seen[1] as Seen;
}

describe('Requests are those of the official package, byte for byte:', () => {
  const dialed = {
    to: dialRequest.to,
    from: dialRequest.from,
    url: dialRequest.answerUrl,
    method: 'POST',
    statusCallback: dialRequest.statusUrl,
    statusCallbackMethod: 'POST',
    statusCallbackEvent: ['initiated', 'ringing', 'answered', 'completed'],
    timeout: 30,
    timeLimit: 3630,
  };

  it('create a call, with an event in each repeated StatusCallbackEvent', async () => {
    const { body } = await assertSame(
      (client) => client.dial(dialRequest),
      ({ calls }) => calls.create(dialed),
    );
    const events = body.split('&').filter((field) => field.startsWith('StatusCallbackEvent='));
    assert.deepEqual(
      events,
      dialed.statusCallbackEvent.map((event) => `StatusCallbackEvent=${event}`),
    );
  });

  it('create a call with answering machine detection', async () => {
    const machineDetectionUrl = 'https://voice.example.com/amd';
    await assertSame(
      (client) => client.dial({ ...dialRequest, machineDetectionUrl }),
      ({ calls }) =>
        calls.create({
          ...dialed,
          machineDetection: 'DetectMessageEnd',
          asyncAmd: 'true',
          asyncAmdStatusCallback: machineDetectionUrl,
          asyncAmdStatusCallbackMethod: 'POST',
        }),
    );
  });

  const rejoin = 'https://voice.example.com/rejoin';
  const voice = 'https://voice.example.com/voice';
  const [to, from] = [dialRequest.to, dialRequest.from];
  const rows: readonly (readonly [
    what: string,
    ours: (client: CarrierClient) => Promise<unknown>,
    theirs: (client: twilio.Twilio) => Promise<unknown>,
  ])[] = [
    [
      'update a call: end it',
      (client) => client.hangUp(callSid),
      ({ calls }) => calls(callSid).update({ status: 'completed' }),
    ],
    [
      'update a call: move it to an address',
      (client) => client.redirect(callSid, { url: rejoin }),
      ({ calls }) => calls(callSid).update({ url: rejoin, method: 'POST' }),
    ],
    [
      'update a call: move it to a document',
      (client) => client.redirect(callSid, { document: '<Response/>' }),
      ({ calls }) => calls(callSid).update({ twiml: '<Response/>' }),
    ],
    [
      'update a call: limit its duration',
      (client) => client.limitDuration(callSid, 629_500),
      ({ calls }) => calls(callSid).update({ timeLimit: 630 }),
    ],
    ['fetch a call', (client) => client.getCall(callSid), ({ calls }) => calls(callSid).fetch()],
    [
      'list calls between two numbers',
      (client) => client.findCalls({ to, from, since: 0 }),
      ({ calls }) => calls.page({ to, from, pageSize: 50 }),
    ],
    ['fetch the account', (client) => client.checkCredentials(), ({ api }) => api.v2010.accounts(accountSid).fetch()],
    [
      'list numbers',
      (client) => client.listNumbers(),
      ({ incomingPhoneNumbers }) => incomingPhoneNumbers.page({ pageSize: 1000 }),
    ],
    [
      'find a number',
      (client) => client.findNumber(from),
      ({ incomingPhoneNumbers }) => incomingPhoneNumbers.page({ phoneNumber: from }),
    ],
    [
      'update a number: route it, or remove an address',
      (client) => client.routeNumber('PN1', { voiceUrl: voice, statusUrl: null }),
      ({ incomingPhoneNumbers }) =>
        incomingPhoneNumbers('PN1').update({
          ...{ voiceUrl: voice, voiceMethod: 'POST', statusCallback: '', statusCallbackMethod: 'POST' },
        }),
    ],
  ];
  for (const [what, ours, theirs] of rows) it(what, async () => void (await assertSame(ours, theirs)));

  it('end a call that rings, in the other word', async () => {
    const json = { sid: callSid, status: 'ringing' };
    const { client, seen, address } = await carrier({ status: 200, json });
    await twilio(accountSid, credentials.authToken, { httpClient: new OfficialClient(address) })
      .calls(callSid)
      .update({ status: 'canceled' });
    await client.hangUp(callSid);
    assert.deepEqual(seen.at(-1)?.body, seen[0]?.body);
  });
});

describe('Credentials', () => {
  it('are the API key if there is one, else the account with its token', async () => {
    const { seen, client } = await carrier({ status: 200, json: {} });
    await client.getCall(callSid);
    const decoded = (line: string) => Buffer.from(line.replace('Basic ', ''), 'base64').toString();
    assert.equal(decoded(seen[0]?.authorization ?? ''), `${accountSid}:planted-auth-token`);
    const { port } = await httpReceiver((request, response) => {
      assert.equal(decoded(request.headers.authorization ?? ''), 'SK1:planted-key-secret');
      response.end('{"calls":[]}');
    });
    const keyed = clientOf(`http://127.0.0.1:${port}`, { credentials: withKey });
    assert.deepEqual(await keyed.checkCredentials(), { passed: true });
  });

  it('are checked with the account, or with its calls if there is an API key', async () => {
    const { seen, client } = await carrier({ status: 200, json: { sid: accountSid, status: 'active' } });
    assert.deepEqual(await client.checkCredentials(), { passed: true });
    assert.equal(seen[0]?.path, `${account}.json`);
  });

  it('that are wrong, and accounts that are suspended, do not pass', async () => {
    const wrong = await carrier({ status: 401, json: { code: 20003, message: 'Authenticate' } });
    assert.deepEqual(await wrong.client.checkCredentials(), {
      passed: false,
      message: 'The carrier did not accept the credentials (20003).',
    });
    const suspended = await carrier({ status: 200, json: { status: 'suspended' } });
    assert.equal((await suspended.client.checkCredentials()).passed, false);
    const unreachable = clientOf(`http://127.0.0.1:${await freePort()}`);
    assert.deepEqual(await unreachable.checkCredentials(), {
      passed: false,
      message: 'The carrier could not be reached. The connection could not be established.',
    });
  });
});

describe('A dial is', () => {
  it('confirmed with the id of the call', async () => {
    const { client, seen } = await carrier({ status: 201, json: { sid: callSid, status: 'queued' } });
    assert.deepEqual(await client.dial(dialRequest), { what: 'confirmed', providerCallId: callSid });
    assert.ok(seen[0]?.form.every(([name]) => !/Machine|Amd/.test(name)));
  });

  const refusals: readonly [status: number, code: number | undefined, endReason: string, shown: string][] = [
    [400, 21211, 'invalid_destination', '21211'],
    [400, 21217, 'invalid_destination', '21217'],
    [400, 13224, 'invalid_destination', '13224'],
    [400, 21215, 'destination_not_allowed', '21215'],
    [403, 21215, 'destination_not_allowed', '21215'],
    [400, 13227, 'destination_not_allowed', '13227'],
    [400, 21210, 'dial_failed', '21210'],
    [404, undefined, 'dial_failed', 'HTTP 404'],
    [401, 20003, 'carrier_failed', '20003'],
    [403, 20003, 'carrier_failed', '20003'],
    [401, undefined, 'carrier_failed', 'HTTP 401'],
  ];
  for (const [status, code, endReason, shown] of refusals) {
    it(`refused as ${endReason} by HTTP ${status} with ${code ?? 'no code'}`, async () => {
      const json = { code, message: `The number ${dialRequest.to} is not valid`, status };
      const { client, connections } = await carrier({ status, json });
      const outcome = await client.dial(dialRequest);
      assert.equal(outcome.what, 'refused');
      assert.ok(outcome.what === 'refused');
      assert.deepEqual([outcome.endReason, outcome.code], [endReason, shown]);
      assert.ok(outcome.detail.includes(shown) && !outcome.detail.includes(dialRequest.to));
      assert.equal(connections(), 1);
    });
  }

  it('not sent if the carrier has too many requests, with the time to wait', async () => {
    const { client } = await carrier({ status: 429, json: { code: 20429 }, headers: { 'retry-after': '7' } });
    const outcome = await client.dial(dialRequest);
    assert.deepEqual(outcome, {
      what: 'not_sent',
      retryAfterMs: 7000,
      detail: 'The carrier has too many requests (HTTP 429).',
    });
    const { client: vague } = await carrier({ status: 429, headers: { 'retry-after': 'tomorrow' } });
    assert.ok('retryAfterMs' in (await vague.dial(dialRequest)));
  });

  it('not sent if nobody listens, the name does not exist, or the certificate is not trusted', async () => {
    const { port, connections } = await httpsReceiver(() => assert.fail('a request arrived'));
    const addresses = [`http://127.0.0.1:${await freePort()}`, 'https://carrier.invalid', `https://127.0.0.1:${port}`];
    for (const address of addresses) {
      assert.equal((await clientOf(address).dial(dialRequest)).what, 'not_sent', address);
    }
    assert.equal(connections(), 1);
  });

  it('not sent if the proxy, which is for addresses with https, does not connect', async () => {
    const lines: string[] = [];
    const { port } = await rawReceiver((socket) => {
      socket.once('data', (data) => {
        lines.push(data.toString().split('\r\n')[0] ?? '');
        socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
      });
    });
    const proxy = `http://127.0.0.1:${port}`;
    const client = createTwilioClient({ baseUrl: 'https://carrier.invalid/', credentials, proxy });
    assert.equal((await client.dial(dialRequest)).what, 'not_sent');
    assert.deepEqual(lines, ['CONNECT carrier.invalid:443 HTTP/1.1']);
    const local = createTwilioClient({ baseUrl: `http://127.0.0.1:${await freePort()}`, credentials, proxy });
    assert.equal((await local.dial(dialRequest)).what, 'not_sent');
    assert.equal(lines.length, 1);
  });

  it('not sent if it was canceled before there was a connection', async () => {
    const { client, seen } = await carrier({ status: 201, json: { sid: callSid } });
    assert.equal((await client.dial(dialRequest, AbortSignal.abort())).what, 'not_sent');
    assert.equal(seen.length, 0);
  });

  it('unknown after a failure of the server, a redirect, and an answer without an id', async () => {
    for (const [status, json] of [
      [500, { code: 20500 }],
      [502, undefined],
      [503, {}],
      [301, undefined],
      [201, {}],
      [200, [callSid]],
    ] as const) {
      const { client, connections } = await carrier({ status, json });
      const outcome = await client.dial(dialRequest);
      assert.equal(outcome.what, 'unknown', `${status}`);
      assert.equal(connections(), 1);
    }
  });

  it('unknown if the connection ends after the request, at any byte of the response', async () => {
    const response = 'HTTP/1.1 201 Created\r\nContent-Length: 50\r\n\r\n{"sid":"CA1"';
    for (const length of [0, 9, 30, response.length]) {
      const { port, connections } = await rawReceiver((socket) => {
        socket.once('data', () => socket.end(response.slice(0, length)));
      });
      const outcome = await clientOf(`http://127.0.0.1:${port}`).dial(dialRequest);
      assert.equal(outcome.what, 'unknown', `${length}`);
      assert.equal(connections(), 1);
    }
  });

  it('unknown if the connection is reset after the request', async () => {
    const { port, connections } = await rawReceiver((socket) => {
      socket.once('data', () => socket.resetAndDestroy());
    });
    assert.equal((await clientOf(`http://127.0.0.1:${port}`).dial(dialRequest)).what, 'unknown');
    assert.equal(connections(), 1);
  });

  it('unknown if the response does not come in time, or the caller stops to wait for it', async () => {
    const { port } = await rawReceiver(() => {});
    const base = `http://127.0.0.1:${port}`;
    assert.deepEqual(await clientOf(base, { timeoutMs: 50 }).dial(dialRequest), {
      what: 'unknown',
      detail: 'The response did not arrive in time.',
    });
    const stop = new AbortController();
    const receiver = await rawReceiver((socket) => socket.once('data', () => stop.abort()));
    const client = clientOf(`http://127.0.0.1:${receiver.port}`);
    assert.equal((await client.dial(dialRequest, stop.signal)).what, 'unknown');
  });
});

const call = (fields: Record<string, unknown> = {}) => ({
  sid: callSid,
  from: '+81312345678',
  to: '+819012345678',
  direction: 'outbound-api',
  status: 'in-progress',
  date_created: 'Tue, 17 Nov 2026 20:36:28 +0000',
  start_time: 'Tue, 17 Nov 2026 20:36:29 +0000',
  end_time: '',
  duration: null,
  ...fields,
});
const createdAt = Date.UTC(2026, 10, 17, 20, 36, 28);

describe('Calls', () => {
  it('are found from the second of the request on, whatever else the carrier lists', async () => {
    const calls = [
      call({ sid: 'CA9', date_created: 'Tue, 17 Nov 2026 20:36:27 +0000' }),
      call(),
      call({ status: 'odd' }),
    ];
    const { client } = await carrier({ status: 200, json: { calls } });
    const found = await client.findCalls({ to: '+819012345678', from: '+81312345678', since: createdAt + 999 });
    assert.deepEqual(
      found.map(({ providerCallId }) => providerCallId),
      [callSid],
    );
  });

  it('are read with their state, times and duration', async () => {
    const ended = { status: 'completed', end_time: 'Tue, 17 Nov 2026 20:37:29 +0000', duration: '60' };
    const { client } = await carrier({ status: 200, json: call(ended) }, { status: 404, json: { code: 20404 } });
    assert.deepEqual(await client.getCall(callSid), {
      providerCallId: callSid,
      from: '+81312345678',
      to: '+819012345678',
      direction: 'outbound',
      state: 'completed',
      createdAt,
      startedAt: createdAt + 1000,
      endedAt: createdAt + 61_000,
      durationSeconds: 60,
    });
    assert.equal(await client.getCall(callSid), null);
  });

  it('are hung up in any state', async () => {
    const scripts: readonly (readonly [expected: string, requests: number, ...replies: Reply[]])[] = [
      ['over', 1, { status: 200, json: call({ status: 'completed' }) }],
      ['over', 1, { status: 404, json: { code: 20404 } }],
      ['requested', 1, { status: 200, json: call({ status: 'in-progress' }) }],
      [
        'over',
        2,
        { status: 200, json: call({ status: 'ringing' }) },
        { status: 200, json: call({ status: 'canceled' }) },
      ],
      ['over', 2, { status: 400, json: { code: 21220 } }, { status: 200, json: call({ status: 'no-answer' }) }],
      ['requested', 2, { status: 200, json: call({ status: 'queued', date_created: null }) }],
    ];
    for (const [expected, requests, ...replies] of scripts) {
      const { client, seen } = await carrier(...replies);
      assert.equal(await client.hangUp(callSid), expected);
      assert.equal(seen.length, requests);
      assert.deepEqual(seen[0]?.form, [['Status', 'completed']]);
      if (seen[1]?.method === 'POST') assert.deepEqual(seen[1].form, [['Status', 'canceled']]);
    }
  });

  it('are moved unless they are over', async () => {
    const target = { document: '<Response/>' };
    const { client } = await carrier(
      { status: 200, json: call() },
      { status: 400, json: { code: 21220 } },
      { status: 404, json: {} },
      { status: 200, json: call({ status: 'completed' }) },
    );
    const moved = [];
    for (let index = 0; index < 4; index += 1) moved.push(await client.redirect(callSid, target));
    assert.deepEqual(moved, [true, false, false, false]);
  });
});

const number = (fields: Record<string, unknown> = {}) => ({
  sid: 'PN1',
  phone_number: '+81312345678',
  friendly_name: 'Reception',
  capabilities: { voice: true, sms: false },
  voice_url: 'https://old.example.com/',
  status_callback: '',
  trunk_sid: null,
  voice_application_sid: '',
  ...fields,
});

describe('Numbers', () => {
  it('are read from all pages of the account, and from no other address', async () => {
    const next = `${account}/IncomingPhoneNumbers.json?Page=1`;
    const { client, seen } = await carrier(
      { status: 200, json: { incoming_phone_numbers: [number()], next_page_uri: next } },
      {
        status: 200,
        json: {
          incoming_phone_numbers: [number({ sid: 'PN2', trunk_sid: 'TK1', capabilities: { voice: false } }), {}],
          next_page_uri: 'https://evil.example.com/',
        },
      },
    );
    const numbers = await client.listNumbers();
    assert.deepEqual(numbers[0], {
      providerNumberId: 'PN1',
      number: '+81312345678',
      name: 'Reception',
      hasVoice: true,
      voiceUrl: 'https://old.example.com/',
      statusUrl: null,
      overriddenBy: null,
    });
    assert.deepEqual([numbers[1]?.overriddenBy, numbers[1]?.hasVoice, numbers.length], ['TK1', false, 2]);
    assert.deepEqual(seen[1]?.path, next);
    assert.equal(seen.length, 2);
  });

  it('are found if they are equal, not if they contain it', async () => {
    const json = { incoming_phone_numbers: [number({ phone_number: '+813123456780' })] };
    const { client } = await carrier(
      { status: 200, json },
      { status: 200, json: { incoming_phone_numbers: [number()] } },
    );
    assert.equal(await client.findNumber('+81312345678'), null);
    assert.equal((await client.findNumber('+81312345678'))?.providerNumberId, 'PN1');
  });
});

describe('Errors', () => {
  it('have a sentence of our own, never a secret or what the carrier wrote, and say whether to try again', async () => {
    const rows: readonly [status: number, code: string, isRetryable: boolean][] = [
      [401, '20003', false],
      [429, '20003', true],
      [500, '20003', true],
      [400, '20003', false],
    ];
    for (const [status, code, isRetryable] of rows) {
      const json = { code: Number(code), message: `planted-auth-token ${accountSid}` };
      const { client } = await carrier({ status, json });
      await assert.rejects(client.routeNumber('PN1', { voiceUrl: null, statusUrl: null }), (error) => {
        assert.ok(error instanceof CarrierError);
        assert.deepEqual([error.code, error.isRetryable], [code, isRetryable]);
        assert.doesNotMatch(`${error.stack} ${JSON.stringify(error)}`, /planted|AC111/);
        return true;
      });
    }
    const { client } = await carrier({ status: 200, json: { calls: 'many' } });
    await assert.rejects(client.findCalls({ to: '', from: '', since: 0 }), CarrierError);
  });
});
