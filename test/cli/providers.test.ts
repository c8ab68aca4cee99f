import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type KeyLogDouble, startKeyLogDouble } from '../providers/key-log-double.ts';
import { useCommandLine } from './support.ts';

describe('voice-agents providers', () => {
  const line = useCommandLine();
  const key = 'good-nobody-may-see-7351';
  let double: KeyLogDouble;
  before(async () => {
    double = await startKeyLogDouble();
  });
  after(() => double.close());
  const set = (args: readonly string[], options = {}) =>
    line.run(['providers', 'credentials', 'set', ...args], options);

  it('sets a key from standard input or the environment, verifies and deletes it, and never shows it', async () => {
    const address = ['--address', double.baseUrl('openai')];
    const first = await set(['openai', ...address, '--models', 'a=llama3.2'], { input: `${key}\n` });
    assert.deepEqual([first.code, first.stdout], [0, 'Credentials of openai set, with the key that ends with 7351.\n']);
    const verified = await line.run(['providers', 'verify', 'openai']);
    assert.deepEqual([verified.code, verified.stdout], [0, 'The server accepts the key.\n']);
    const kept = await set(['openai', ...address, '--keep-key', '--json']);
    assert.deepEqual(JSON.parse(kept.stdout).models, {});
    const other = await set(['openai', ...address, '--key-env', 'MY_KEY'], {
      settings: { MY_KEY: 'bad-0000-0000-0000' },
    });
    assert.equal(other.code, 0, other.stderr);
    const rejected = await line.run(['providers', 'verify', 'openai']);
    assert.equal(rejected.code, 1);
    assert.match(rejected.stdout, /^The server does not accept the key \(HTTP 401\)/);
    const deleted = await line.run(['providers', 'credentials', 'delete', 'openai']);
    assert.deepEqual([deleted.code, deleted.stdout], [0, 'Credentials of openai deleted.\n']);
    assert.equal((await line.run(['providers', 'credentials', 'delete', 'openai'])).code, 4);
    for (const { stdout, stderr } of [first, verified, kept, other, rejected]) {
      assert.ok(!`${stdout}${stderr}`.includes('nobody-may-see'));
    }
    assert.match(await line.output(['providers']), /\nembeddings +none/);
  });

  it('says what is wrong with the options', async () => {
    for (const [args, input, message] of [
      [['openai'], '\n', 'no key given'],
      [['openai', '--key-env', 'NOT_SET'], '', 'NOT_SET is not set'],
      [['openai', '--keep-key', '--no-key'], '', 'use only one of --key-env, --keep-key and --no-key'],
      [['openai', '--models', 'a'], 'k', '--models must be model=other'],
    ] as const) {
      const { code, stderr } = await set(args, { input });
      assert.equal(code, 2);
      assert.ok(stderr.includes(message), stderr);
    }
  });
});
