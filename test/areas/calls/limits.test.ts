import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send } from '../../support/client.ts';
import { onEachEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { create, newChat, on, said, testAgent, warningsIn } from './support.ts';

onEachEngine('the limits of calls', (engine) => {
  describe('in a call', () => {
    const service = useService(engine, { calls: { publicUrl: 'https://voice.example.com' } });

    for (const [column, value, detail] of [
      ['next_turn', 4998, '5000 turns'],
      ['next_event', 49_999, '50000 events'],
      ['transcript_bytes', 7 * 1024 * 1024, 'a transcript of 8 MiB'],
    ] as const) {
      it(`end it after ${detail}, and the last reply is still returned`, async () => {
        const { key } = await service.newKey();
        const chat = on(service, key, (await newChat(service, key)).id);
        await chat.say('One');
        await service.database.run(`UPDATE calls SET ${column} = $2 WHERE id = $1`, [chat.id, value]);
        const { status, json } = await chat.say('Two');
        assert.deepEqual(
          [status, json.status, said(json.turns)],
          [
            200,
            'ended',
            [
              ['caller', 'Two'],
              ['agent', 'Two'],
            ],
          ],
        );
        const call = await chat.call();
        assert.deepEqual([call.endReason, call.endedBy, call.endDetail], ['max_duration', 'system', detail]);
      });
    }

    for (const [column, value, detail] of [
      ['next_turn', 4998, '5000 turns'],
      ['next_event', 49_998, '50000 events'],
      ['transcript_bytes', 7 * 1024 * 1024, 'a transcript of 8 MiB'],
    ] as const) {
      it(`end it after ${detail}, also if the API adds what exceeds it`, async () => {
        const { key } = await service.newKey();
        const chat = on(service, key, (await newChat(service, key, { model: 'test-silent' })).id);
        await chat.say('One');
        await service.database.run(`UPDATE calls SET ${column} = $2 WHERE id = $1`, [chat.id, value]);
        for (const text of ['Two', 'Three']) await chat.control({ action: 'say', text });
        const call = await chat.call();
        assert.deepEqual([call.status, call.endReason, call.endDetail], ['ended', 'max_duration', detail]);
        assert.equal((await chat.control({ action: 'say', text: 'Four' })).status, 409);
      });
    }

    it('drop what would make a transcript larger than 8 MiB, with a warning', async () => {
      const { key } = await service.newKey();
      const chat = on(service, key, (await newChat(service, key)).id);
      await chat.say('One');
      const sql = 'UPDATE calls SET transcript_bytes = $2 WHERE id = $1';
      await service.database.run(sql, [chat.id, 8 * 1024 * 1024 - 1000]);
      assert.equal((await chat.say('x'.repeat(2000))).status, 200);
      assert.ok(warningsIn(await chat.events()).includes('content_dropped'));
      assert.deepEqual(said(await chat.turns()).slice(-2), [
        ['caller', ''],
        ['agent', ''],
      ]);
    });

    it('count what the agent is told during the call', async () => {
      const { key } = await service.newKey();
      const chat = on(service, key, (await newChat(service, key)).id);
      await chat.say('One');
      const sql = 'UPDATE calls SET transcript_bytes = $2 WHERE id = $1';
      await service.database.run(sql, [chat.id, 7 * 1024 * 1024 - 10]);
      assert.equal((await chat.control({ action: 'add_context', text: 'A member, since last year.' })).status, 200);
      const { endReason, endDetail } = await chat.call();
      assert.deepEqual([endReason, endDetail], ['max_duration', 'a transcript of 8 MiB']);
    });

    it('are those of a lost lease: the next message takes over, and no earlier', async () => {
      const { key } = await service.newKey();
      const chat = on(service, key, (await newChat(service, key)).id);
      await chat.say('One');
      const lease = (until: number) =>
        service.database.run("UPDATE calls SET owner = 'own_lost', lease_until = $2 WHERE id = $1", [chat.id, until]);
      await lease(Date.now() + 30_000);
      assert.equal((await chat.say('Two')).json.error.details.reason, 'reply_in_progress');
      await lease(Date.now() - 1);
      assert.equal((await chat.say('Two')).status, 200);
    });

    it('do not apply to live addresses, which start with the public URL', async () => {
      const { key } = await service.newKey();
      const { access, id } = await newChat(service, key);
      assert.equal(access.liveUrl, `wss://voice.example.com/live/v1/calls/${id}`);
    });

    it('let metadata be changed at any time, merged, within its size', async () => {
      const { key } = await service.newKey();
      const metadata = { page: '/', visit: { count: 1, from: 'ad' }, tags: ['a'] };
      const chat = on(service, key, (await newChat(service, key, { call: { metadata } })).id);
      const patched = await chat.patch({ metadata: { page: null, visit: { count: 2 }, tags: ['b'], __proto__x: 1 } });
      assert.equal(patched.status, 200);
      assert.deepEqual(patched.json.metadata, { visit: { count: 2, from: 'ad' }, tags: ['b'], __proto__x: 1 });
      await chat.say('Hello');
      assert.equal((await chat.patch({ externalId: 'visit-2' })).json.externalId, 'visit-2');
      await chat.end();
      const late = await chat.patch({ metadata: { visit: null, tags: null, late: true }, externalId: null });
      assert.deepEqual([late.json.metadata, late.json.externalId], [{ __proto__x: 1, late: true }, null]);
      assert.equal(late.json.status, 'ended');
      const merge = await send(service, 'PATCH', chat.path, {
        key,
        body: { metadata: { late: 2 } },
        headers: { 'content-type': 'application/merge-patch+json' },
      });
      assert.equal(merge.json.metadata.late, 2);
      const unchanged = await chat.patch({});
      assert.deepEqual([unchanged.status, unchanged.json.updatedAt], [200, merge.json.updatedAt]);
      for (const body of [
        { metadata: { big: 'x'.repeat(8 * 1024) } },
        { metadata: Object.fromEntries(Array.from({ length: 49 }, (_, place) => [`k${place}`, 1])) },
        { metadata: { '1': 1 } },
        { metadata: [] },
        { externalId: '' },
      ]) {
        assert.equal((await chat.patch(body)).status, 400, JSON.stringify(body).slice(0, 60));
      }
      const unknown = { status: 'ended', variables: { a: 1 } };
      assert.equal((await chat.patch(unknown)).json.updatedAt, merge.json.updatedAt, 'read-only fields are ignored');
      assert.equal((await chat.patch(unknown, { prefer: 'handling=strict' })).status, 400);
    });

    it('say why there is no recording', async () => {
      const { key } = await service.newKey();
      const chat = on(service, key, (await newChat(service, key, { call: { type: 'web' } })).id);
      let status = 'none';
      for (const next of ['none', 'not_stored', 'deleted', 'failed']) {
        await service.database.run('UPDATE calls SET doc = replace(doc, $2, $3) WHERE id = $1', [
          chat.id,
          `"recording":{"status":"${status}"`,
          `"recording":{"status":"${next}"`,
        ]);
        status = next;
        const answer = await chat.recording();
        assert.deepEqual([answer.status, answer.json.error.details], [404, { reason: next }]);
      }
      for (const next of ['recording', 'processing']) {
        await service.database.run('UPDATE calls SET doc = replace(doc, $2, $3) WHERE id = $1', [
          chat.id,
          `"recording":{"status":"${status}"`,
          `"recording":{"status":"${next}"`,
        ]);
        status = next;
        const answer = await chat.recording();
        assert.deepEqual(
          [answer.status, answer.json.error.details],
          [409, { status: next, allowed: ['available'], reason: null }],
        );
        assert.equal(answer.headers.get('retry-after'), '5');
      }
    });
  });

  describe('of requests', () => {
    const service = useService(engine, {
      rateLimit: { requests: 1000, windowSeconds: 60 },
      rateLimits: { calls: { requests: 3, windowSeconds: 60 } },
    });

    it('allow a key so many new calls, on top of the general limit', async () => {
      const { key } = await service.newKey();
      const { id: agentId } = await testAgent(service, key);
      const answers = [];
      for (let count = 0; count < 4; count += 1) answers.push(await create(service, key, { agentId }));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 201, 201, 429],
      );
      const refused = answers.at(-1);
      assert.equal(refused?.json.error.code, 'RATE_LIMITED');
      assert.ok(Number(refused?.headers.get('retry-after')) > 0);
      assert.equal((await create(service, key, { type: 'fax' })).status, 429, 'before the content is checked');
      assert.equal((await send(service, 'GET', '/api/v1/calls', { key })).status, 200);
      assert.equal(refused?.headers.get('ratelimit-policy')?.split(',').length, 2);
    });
  });

  describe('of workspaces', () => {
    const service = useService(engine);

    it('give another workspace the same 404 as for an unknown call, whatever it asks', async () => {
      const { key } = await service.newKey();
      const chat = on(service, key, (await newChat(service, key)).id);
      await chat.say('Hello');
      const stranger = await service.newKey();
      const ask = (id: string) => {
        const other = on(service, stranger.key, id);
        return Promise.all([
          other.get(),
          other.patch({ metadata: { a: 1 } }),
          other.delete(),
          other.redact('basic_attributes_only'),
          other.end(),
          other.control({ action: 'mute_agent' }),
          other.say('Hello'),
          other.say(),
          other.eventPage(),
          other.transcript(),
          other.recording(),
          other.token(),
        ]);
      };
      const [foreign, unknown] = [await ask(chat.id), await ask('call_unknown')];
      for (const [place, answer] of foreign.entries()) {
        assert.deepEqual([answer.status, answer.json.error.code], [404, 'NOT_FOUND']);
        assert.equal(answer.json.error.message, unknown[place]?.json.error.message);
      }
      assert.equal((await chat.turns()).length, 2);
      assert.deepEqual((await send(service, 'GET', '/api/v1/calls', { key: stranger.key })).json.items, []);
    });

    it('check the order: content before the call, its state before what is asked of it', async () => {
      const { key } = await service.newKey();
      const chat = on(service, key, (await newChat(service, key)).id);
      const nobody = on(service, key, 'call_unknown');
      assert.equal((await nobody.say('')).status, 400);
      assert.equal((await nobody.redact('x')).status, 400);
      assert.equal((await nobody.control({ action: 'x' })).status, 400);
      assert.equal((await chat.redact('everything_except_pii')).status, 409);
      assert.equal((await chat.control({ action: 'send_dtmf', digits: '1' })).status, 409);
      await chat.say('Hello');
      await chat.end();
      assert.equal((await chat.say()).status, 409, 'not 422');
      const reader = await service.newKey({ scopes: ['calls:read'] });
      assert.equal((await on(service, reader.key, chat.id).say('')).status, 403);
    });
  });
});
