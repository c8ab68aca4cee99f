import assert from 'node:assert/strict';
import { it } from 'node:test';
import { send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { newChat, on, parseStream, said, stream, TestClock } from './support.ts';

const shop = 'https://shop.example.com';

onEachEngine('an access token of a call', (engine) => {
  const clock = new TestClock();
  const service = useService(engine, { now: clock.now });

  it('may send messages, read events and end its call, and nothing else', async () => {
    const { key } = await service.newKey();
    const { id, access } = await newChat(service, key);
    const other = await newChat(service, key);
    const page = on(service, access.token, id);
    assert.deepEqual(said((await page.say('Hello')).json.turns), [
      ['caller', 'Hello'],
      ['agent', 'Hello'],
    ]);
    assert.equal((await page.eventPage()).status, 200);
    const refused = [
      await page.get(),
      await page.patch({ externalId: 'x' }),
      await page.delete(),
      await page.redact('everything_except_pii'),
      await page.control({ action: 'mute_agent' }),
      await page.token(),
      await page.transcript(),
      await page.recording(),
      await send(service, 'GET', '/api/v1/calls', { key: access.token }),
      await send(service, 'POST', '/api/v1/calls', { key: access.token, body: {} }),
      await send(service, 'GET', '/api/v1/call-concurrency', { key: access.token }),
      await send(service, 'GET', '/api/v1/agents', { key: access.token }),
    ];
    for (const { status } of refused) assert.equal(status, 401);
    const elsewhere = on(service, access.token, other.id);
    for (const answer of [await elsewhere.say('Hi'), await elsewhere.eventPage(), await elsewhere.end()]) {
      assert.equal(answer.status, 404);
    }
    const { json } = await page.end();
    assert.deepEqual([json.status, json.endReason, json.endedBy], ['ended', 'caller_hangup', 'caller']);
  });

  it('that ends a call before it starts has canceled it', async () => {
    const { key } = await service.newKey();
    const { id, access } = await newChat(service, key);
    const { json } = await on(service, access.token, id).end();
    assert.deepEqual([json.status, json.endReason, json.endedBy], ['not_connected', 'canceled', 'caller']);
    assert.equal((await on(service, access.token, id).eventPage()).status, 200);
  });

  it('sees no tools and no control, and the numbers of what it sees stay', async () => {
    const { key } = await service.newKey();
    const { id, access } = await newChat(service, key);
    const page = on(service, access.token, id);
    await page.say('Hello');
    await on(service, key, id).control({ action: 'add_context', text: 'secret' });
    await on(service, key, id).control({ action: 'say', text: 'A colleague is here.' });
    const all = await on(service, key, id).events();
    const { json } = await page.eventPage();
    assert.deepEqual(
      json.items,
      all.filter(({ type }) => type !== 'control_applied'),
    );
    assert.equal(json.items.length, all.length - 2);
    // A page that reads on sees nothing twice.
    const next = await page.eventPage(`?cursor=${json.pagination.nextCursor}`);
    assert.deepEqual(next.json.items, []);
    let cursor = '';
    const seen: number[] = [];
    for (let count = 0; count < all.length; count += 1) {
      const one = await page.eventPage(`?limit=1${cursor}`);
      seen.push(...one.json.items.map(({ sequence }: { sequence: number }) => sequence));
      cursor = `&cursor=${one.json.pagination.nextCursor}`;
    }
    assert.deepEqual(
      seen,
      json.items.map(({ sequence }: { sequence: number }) => sequence),
    );
  });

  it('is valid until it expires if it has not joined, and until the end if it has', async () => {
    const { key } = await service.newKey();
    const late = await newChat(service, key, { call: { token: { expiresInSeconds: 30 } } });
    const joined = await newChat(service, key, { call: { token: { expiresInSeconds: 30 } } });
    const page = on(service, joined.access.token, joined.id);
    assert.equal((await on(service, late.access.token, late.id).eventPage()).status, 200);
    await page.say('Hello');
    clock.advance(30_001);
    const expired = on(service, late.access.token, late.id);
    for (const answer of [await expired.say('Hello'), await expired.eventPage(), await expired.end()]) {
      assert.deepEqual([answer.status, answer.json.error.code], [401, 'UNAUTHORIZED']);
    }
    assert.equal((await on(service, key, late.id).call()).status, 'registered');
    assert.equal((await page.say('Hello')).status, 200);
  });

  it('may read events for 60 s after the end, if it was in the call', async (context) => {
    clock.hold(context);
    const { key } = await service.newKey();
    const { id, access } = await newChat(service, key);
    const page = on(service, access.token, id);
    await page.say('Hello');
    const newer = (await on(service, key, id).token()).json.token;
    await on(service, key, id).end();
    assert.equal((await page.say('Hello')).status, 409);
    const ended = await page.end();
    assert.deepEqual([ended.status, ended.json.endReason], [200, 'api_end'], 'it stays as it is');
    const { json } = await page.eventPage();
    assert.equal(json.pagination.nextCursor, null);
    assert.equal((await on(service, newer, id).eventPage()).status, 401, 'it was never in the call');
    clock.advance(59_000);
    assert.equal((await page.eventPage()).status, 200);
    clock.advance(1001);
    assert.equal((await page.eventPage()).status, 401);
    assert.equal((await page.end()).status, 401);
  });

  it('is invalid as soon as there is a newer one, unless it has joined', async () => {
    const { key } = await service.newKey();
    const { id, access } = await newChat(service, key);
    const { json: second } = await on(service, key, id).token();
    assert.equal((await on(service, access.token, id).eventPage()).status, 401);
    await on(service, key, id).end();
    assert.equal((await on(service, access.token, id).eventPage()).status, 401, 'nor after the call');
    assert.equal((await on(service, second.token, id).eventPage()).status, 200);
    const reloaded = await newChat(service, key);
    await on(service, reloaded.access.token, reloaded.id).say('One');
    const { json: newer } = await on(service, key, reloaded.id).token();
    const before = on(service, reloaded.access.token, reloaded.id);
    const now = on(service, newer.token, reloaded.id);
    assert.equal((await before.say('Two')).status, 200, 'the page still has the call');
    assert.equal((await now.eventPage()).status, 200, 'reading does not join');
    assert.equal((await before.say('Three')).status, 200);
    assert.equal((await now.say('Four')).status, 200);
    for (const answer of [await before.say('Five'), await before.eventPage(), await before.end()]) {
      assert.equal(answer.status, 401);
    }
    assert.equal((await now.say('Six')).status, 200);
  });

  it('can be made while the call is open, with its own life and origins', async () => {
    const { key } = await service.newKey();
    const { id } = await newChat(service, key);
    const chat = on(service, key, id);
    const { json } = await chat.token({ expiresInSeconds: 600, allowedOrigins: [shop] });
    assert.deepEqual(Object.keys(json), ['token', 'expiresAt', 'liveUrl']);
    assert.ok(Date.parse(json.expiresAt) - clock.now() > 590_000);
    for (const body of [
      { expiresInSeconds: 29 },
      { expiresInSeconds: 601 },
      { allowedOrigins: ['*'] },
      { allowedOrigins: [`${shop}/path`] },
      { allowedOrigins: ['http://shop.example.com'] },
      { allowedOrigins: Array.from({ length: 11 }, (_, place) => `https://s${place}.example.com`) },
    ]) {
      assert.equal((await chat.token(body)).status, 400, JSON.stringify(body));
    }
    const page = on(service, json.token, id);
    assert.equal((await page.say('Hello')).status, 401, 'without an origin');
    assert.equal((await page.say('Hello', { origin: 'https://evil.example' })).status, 401);
    const answer = await page.say('Hello', { origin: shop });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('access-control-allow-origin'), shop);
    assert.match(answer.headers.get('vary') ?? '', /Origin/);
    assert.equal(answer.headers.get('access-control-allow-credentials'), null);
    await chat.end();
    const refused = await chat.token();
    assert.deepEqual(
      [refused.status, refused.json.error.details],
      [409, { status: 'ended', allowed: ['registered', 'ongoing'], reason: null }],
    );
  });

  it('does not exist for phone calls', async () => {
    const { key } = await service.newKey();
    const { id } = await newChat(service, key, { call: { type: 'web' } });
    assert.equal((await on(service, key, id).token()).status, 201);
    const rewrite = async (from: string, to: string) =>
      service.database.run('UPDATE calls SET doc = replace(doc, $2, $3) WHERE id = $1', [id, from, to]);
    // There is no other way to one yet.
    await rewrite('"type":"web"', '"type":"phone"');
    const { status, json } = await on(service, key, id).token();
    assert.deepEqual([status, json.error.details.reason], [409, 'no_access_for_phone']);
  });

  it('is answered with CORS headers, errors and streams included', async () => {
    const { key } = await service.newKey();
    const { id, access } = await newChat(service, key);
    const headers = { origin: shop };
    const streamed = await stream(service, access.token, id, 'Hello', headers);
    assert.deepEqual([streamed.status, streamed.events.at(-1)?.event], [200, 'done']);
    assert.equal(streamed.headers.get('access-control-allow-origin'), shop);
    const page = on(service, access.token, id);
    const answers = [await page.eventPage('', headers), await page.say(undefined, headers), await page.end(headers)];
    assert.deepEqual(
      answers.map(({ status, headers: got }) => [status, got.get('access-control-allow-origin')]),
      [
        [200, shop],
        [422, shop],
        [200, shop],
      ],
    );
    assert.equal((await on(service, key, id).eventPage('', headers)).headers.get('access-control-allow-origin'), null);
    for (const [path, methods] of [
      [`/api/v1/calls/${id}/messages`, 'POST'],
      [`/api/v1/calls/${id}/events`, 'GET, HEAD'],
      [`/api/v1/calls/${id}/end`, 'POST'],
    ] as const) {
      const response = await fetch(service.url + path, { method: 'OPTIONS', headers });
      assert.deepEqual([response.status, response.headers.get('access-control-allow-methods')], [204, methods]);
    }
    assert.deepEqual(parseStream(''), []);
  });

  it('scopes Idempotency-Keys to its call', async () => {
    const { key } = await service.newKey();
    const [one, two] = [await newChat(service, key), await newChat(service, key)];
    const headers = { 'idempotency-key': 'message 1' };
    for (const { id, access } of [one, two]) {
      const first = await on(service, access.token, id).say(`to ${id}`, headers);
      const second = await on(service, access.token, id).say(`to ${id}`, headers);
      assert.deepEqual([first.status, second.status, second.json], [200, 200, first.json]);
      assert.equal(second.headers.get('idempotent-replayed'), 'true');
    }
    assert.equal((await on(service, key, one.id).say('third', headers)).status, 200, 'nor with keys of the workspace');
  });

  it('has audit entries under the API key that created it', async () => {
    const { key, id: keyId } = await service.newKey();
    const { id, access } = await newChat(service, key);
    await on(service, access.token, id).end();
    const { json } = await send(service, 'GET', '/api/v1/audit-log', { key });
    const { routeId, resourceId, keyId: by } = json.items[0];
    assert.deepEqual([routeId, resourceId, by], ['calls.end', id, keyId]);
  });
});
