import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { endWithTests } from '../support/children.ts';
import { embeddedSpeech } from '../support/service.ts';
import { command, hasScript, onTerminal, useCommandLine } from './support.ts';

const accountSid = `AC${'1'.repeat(32)}`;
const token = 'planted-auth-token';

describe('voice-agents carriers', () => {
  // Nobody listens there.
  const line = useCommandLine({ twilioUrl: 'http://127.0.0.1:1' });

  it('reads credentials from standard input or a file, and never prints them', async () => {
    const create = ['carriers', 'create', '--provider', 'twilio', '--account-sid', accountSid];
    const piped = await line.run([...create, '--max-minutes-per-day', '60', '--json'], { input: `${token}\n` });
    assert.equal(piped.code, 0, piped.stderr);
    const carrier = JSON.parse(piped.stdout);
    assert.equal(carrier.credentials.authToken.set, true);
    assert.equal(carrier.limits.maxMinutesPerDay, 60);
    const withKey = [...create, '--api-key-sid', 'SK1', '--json'];
    const both = await line.run(withKey, { input: `${token}\nplanted-key-secret\n` });
    assert.equal(JSON.parse(both.stdout).credentials.apiKeySecret.set, true);

    const file = join(line.folder, 'credentials.json');
    writeFileSync(file, JSON.stringify({ authToken: token }));
    const fromFile = await line.run([...create, '--credentials', file]);
    assert.match(fromFile.stdout, /status +unverified\n[\s\S]*credentials +authToken\n/);
    writeFileSync(file, token);
    const invalid = await line.run([...create, '--credentials', file]);
    assert.equal(invalid.code, 2);

    assert.equal((await line.run(create)).code, 2, 'without a token');
    assert.match((await line.run(['carriers', 'update', carrier.id])).stderr, /nothing to update/);
    const updated = await line.run(['carriers', 'update', carrier.id, '--allowed-countries', 'JP,US']);
    assert.match(updated.stdout, /allowedCountries +JP, US\n/);
    const reset = await line.run(['carriers', 'update', carrier.id, '--allowed-countries', 'numbers', '--json']);
    assert.equal(JSON.parse(reset.stdout).limits.allowedCountries, null);
    const help = await line.run(['carriers', 'create', '--help']);
    for (const { stdout, stderr } of [piped, both, fromFile, invalid, updated, help]) {
      assert.ok(!`${stdout}${stderr}`.includes('planted'));
    }
  });

  it('shows what to do about a failed check, and exits with 1', async () => {
    const input = `${token}\n`;
    const create = ['carriers', 'create', '--provider', 'twilio', '--account-sid', accountSid, '--json'];
    const { id } = JSON.parse((await line.run(create, { input })).stdout);
    const { code, stdout } = await line.run(['carriers', 'verify', id]);
    assert.equal(code, 1);
    assert.match(stdout, /failed +public_address +PUBLIC_URL is not set.*\n +Set PUBLIC_URL/);
  });
});

describe('voice-agents numbers and calls dial', () => {
  const line = useCommandLine({ speech: embeddedSpeech() });
  before(async () => {
    const { agents, carriers } = line.client;
    const agent = await agents.create({ name: 'Desk', voiceId: 'slt', language: 'en', llmModel: 'test-echo' });
    await agents.publish(agent.id);
    assert.match((await line.run(['numbers', 'import', '+99910000001'])).stderr, /carriers create --provider test/);
    await carriers.create({ name: 'Test', provider: 'test' });
  });

  it('imports a number, waits for its checks, and changes who answers', async () => {
    const imported = await line.run(['numbers', 'import', '+99910000001', '--agent', 'Desk', '--name', 'Shop']);
    assert.equal(imported.code, 0, imported.stderr);
    assert.match(imported.stdout, /^\+99910000001 {2}num_\w{30}\n {2}name +Shop\n[\s\S]*passed {2}agent /);
    const refused = await line.run(['calls', 'dial', 'Desk', '--from', '+99910000001', '--to', '+99900000002']);
    assert.equal(refused.code, 2);
    const changes = ['--fallback', 'We are closed.', '--outbound', 'on', '--outbound-agents', 'Desk', '--json'];
    const updated = JSON.parse(await line.output(['numbers', 'update', '+99910000001', ...changes]));
    assert.deepEqual(updated.inbound.fallback, { type: 'message', text: 'We are closed.' });
    assert.deepEqual(updated.outbound.agentIds, [updated.inbound.agentId]);
    assert.match(await line.output(['numbers', 'list', '--agent', 'Desk']), /\+99910000001 +Shop +active .* on\n/);
    assert.match(await line.output(['numbers', 'verify', updated.id]), /passed {2}credentials/);
    assert.match((await line.run(['numbers', 'verify', '+99910000009'])).stderr, /there is no phone number/);
    const forwarded = ['numbers', 'update', '+99910000001', '--fallback', '+99900000001', '--json'];
    assert.deepEqual(JSON.parse(await line.output(forwarded)).inbound.fallback, { type: 'number', to: '+99900000001' });
  });

  it('dials, shows how the call went, and exits by its outcome', async () => {
    const dial = (to: string, ...more: string[]) =>
      line.run(['calls', 'dial', 'Desk', '--from', '+99910000001', '--to', to, ...more]);
    const busy = await dial('+99900000002');
    assert.equal(busy.code, 8, busy.stderr);
    assert.match(busy.stdout, /^Desk · version 1 · \+99910000001 → \+99900000002\nDialing\.\n[\s\S]*dial_busy/);
    const json = await dial('+99900000002', '--json');
    assert.equal(json.code, 8);
    assert.equal(JSON.parse(json.stdout).endReason, 'dial_busy');
    assert.match(json.stderr, /Dialing\.\n/);
    const short = await dial('+99900000008');
    assert.equal(short.code, 0, short.stdout);
    assert.match((await dial('03-1234-5678')).stderr, /to: must be a valid phone number in E\.164 format/);
    const unwatched = await dial('+99900000002', '--no-wait');
    assert.match(unwatched.stdout, /^call_\w{30}\n$/);
  });

  it('lets a phone call a number, and hangs up when it is interrupted', async () => {
    const called = await line.run(['numbers', 'test', '+99910000001', '--phone', '08']);
    assert.match(called.stdout, /call_\w{30}\n$/);
    const args = [command, 'calls', 'dial', 'Desk', '--from', '+99910000001', '--to', '+99900000011'];
    const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, ...line.settings } });
    endWithTests(child);
    let shown = '';
    child.stderr.on('data', (chunk: Buffer) => {
      shown += chunk;
    });
    child.stdout.on('data', (chunk: Buffer) => {
      shown += chunk;
      if (shown.includes('Answered') && !shown.includes('Hanging')) child.kill('SIGINT');
    });
    const [code] = await once(child, 'close');
    assert.match(shown, /Hanging up …\n[\s\S]*The call ended after .*: api_end/);
    assert.equal(code, 0);
  });

  it('adds numbers to the do-not-call list from arguments and files', async () => {
    const reason = ['--reason', 'Asked'];
    assert.equal(await line.output(['do-not-call', 'add', '+819012345678', ...reason]), '1 added.\n');
    const more = '+819012345678\n\n+819012345679\n';
    assert.equal(await line.output(['do-not-call', 'add', '--file', '-'], more), '1 added; 1 already on the list.\n');
    assert.match(await line.output(['do-not-call', 'list', '--search', '+8190']), /\+819012345678 +api +Asked/);
    await line.output(['do-not-call', 'delete', '+819012345678', '--yes']);
    assert.equal((await line.run(['do-not-call', 'add'])).code, 2);
  });
});

describe('voice-agents calls dial on a terminal', { skip: hasScript ? false : 'script is not installed' }, () => {
  const line = useCommandLine({ speech: embeddedSpeech() });

  it('asks for a second Ctrl-C before it hangs up', async () => {
    const { agents, carriers, phoneNumbers } = line.client;
    const agent = await agents.create({ name: 'Desk', voiceId: 'slt', language: 'en', llmModel: 'test-echo' });
    await agents.publish(agent.id);
    const carrier = await carriers.create({ name: 'Test', provider: 'test' });
    const outbound = { enabled: true };
    const { id } = await phoneNumbers.import({ carrierId: carrier.id, number: '+99910000001', outbound });
    await phoneNumbers.waitUntilChecked(id);
    // It rings for 10 s.
    const args = ['calls', 'dial', 'Desk', '--from', '+99910000001', '--to', '+99900000013'];
    const terminal = onTerminal(args, line.settings);
    await terminal.shown('Ringing.');
    terminal.type('\u0003');
    await terminal.shown('Press Ctrl-C again to hang up.');
    const [call] = (await line.client.calls.list()).items;
    assert.equal(call?.status, 'ringing');
    terminal.type('\u0003');
    const { code, screen } = await terminal.end();
    assert.match(screen, /Hanging up …\n[\s\S]*Not connected: canceled/);
    assert.equal(code, 8);
  });
});
