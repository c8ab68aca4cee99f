import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { collect } from '../sdk/support/started-service.ts';
import { type Caller, filesIn, stateOf, useGround, write, yamlOf } from './support.ts';

/** The agents without the fields that the service sets, which files do not contain. */
async function contentsOn({ client }: Caller): Promise<string[]> {
  const agents = await collect(client.agents.list({ limit: 200 }));
  return agents
    .map((agent) => JSON.stringify(agent, (name, value) => (ownFields.has(name) ? undefined : value)))
    .sort();
}

const ownFields = new Set(['id', 'workspaceId', 'version', 'versionDescription', 'createdAt', 'updatedAt']);

describe('pull and apply', () => {
  const ground = useGround();

  it('copy a workspace into an empty one, with byte-identical files', async () => {
    const source = await ground.newCaller();
    const { agents } = source.client;
    const voiceId = 'ja-JP-Nanami';
    await agents.create({ name: 'Reception', voiceId });
    await agents.create({
      name: '予約受付',
      voiceId,
      prompt: 'あなたは受付です。\n  予約を承ってください。 \n\r\n\ttab\u2028\u0085\n',
      responseEngineType: 'single_prompt',
      beginMessage: '',
      language: 'no',
      adaptiveSpeechRate: { enabled: true, minSpeed: 0.8, maxSpeed: 1.3, windowSize: 3 },
      pronunciationDictionary: [],
      agentVariables: [null, { name: 'shop', value: null }, 1e21, 'no'],
      agentSettings: { '': { deep: [null] }, none: null, '予約\nkey': '2026-11-15', __proto__x: {} },
    });
    for (const voiceSpeed of [1.1, 1.2, 1.3]) await agents.create({ name: '受付', voiceId, voiceSpeed });
    await agents.create({ name: 'reception', voiceId, webhookEvents: [], versionDescription: 'about the version' });
    for (const name of ['../../etc/passwd', 'CON', '.', '👩‍👩‍👧‍👦'.repeat(30), '受付-2'])
      await agents.create({ name, voiceId });
    const modelless = await agents.create({ name: 'Own model', voiceId });
    await agents.update(modelless.id, { responseEngine: { model: null, llmWebsocketUrl: 'wss://llm.example.com/a' } });

    for (const format of ['yaml', 'json']) {
      const [first, second] = [ground.newFolder(), ground.newFolder()];
      const pulled = await source.run('pull', first, '--format', format);
      assert.deepEqual([pulled.code, pulled.stderr], [0, '']);
      assert.match(pulled.stdout, /: 12 written\.\n$/);
      const names = Object.keys(filesIn(first));
      const expected = [
        'Reception',
        'reception-2',
        '予約受付',
        '受付',
        '受付-2',
        '受付-3',
        '受付-4',
        'etc-passwd',
        'CON-agent',
      ];
      for (const name of expected) assert.ok(names.includes(`${name}.${format}`), `${name} in ${names}`);
      assert.equal(filesIn(first)[`Reception.${format}`]?.includes('agt_'), false);

      const target = await ground.newCaller();
      const applied = await target.run('apply', first, '--yes', '--json');
      assert.equal(applied.code, 0, applied.stderr + applied.stdout);
      assert.equal(JSON.parse(applied.stdout).done.length, 12);
      assert.deepEqual(JSON.parse(applied.stdout).notDone, []);
      assert.equal((await target.run('pull', second, '--format', format)).code, 0);
      assert.deepEqual(filesIn(second), filesIn(first));
      assert.deepEqual(await contentsOn(target), await contentsOn(source), 'and so are the agents');
      if (format === 'json') continue;
      // One folder, two workspaces: both match the files.
      for (const caller of [source, target]) {
        const plan = await caller.run('plan', first, '--exit-code');
        assert.equal(plan.code, 0, plan.stdout);
      }
      assert.equal(stateOf(first).workspaces.length, 2);
      const again = readFileSync(join(first, '.voice-agents.json'), 'utf8');
      assert.match((await source.run('pull', first)).stdout, /: 0 written, 12 unchanged\.\n$/);
      assert.equal(readFileSync(join(first, '.voice-agents.json'), 'utf8'), again);
    }
  });

  it('transfer more agents than fit on a page, in both directions', async () => {
    const source = await ground.newCaller();
    const folder = ground.newFolder();
    const prompt = `responseEngine:\n  prompt: |\n${'    You answer the phone of a salon.\n'.repeat(20)}`;
    for (let number = 0; number < 250; number += 1) {
      write(folder, `agent-${number}.yaml`, yamlOf(`Agent ${number % 225}`, prompt));
    }
    const run = async (...args: string[]) => {
      const finished = await source.run(...args);
      assert.equal(finished.code, 0, finished.stderr + finished.stdout.slice(-2000));
      assert.equal(finished.stderr, '', 'no progress bar in a pipe');
      return finished;
    };
    await run('apply', folder, '--yes', '--json');
    const copy = ground.newFolder();
    await run('pull', copy);
    await run('plan', copy, '--exit-code');
    assert.equal(Object.keys(filesIn(copy)).length, 250);
    assert.equal((await collect(source.client.agents.list({ limit: 200 }))).length, 250);
  });

  it('write files only into the folder', async () => {
    const caller = await ground.newCaller();
    const outside = ground.newFolder();
    const folder = ground.newFolder();
    writeFileSync(join(outside, 'precious'), 'precious');
    symlinkSync(join(outside, 'precious'), join(folder, 'Linked.yaml'));
    symlinkSync(join(outside, 'precious'), join(folder, '.voice-agents.json'));
    writeFileSync(join(folder, 'README.md'), 'mine');
    await caller.client.agents.create({ name: 'Linked', voiceId: 'v' });
    // The link points to something that is not a state: this is reported, and nothing is done.
    const refused = await caller.run('pull', folder);
    assert.match(refused.stderr, /\.voice-agents\.json is not a valid state file/);
    write(outside, 'precious', '{"format":1,"workspaces":[]}');
    assert.equal((await caller.run('pull', folder, '--force')).code, 0);
    assert.equal(readFileSync(join(outside, 'precious'), 'utf8'), '{"format":1,"workspaces":[]}');
    assert.deepEqual(readdirSync(outside), ['precious']);
    assert.equal(readFileSync(join(folder, 'README.md'), 'utf8'), 'mine');
    assert.equal(readFileSync(join(folder, 'Linked-2.yaml'), 'utf8'), 'name: Linked\nvoiceId: v\n');

    const { workspaceId } = await caller.client.whoami();
    const entry = { id: 'agt_none', etag: '"x"', document: 'x', file: 'x', fields: {} };
    const state = {
      format: 1,
      workspaces: [{ service: ground.service.url, workspaceId, agents: { '../gone.yaml': entry } }],
    };
    const lured = ground.newFolder();
    write(lured, '.voice-agents.json', JSON.stringify(state));
    write(join(lured, '..'), 'gone.yaml', yamlOf('Gone'));
    assert.equal((await caller.run('pull', lured)).code, 1);
    assert.ok(existsSync(join(lured, '..', 'gone.yaml')));
  });

  it('keep local changes, and report conflicts', async () => {
    const caller = await ground.newCaller();
    const folder = ground.newFolder();
    const made = [];
    for (const name of ['Here', 'There', 'Both', 'Gone', 'GoneBoth', 'Same']) {
      made.push(await caller.client.agents.create({ name, voiceId: 'v' }));
    }
    const [, there, both, gone, goneBoth] = made;
    assert.equal((await caller.run('pull', folder)).code, 0);
    const edited = (name: string) => `# a comment\nname: ${name}\nvoiceId: v\nvoiceSpeed: 1.5\n`;
    for (const name of ['Here', 'Both', 'GoneBoth']) write(folder, `${name}.yaml`, edited(name));
    write(folder, 'Same.yaml', '# only a comment\nvoiceId: v\nname: Same\n');
    await caller.client.agents.update(there?.id ?? '', { name: 'Renamed', voiceSpeed: 1.1 });
    await caller.client.agents.update(both?.id ?? '', { voiceSpeed: 1.2 });
    for (const agent of [gone, goneBoth]) await caller.client.agents.delete(agent?.id ?? '');

    const { code, stdout } = await caller.run('pull', folder, '--json');
    assert.equal(code, 5);
    const results = Object.fromEntries(
      JSON.parse(stdout).files.map(({ file, result }: Record<string, string>) => [file, result]),
    );
    assert.deepEqual(results, {
      'Both.yaml': 'conflict',
      'Gone.yaml': 'removed',
      'GoneBoth.yaml': 'conflict',
      'Here.yaml': 'kept',
      'Same.yaml': 'unchanged',
      'There.yaml': 'written',
    });
    const files = filesIn(folder);
    assert.deepEqual(Object.keys(files), ['Both.yaml', 'GoneBoth.yaml', 'Here.yaml', 'Same.yaml', 'There.yaml']);
    for (const name of ['Here', 'Both', 'GoneBoth']) assert.equal(files[`${name}.yaml`], edited(name));
    assert.equal(files['There.yaml'], 'name: Renamed\nvoiceId: v\nvoiceSpeed: 1.1\n', 'a renamed agent keeps its file');
    assert.match(files['Same.yaml'] ?? '', /only a comment/);
    const told = await caller.run('pull', folder);
    assert.match(
      told.stdout,
      /Conflicts, not pulled: 2 \(use --force .*\n.*Both\.yaml: changed both on the server and locally\n/,
    );

    assert.equal((await caller.run('pull', folder, '--force')).code, 0);
    const { code: planned } = await caller.run('plan', folder, '--exit-code');
    assert.equal(planned, 0);
    assert.deepEqual(Object.keys(filesIn(folder)), ['Both.yaml', 'Here.yaml', 'Same.yaml', 'There.yaml']);
    assert.equal(filesIn(folder)['Both.yaml'], 'name: Both\nvoiceId: v\nvoiceSpeed: 1.2\n');
  });

  it('work without the state, keep the file format of the folder, and convert it on request', async () => {
    const caller = await ground.newCaller();
    const folder = ground.newFolder();
    for (const voiceSpeed of [1, 1.5]) await caller.client.agents.create({ name: 'Twin', voiceId: 'v', voiceSpeed });
    await caller.client.agents.create({ name: 'Single', voiceId: 'v' });
    assert.equal((await caller.run('pull', folder, '--format', 'json')).code, 0);
    const before = filesIn(folder);
    assert.deepEqual(Object.keys(before), ['Single.json', 'Twin-2.json', 'Twin.json']);
    write(folder, '.voice-agents.json', '{"format":1,"workspaces":[]}');
    assert.match((await caller.run('pull', folder)).stdout, /0 written, 3 unchanged/);
    assert.deepEqual(filesIn(folder), before);
    assert.equal((await caller.run('plan', folder, '--exit-code')).code, 0);

    write(folder, '.voice-agents.json', '{"format":1,"workspaces":[]}');
    write(folder, 'Single.json', '{"name":"Single","voiceId":"v","voiceSpeed":2}');
    const differs = await caller.run('pull', folder);
    assert.equal(differs.code, 5);
    assert.match(differs.stdout, /Single\.json: differs from the agent with this name on the server/);
    assert.equal((await caller.run('pull', folder, '--force', '--format', 'yaml')).code, 0);
    assert.deepEqual(Object.keys(filesIn(folder)), ['Single.yaml', 'Twin-2.yaml', 'Twin.yaml']);
    assert.equal((await caller.run('pull', folder, '--full')).code, 0);
    assert.match(filesIn(folder)['Single.yaml'] ?? '', /\ndataStorageSetting: everything\n/);
    assert.equal((await caller.run('plan', folder, '--exit-code')).code, 0);
  });
});
