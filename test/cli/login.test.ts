import assert from 'node:assert/strict';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { hasScript, onTerminal, useCommandLine } from './support.ts';

describe('voice-agents login', { concurrency: 4 }, () => {
  const line = useCommandLine();
  let files = 0;
  /** Separate profiles, and nothing in the environment that would take precedence. */
  const newProfiles = () => {
    files += 1;
    const file = join(line.folder, `folder ${files}`, 'profiles.json');
    const settings = { VOICE_AGENTS_PROFILES: file, VOICE_AGENTS_API_KEY: '', VOICE_AGENTS_BASE_URL: '' };
    const run = (args: readonly string[], input?: string, more: Record<string, string> = {}) =>
      line.run(args, { settings: { ...settings, ...more }, ...(input === undefined ? {} : { input }) });
    return { file, settings, run };
  };

  it('verifies the key, saves it in a file for the owner only, and never shows it', async () => {
    const { file, run } = newProfiles();
    const kept = await run(['login', '--base-url', line.service.url], `${line.key}\n`);
    assert.deepEqual([kept.code, kept.stderr], [0, '']);
    assert.match(
      kept.stdout,
      /^\n {2}Profile {4}default, saved in .*profiles\.json\n {2}URL {8}http:.*\n {2}Key {8}vak_\w{4}…\n {2}Workspace {2}workspace .*\(ws_\w+\)\n {2}Scopes {5}agents:read, .*\n\n$/,
    );
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(statSync(join(file, '..')).mode & 0o777, 0o700);
    assert.deepEqual(readdirSync(join(file, '..')), ['profiles.json']);
    const whoami = await run(['whoami']);
    assert.match(whoami.stdout, /\n {2}Scopes {5}agents:read, agents:write, /);
    assert.deepEqual(JSON.parse((await run(['whoami', '--json'])).stdout), await line.client.whoami());
    const listed = await run(['profiles']);
    assert.match(listed.stdout, /^ {3}NAME {5}URL +KEY\n\* {2}default {2}http:\S+ {2}vak_\w{4}…\n$/);
    const [profile] = (await run(['profiles', '--json'])).stdout.split('\n');
    const keyHint = `${line.key.slice(0, 8)}…`;
    assert.deepEqual(JSON.parse(profile as string), {
      name: 'default',
      baseUrl: line.service.url,
      keyHint,
      isCurrent: true,
    });
    for (const { stdout, stderr } of [kept, whoami, listed]) assert.ok(!`${stdout}${stderr}`.includes(line.key));
    assert.equal((await run(['agents', 'list', '--json'])).code, 0);
  });

  it('does not save a key that is rejected', async () => {
    const { file, run } = newProfiles();
    const wrong = await run(['login', '--base-url', line.service.url], 'vak_wrong');
    assert.equal(wrong.code, 3);
    assert.ok(!wrong.stderr.includes('vak_wrong'));
    assert.equal((await run(['login', '--base-url', line.service.url], '\n')).code, 2);
    assert.equal((await run(['login', '--base-url', 'nonsense'], line.key)).code, 2);
    assert.equal((await run(['login', '--profile', 'a b', '--base-url', line.service.url], line.key)).code, 2);
    assert.ok(!existsSync(file));
  });

  it('supports several profiles: the current one, by name, and the environment first', async () => {
    const { settings, run } = newProfiles();
    const other = await line.service.newKey({ workspace: 'the other one', scopes: ['agents:read'] });
    const workspace = async (args: readonly string[] = [], more = {}) =>
      JSON.parse((await run(['whoami', '--json', ...args], undefined, more)).stdout).workspaceName;
    await run(['login', '--base-url', line.service.url], line.key);
    await run(['login', '--profile', 'other', '--base-url', line.service.url], other.key);
    assert.equal(await workspace(), 'the other one');
    const mine = await workspace(['--profile', 'default']);
    assert.notEqual(mine, 'the other one');
    assert.equal(await workspace([], { VOICE_AGENTS_PROFILE: 'default' }), mine);
    assert.equal(await workspace(['--profile', 'other'], { VOICE_AGENTS_PROFILE: 'default' }), 'the other one');
    const direct = { VOICE_AGENTS_API_KEY: line.key, VOICE_AGENTS_BASE_URL: line.service.url };
    assert.equal(await workspace([], direct), mine);
    assert.equal(await workspace(['--profile', 'other'], { VOICE_AGENTS_API_KEY: line.key }), mine);
    const away = await run(['whoami'], undefined, { VOICE_AGENTS_BASE_URL: 'http://127.0.0.1:2' });
    assert.equal(away.code, 6);
    assert.equal((await run(['profiles', 'use', 'default'])).stdout, 'Switched to profile default.\n');
    assert.equal(await workspace(), mine);
    assert.equal((await run(['profiles', '--names'])).stdout, 'default\nother\n');
    const unknown = await run(['whoami', '--profile', 'nobody']);
    assert.deepEqual([unknown.code, /profile "nobody" not found/.test(unknown.stderr)], [2, true]);
    assert.equal((await run(['profiles', 'use', 'nobody'])).code, 2);
    assert.match((await run(['logout'])).stdout, /^Profile default removed\./);
    assert.match((await run(['whoami'])).stderr, /no API key/);
    assert.ok(!readFileSync(settings.VOICE_AGENTS_PROFILES, 'utf8').includes(line.key));
    assert.equal((await run(['logout', '--profile', 'other'])).code, 0);
    assert.match((await run(['profiles'])).stdout, /^No profiles in /);
    const warned = await run(['login', '--base-url', line.service.url], line.key, { VOICE_AGENTS_API_KEY: other.key });
    assert.match(
      warned.stderr,
      /^voice-agents: VOICE_AGENTS_API_KEY in the environment takes precedence over the profile\n$/,
    );
  });

  it('loses no profile with concurrent logins', async () => {
    const { file, settings } = newProfiles();
    const names = Array.from({ length: 6 }, (_, number) => `profile-${number}`);
    const logins = names.map((name) =>
      line.runProcess(['login', '--profile', name, '--base-url', line.service.url], { input: line.key, settings }),
    );
    for (const { code, stderr } of await Promise.all(logins)) assert.equal(code, 0, stderr);
    const { profiles, current } = JSON.parse(readFileSync(file, 'utf8'));
    assert.deepEqual(Object.keys(profiles).toSorted(), names);
    assert.ok(names.includes(current));
    assert.deepEqual(readdirSync(join(file, '..')), ['profiles.json']);
  });

  it('rejects an invalid file or one that others can read, without quoting it', async () => {
    const { file, run } = newProfiles();
    await run(['login', '--base-url', line.service.url], line.key);
    chmodSync(file, 0o644);
    const open = await run(['whoami']);
    assert.deepEqual([open.code, /readable by other users: .*chmod 600/.test(open.stderr)], [1, true]);
    chmodSync(file, 0o600);
    writeFileSync(file, '{"profiles":{"x":"secret words"}}');
    const broken = await run(['whoami']);
    assert.equal(broken.code, 1);
    assert.match(broken.stderr, /is not a valid profiles file/);
    assert.ok(!broken.stderr.includes('secret words'));
    // Not needed if every option is given.
    const said = await run(['whoami'], undefined, {
      VOICE_AGENTS_API_KEY: line.key,
      VOICE_AGENTS_BASE_URL: line.service.url,
    });
    assert.equal(said.code, 0);
  });

  it('prompts on a terminal, without echoing the key', { skip: !hasScript && 'no script(1)' }, async () => {
    const { file, settings } = newProfiles();
    const terminal = onTerminal(['login'], settings);
    await terminal.shown('URL [http://127.0.0.1:8080]: ');
    terminal.type(`${line.service.url}\r`);
    await terminal.shown('(hidden): ');
    terminal.type(`${line.key}\r`);
    const { code, screen } = await terminal.end();
    assert.equal(code, 0, screen);
    assert.match(screen, /\n {2}Profile {4}default, saved in /);
    assert.ok(screen.includes(line.service.url));
    assert.ok(!screen.includes(line.key.slice(0, 12)), screen);
    assert.equal(JSON.parse(readFileSync(file, 'utf8')).profiles.default.apiKey, line.key);
    const left = onTerminal(['login', '--base-url', line.service.url], settings);
    await left.shown('(hidden): ');
    left.type('\x03');
    assert.equal((await left.end()).code, 130);
  });
});
