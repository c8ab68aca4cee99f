import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { locationOf, sqliteEngine } from '../../support/engines.ts';
import { useService } from '../../support/service.ts';
import { eventually, newChat, on } from './support.ts';

describe('the files of SQLite', () => {
  const service = useService(sqliteEngine(), { emptyLogMs: 20 });

  /** In which files of the database the text is. */
  const filesWith = (text: string): string[] => {
    const location = locationOf(service.databaseUrl);
    assert.ok(location.engine === 'sqlite');
    const folder = dirname(location.file);
    return readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(text));
  };
  const talk = async (word: string) => {
    const { key } = await service.newKey();
    const call = { metadata: { note: `metadata ${word}` }, variables: { name: `variable ${word}` } };
    const chat = on(service, key, (await newChat(service, key, { call })).id);
    await chat.say(`a message ${word}`, { 'idempotency-key': 'one' });
    // Longer than a page of the database.
    await chat.say(`${word} ${'long '.repeat(1900)}`, { 'idempotency-key': 'two' });
    await chat.patch({ metadata: { note: `other ${word}` } });
    await chat.end();
    return chat;
  };

  it('no longer contain what was deleted or redacted, not even in free space or in the log', async () => {
    const words = ['kumquat', 'rambutan', 'durian'];
    const [deleted, redacted, kept] = [await talk('kumquat'), await talk('rambutan'), await talk('durian')];
    for (const word of words) assert.notDeepEqual(filesWith(word), []);
    assert.equal((await deleted.delete()).status, 200);
    assert.equal((await redacted.redact('basic_attributes_only')).status, 200);
    await eventually(async () => filesWith('kumquat').length === 0 && filesWith('rambutan').length === 0);
    assert.notDeepEqual(filesWith('durian'), []);
    assert.equal((await kept.get()).status, 200);
  });

  it('are cleaned up later if somebody is reading', async () => {
    const chat = await talk('lychee');
    await chat.delete();
    await service.database.snapshot(async (reads) => {
      await reads.get('SELECT count(*) AS count FROM calls');
      await (await talk('another')).delete();
      assert.equal(await service.database.forgetDeleted(), false);
    });
    await eventually(async () => filesWith('lychee').length === 0);
  });
});
