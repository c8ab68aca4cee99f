import assert from 'node:assert/strict';
import { it } from 'node:test';
import twilio from 'twilio';
import { onEachEngine } from '../../../support/engines.ts';
import { authToken, base, bodyOf, ourNumber, theirNumber, useWorlds, type World } from './support.ts';

onEachEngine('a request of the carrier', (engine) => {
  const worlds = useWorlds(engine);
  const form = { CallSid: `CC${'1'.repeat(32)}`, From: theirNumber, To: ourNumber, CallStatus: 'ringing' };
  const start = async (): Promise<World> => {
    const world = await worlds.start();
    const inbound = { enabled: true, agentId: 'agt_1', agentVersion: 'published' as const, requestUrl: null };
    await world.addNumber({ inbound: { ...inbound, fallback: null, allowedCountries: [], blockedNumbers: [] } });
    return world;
  };
  const addressOf = ({ carrier }: World): string => `${base}/carrier/v1/${carrier.id}/voice`;
  const official = (url: string, token = authToken): string => twilio.getExpectedTwilioSignature(token, url, form);
  const rejects = (promise: Promise<unknown>) => assert.rejects(promise, { code: 'UNAUTHORIZED' });

  it('with the signature of the official package is accepted, whatever its Host header', async () => {
    const world = await start();
    const signature = official(addressOf(world));
    const headers = { host: 'evil.example.com', 'x-forwarded-host': 'evil.example.com' };
    assert.equal((await world.request('/voice', form, { signature, headers })).status, 200);
  });

  it('that is replayed is the same call', async () => {
    const world = await start();
    const signature = official(addressOf(world));
    for (let time = 0; time < 3; time += 1) await world.request('/voice', form, { signature });
    assert.equal(world.calls.calls.size, 1);
  });

  it('with a bad, missing or foreign signature is 401, and nothing is stored', async () => {
    const world = await start();
    const other = await start();
    await rejects(world.request('/voice', form, { signature: official(addressOf(world), 'another token') }));
    await rejects(world.request('/voice', form, { signature: '' }));
    await rejects(world.request('/voice', form, { signature: null }));
    await rejects(world.request('/voice', form, { signature: official(addressOf(other)) }));
    await rejects(world.request('/voice', form, { signature: official('https://evil.example.com/voice') }));
    const changed = { ...form, To: '+81311111111' };
    await rejects(world.request('/voice', changed, { signature: official(addressOf(world)) }));
    const rows = await world.database.all('SELECT call_id FROM phone_dials WHERE workspace_id = $1', [
      world.workspaceId,
    ]);
    assert.equal(rows.length, 0);
  });

  it('for an unknown carrier is 404', async () => {
    const world = await start();
    await assert.rejects(world.request('/voice', form, { carrierId: 'car_unknown' }), { code: 'NOT_FOUND' });
  });

  it('for the call of another carrier is 404, although it is signed', async () => {
    const [world, other] = [await start(), await start()];
    await world.request('/voice', form);
    const [call] = world.calls.calls.values();
    await assert.rejects(other.request(`/calls/${call?.id}/rejoin`, form), { code: 'NOT_FOUND' });
  });

  it('that opens a socket is signed as wss, and nothing else', async () => {
    const world = await start();
    const document = bodyOf(await world.request('/voice', form));
    const [, url = ''] = /<Stream url="([^"]+)"/.exec(document) ?? [];
    const [route] = world.dialing.sockets;
    const token = url.split('/').at(-1) ?? '';
    const accept = (signature: string, given = token) =>
      route?.accept({
        ...{ requestId: 'req', protocols: [], params: { carrierId: world.carrier.id, token: given } },
        headers: signature === '' ? {} : { 'x-twilio-signature': signature },
      });
    const sign = (address: string, key = authToken) => twilio.getExpectedTwilioSignature(key, address, {});
    const accepted = await accept(sign(url));
    assert.equal(accepted?.drain, 'stay');
    await rejects(accept(sign(url.replace('wss', 'https'))) as Promise<unknown>);
    await rejects(accept(sign(url, 'another token')) as Promise<unknown>);
    await rejects(accept('') as Promise<unknown>);
    const forged = `${token.slice(0, -2)}AA`;
    await rejects(accept(sign(url.replace(token, forged)), forged) as Promise<unknown>);
    world.clock.time += 60_000;
    await rejects(accept(sign(url)) as Promise<unknown>);
  });

  it('for a document is answered with a pause and the same address while the service cannot serve it', async () => {
    const { dialing, carrier } = await start();
    const expected = new twilio.twiml.VoiceResponse();
    const url = `/carrier/v1/${carrier.id}/voice`;
    expected.pause({ length: 1 });
    expected.redirect({ method: 'POST' }, url);
    const replies = dialing.plainRoutes.flatMap(({ id, whenUnavailable }) =>
      whenUnavailable === undefined ? [] : [[id, bodyOf(whenUnavailable(url))]],
    );
    // Others tell something that a repeated request would not contain.
    const ids = ['carrier.voice', 'carrier.answer', 'carrier.rejoin', 'carrier.brief'];
    assert.deepEqual(
      replies,
      ids.map((id) => [id, expected.toString()]),
    );
  });
});
