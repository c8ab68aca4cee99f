import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { useCommandLine } from './support.ts';

describe('voice-agents secrets', { concurrency: 4 }, () => {
  const line = useCommandLine();
  const value = 'Value-Nobody-May-See-7351';

  it('sets a secret from standard input, lists and deletes it, and never shows its value', async () => {
    const none = await line.run(['secrets', 'list']);
    assert.match(none.stdout, /^No secrets yet\./);
    const set = await line.run(['secrets', 'set', 'SHOP_TOKEN', '--hosts', 'a.example.com, b.example.com'], {
      input: `${value}\n`,
    });
    assert.deepEqual([set.code, set.stdout, set.stderr], [0, 'SHOP_TOKEN set for a.example.com, b.example.com.\n', '']);
    const listed = await line.run(['secrets', 'list']);
    assert.match(listed.stdout, /^NAME +HOSTS +CHANGED\nSHOP_TOKEN {2}a\.example\.com, b\.example\.com {2}/);
    const json = await line.run(['secrets', 'list', '--json']);
    assert.deepEqual(JSON.parse(json.stdout), (await line.client.secrets.list()).items[0]);
    const deleted = await line.run(['secrets', 'delete', 'SHOP_TOKEN']);
    assert.deepEqual([deleted.code, deleted.stdout], [0, 'SHOP_TOKEN deleted.\n']);
    assert.equal((await line.run(['secrets', 'delete', 'SHOP_TOKEN'])).code, 4);
    for (const { stdout, stderr } of [set, listed, json, deleted]) assert.ok(!`${stdout}${stderr}`.includes(value));
  });

  it('takes no value as an argument, and does not repeat one given by mistake', async () => {
    const wrong = [
      ['secrets', 'set', value, '--hosts', 'a.example.com'],
      ['secrets', 'delete', value],
    ];
    for (const args of wrong) {
      const { code, stdout, stderr } = await line.run(args, { input: 'x' });
      assert.equal(code, 2);
      assert.ok(!`${stdout}${stderr}`.includes(value));
    }
    const empty = await line.run(['secrets', 'set', 'A', '--hosts', 'a.example.com'], { input: '\n' });
    assert.deepEqual([empty.code, empty.stderr], [2, 'voice-agents: no value given\n']);
  });
});
