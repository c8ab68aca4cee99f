import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { backUpToBytes } from '../../backup/support.ts';
import { locationOf, onEachEngine } from '../../support/engines.ts';
import { startService } from '../../support/service.ts';
import { accountSid, apiKey, authToken, phoneClient, twilioCarrier, usePhoneWorld } from './resources.ts';

onEachEngine('the credentials of a carrier', (engine) => {
  const world = usePhoneWorld(engine);

  it('appear in no response, log line, event, audit entry, database file or backup', async () => {
    // Alone, so that the whole database can be searched.
    const own = await startService(engine, { twilioUrl: world.twilio.address, calls: { publicUrl: world.door.url } });
    world.door.port = own.port;
    const texts: string[] = [];
    const client = phoneClient(own, (await own.newKey()).key);
    const call = async (status: number, method: string, path: string, body?: object) => {
      const answer = await client.call(status, method, path, body, { 'idempotency-key': `${method} ${path}` });
      texts.push(answer.text, JSON.stringify([...answer.headers]));
      return answer.json;
    };
    const credentials = { authToken, apiKeySid: apiKey.sid, apiKeySecret: apiKey.secret };
    const { id } = await call(201, 'POST', '/carriers', twilioCarrier({ credentials }));
    world.addNumber('+81312345678', { voiceUrl: 'https://old.example.com/voice' });
    const number = await call(201, 'POST', '/phone-numbers', { carrierId: id, number: '+81312345678' });
    await client.checked(number.id);
    await call(200, 'POST', `/carriers/${id}/verify`);
    await call(200, 'PATCH', `/carriers/${id}`, { credentials: { authToken: `${authToken}-2` } });
    await client.call(200, 'POST', `/phone-numbers/${number.id}/verify`);
    await call(200, 'GET', `/carriers/${id}/numbers`);
    // The job that restores the voice URL carries them.
    await call(200, 'DELETE', `/phone-numbers/${number.id}`);
    await call(400, 'POST', '/carriers', twilioCarrier({ credentials: { ...credentials, apiKeySecret: 'x y' } }));
    for (const path of ['/carriers', `/carriers/${id}`, '/audit-log', '/events']) await call(200, 'GET', path);
    const test = await client.testCarrier();
    await client.call(200, 'POST', `/carriers/${test.id}/verify`);
    texts.push(JSON.stringify(own.log));
    await own.close();
    const location = locationOf(own.databaseUrl);
    if (location.engine === 'sqlite') texts.push(readFileSync(location.file, 'latin1'));
    const { bytes } = await backUpToBytes(own.databaseUrl);
    texts.push(zstdDecompressSync(bytes).toString());
    assert.ok(texts.some((text) => text.includes(accountSid)));
    for (const secret of [authToken, apiKey.sid, apiKey.secret]) {
      for (const text of texts) {
        assert.ok(!text.includes(secret), secret);
        assert.ok(!text.includes(Buffer.from(secret).toString('base64').replace(/=+$/, '')), secret);
      }
    }
  });
});
