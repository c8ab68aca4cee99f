import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { httpReceiver } from '../support/receiver.ts';
import { hasScript, onTerminal, useCommandLine } from './support.ts';

const unknownId = 'agt_01m7fgx83900003jef8128d0yq80eb';

describe('the agent commands', { concurrency: 4 }, () => {
  const line = useCommandLine();
  const newAgent = (name = 'Reception') => line.client.agents.create({ name, voiceId: 'ja-JP-Nanami' });

  it('cover the whole lifecycle of an agent, with readable output', async () => {
    const created = await line.output(['agents', 'create', '--name', '受付', '--voice-id', 'ja-JP-Nanami']);
    const [, id = ''] = /^(agt_\w{30}) created: 受付 \(version 1, draft\)\.\n$/.exec(created) ?? [];
    assert.notEqual(id, '', created);
    assert.equal(
      await line.output(['agents', 'publish', id, '--description', 'The first one']),
      `${id} published: 受付 (version 1, published).\n`,
    );
    assert.equal(
      await line.output([
        'agents',
        'update',
        id,
        '--set',
        'voiceSpeed=1.3',
        '--set',
        'responseEngine.prompt=Be\nkind.',
      ]),
      `${id} updated: 受付 (version 2, draft).\n`,
    );
    assert.equal(
      await line.output(['agents', 'diff', id]),
      'Changes from version 1 to version 2:\n\nresponseEngine.prompt\n+ Be\n+ kind.\nvoiceSpeed\n- 1\n+ 1.3\n',
    );
    assert.match(
      await line.output(['agents', 'versions', id]),
      /^VERSION {2}STATE {2}CHANGED {19}NAME {2}DESCRIPTION\n2 {8}draft {2}\S{24} {2}受付 *\n1 {8}live {3}\S{24} {2}受付 {2}The first one\n$/,
    );
    assert.equal(
      await line.output(['agents', 'restore', id, '1']),
      `${id} restored from version 1: 受付 (version 2, draft).\n`,
    );
    assert.equal(
      await line.output(['agents', 'diff', id, '--from', '1', '--to', '2']),
      'Versions 1 and 2 are identical.\n',
    );
    const copied = await line.output(['agents', 'duplicate', id, '--name', '二号店']);
    assert.match(copied, new RegExp(`^agt_\\w{30} created as a copy of ${id}: 二号店 \\(version 1, draft\\)\\.\\n$`));
    assert.equal(await line.output(['agents', 'delete', id, '--yes']), `${id} deleted.\n`);
  });

  it('test a tool with arguments, and show what a model would see', async () => {
    const { port } = await httpReceiver((request, response) => {
      response.writeHead(request.url === '/orders/A%201?page=2' ? 200 : 404).end('{"status":"shipped"}');
    });
    const parameters = { type: 'object', properties: { number: { type: 'string' }, page: { type: 'integer' } } };
    const url = `http://127.0.0.1:${port}/orders/{number}`;
    const tools = [{ name: 'find_order', description: 'Finds an order.', method: 'GET' as const, url, parameters }];
    const { id } = await line.client.agents.create({ name: 'Orders', voiceId: 'slt', agentSettings: { tools } });
    const test = ['agents', 'tools', 'test', id, 'find_order'];
    const shown = await line.output([...test, '--argument', 'number=A 1', '--argument', 'page=2']);
    assert.match(shown, new RegExp(`^GET http://127\\.0\\.0\\.1:${port}/orders/A%201\\?page=2\n  accept: `));
    assert.match(shown, /\n\nsucceeded with status 200 after \d+ ms\.\n {2}\{"status":"shipped"\}\n/);
    assert.match(shown, /\n\nA model would be given:\n {2}\{"status":"shipped"\}\n$/);
    const failed = await line.run([...test, '--argument', 'number="2"']);
    assert.deepEqual([failed.code, /http_error with status 404/.test(failed.stdout)], [1, true]);
    const refused = await line.run([...test, '--argument', 'number=..']);
    assert.match(refused.stderr, /arguments: number: must not make a part of the path/);
    const unclear = await line.run([...test, '--argument', 'number']);
    assert.match(unclear.stderr, /--argument number: must have the form name=value/);
  });

  it('show which version is live and which one is a draft', async () => {
    const [draft, live, changed] = [await newAgent('State A'), await newAgent('State B'), await newAgent('State C')];
    for (const { id } of [live, changed]) await line.client.agents.publish(id);
    await line.client.agents.update(changed.id, { voiceSpeed: 1.2 });
    const rows = (await line.output(['agents', 'list', '--search', 'State'])).trimEnd().split('\n').slice(1);
    const states = rows.map((row) => /State (\w) .* {2}((?:Live|Draft).*?) {2}/.exec(row)?.slice(1));
    assert.deepEqual(states, [
      ['C', 'Live v1 · Draft v2'],
      ['B', 'Live v1'],
      ['A', 'Draft v1'],
    ]);
    for (const [{ id }, title] of [
      [draft, 'State A  Draft v1'],
      [live, 'State B  Live v1'],
      [changed, 'State C  Live v1 · Draft v2'],
    ] as const) {
      assert.equal((await line.output(['agents', 'get', id])).split('\n')[0], title);
    }
    await line.client.agents.publish(changed.id);
    await line.client.agents.update(changed.id, { voiceSpeed: 1.3 });
    const versions = (await line.output(['agents', 'versions', changed.id])).trimEnd().split('\n').slice(1);
    assert.deepEqual(
      versions.map((row) => row.split(/ {2,}/).slice(0, 2)),
      [
        ['3', 'draft'],
        ['2', 'live'],
        ['1', 'published'],
      ],
      'one version is live',
    );
    const older = await line.output(['agents', 'get', changed.id, '--version', '1']);
    assert.match(older, /^State C {2}Live v2 · Draft v3\n.*\n {2}version +1\n/);
    assert.equal(await line.output(['agents', 'show', changed.id, '--version', '1']), older);
  });

  it('check an agent before it is published: each finding on its line, and exit code 1', async () => {
    const { id } = await newAgent();
    assert.equal(await line.output(['agents', 'check', id]), `${id} can be published.\n`);
    await line.client.agents.update(id, {
      webhookEvents: ['call_ended', 'nope\u001b[31m'],
      startSkillId: 'greet',
      agentSettings: { claims: 1 },
    });
    const found = await line.run(['agents', 'check', id]);
    assert.deepEqual([found.code, found.stderr], [1, '']);
    assert.equal(
      found.stdout,
      [
        `${id} cannot be published (2 errors, 1 warning).`,
        '  error    webhookEvents.1: must be one of: call_started, call_ended, call_analyzed, call_deleted',
        '  error    agentSettings.claims: is reserved for a later version of the service',
        '  warning  startSkillId: has no effect: agentSettings has no flow\n',
      ].join('\n'),
    );
    const json = await line.run(['agents', 'check', id, '--json', '--version', 'latest']);
    assert.equal(json.code, 1);
    assert.deepEqual(JSON.parse(json.stdout), await line.client.agents.check(id));
    assert.equal((await line.run(['agents', 'check', unknownId])).code, 4);
    assert.equal((await line.run(['agents', 'check', id, '--version', 'x'])).code, 2);
  });

  it('check a file as pull writes it, without a service', async () => {
    const settings = { VOICE_AGENTS_BASE_URL: 'http://127.0.0.1:1', VOICE_AGENTS_API_KEY: 'none' };
    const file = (name: string, text: string) => {
      const path = join(line.folder, name);
      writeFileSync(path, text);
      return path;
    };
    const good = file('good.yaml', 'name: Reception\nvoiceId: v\nresponseEngine:\n  model: null\n');
    const fine = await line.run(['agents', 'check', good], { settings });
    assert.deepEqual([fine.code, fine.stdout, fine.stderr], [0, `${good} can be published.\n`, '']);
    const bad = file('bad.json', JSON.stringify({ name: 'R', voiceId: 'v', agentSettings: { tools: 1 } }));
    const found = await line.run(['agents', 'check', bad, '--json'], { settings });
    assert.equal(found.code, 1);
    assert.deepEqual(JSON.parse(found.stdout), {
      publishable: false,
      errors: [{ field: 'agentSettings', path: 'tools', message: 'must be a list' }],
      warnings: [],
    });
    const malformed = file('malformed.yaml', 'name: R\nvoiceId: v\nvoiceSpeed: 9\n');
    const refused = await line.run(['agents', 'check', malformed], { settings });
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /malformed\.yaml:3: voiceSpeed must be at most 2\n$/);
    assert.equal((await line.run(['agents', 'check', join(line.folder, 'none.yaml')], { settings })).code, 2);
    assert.equal((await line.run(['agents', 'check', good, '--version', '1'], { settings })).code, 2);
    assert.equal((await line.run(['agents', 'check', 'nothing'], { settings })).code, 2);
  });

  it('print responses with --json, one per line', async () => {
    const made = JSON.parse(
      await line.output(['agents', 'create', '--json', '--name', 'One', '--voice-id', 'v', '--set', 'volume=0.5']),
    );
    assert.equal(made.volume, 0.5);
    const { id } = made;
    assert.deepEqual(made, await line.client.agents.get(id));
    assert.deepEqual(JSON.parse(await line.output(['agents', 'get', id, '--json'])), made);
    const published = JSON.parse(await line.output(['agents', 'publish', id, '--json']));
    assert.equal(published.isPublished, true);
    const changed = JSON.parse(await line.output(['agents', 'update', id, '--set', 'name=Two', '--json']));
    assert.deepEqual(changed, await line.client.agents.get(id));
    const older = await line.output(['agents', 'get', id, '--version', 'published', '--json']);
    assert.deepEqual(JSON.parse(older), published);
    const versions = (await line.output(['agents', 'versions', id, '--json'])).trim().split('\n');
    assert.deepEqual(
      versions.map((text) => JSON.parse(text)),
      [changed, published],
    );
    const diff = JSON.parse(await line.output(['agents', 'diff', id, '--json', '--from', '1']));
    assert.deepEqual(diff, await line.client.agents.diff(id, { from: 1 }));
    const restored = JSON.parse(await line.output(['agents', 'restore', id, 'published', '--json']));
    assert.equal(restored.name, 'One');
    const copy = JSON.parse(await line.output(['agents', 'duplicate', id, '--json']));
    assert.equal(copy.name, 'One');
    const gone = await line.output(['agents', 'delete', id, copy.id, '--yes', '--json']);
    assert.deepEqual(
      gone
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text)),
      [
        { id, deleted: true },
        { id: copy.id, deleted: true },
      ],
    );
  });

  it('show an agent in groups, with every field by its name in --set', async () => {
    const agent = await line.client.agents.create({
      name: 'Evil\x1b[31m\u009b2J\u202e',
      voiceId: 'v',
      prompt: 'One\n\x1b]0;two',
      adaptiveSpeechRate: { enabled: true, minSpeed: 0.8, maxSpeed: 1.2, windowSize: 3 },
      agentSettings: { 'a\x07b': 1 },
    });
    const shown = await line.output(['agents', 'get', agent.id]);
    assert.match(shown, /^Evil\\u001b\[31m\\u009b2J\\u202e {2}Draft v1\n {2}id {18}agt_/);
    assert.match(shown, /\n {2}responseEngine\.prompt {2}One\n {25}\\u001b\]0;two\n/);
    assert.match(shown, /\nVoice\n {2}voiceId +v\n/);
    assert.match(shown, /\n {2}adaptiveSpeechRate\.minSpeed +0\.8\n/);
    assert.match(shown, /\n {2}agentSettings\.a\\u0007b +1\n/);
    assert.doesNotMatch(shown, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
    for (const field of Object.keys(agent)) {
      if (field !== 'name') assert.ok(shown.includes(`  ${field}`), `${field} is not shown`);
    }
    const json = await line.output(['agents', 'get', agent.id, '--json']);
    assert.doesNotMatch(json, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
    assert.deepEqual(JSON.parse(json), agent);
  });

  it('accept fields from files and standard input, as JSON or YAML, including their own output', async () => {
    const yaml = join(line.folder, 'agent.yaml');
    writeFileSync(
      yaml,
      'name: From a file\nvoiceId: v\nresponseEngine:\n  type: single_prompt\n  prompt: |\n    One\n    Two\n',
    );
    const args = ['agents', 'create', '--json', '--file', yaml, '--name', 'Option', '--set', 'responseEngine.model=m'];
    const made = JSON.parse(await line.output(args));
    assert.equal(made.name, 'Option');
    assert.deepEqual(made.responseEngine, { type: 'single_prompt', prompt: 'One\nTwo\n', model: 'm' });
    const again = JSON.parse(await line.output(['agents', 'create', '--json', '--file', '-'], JSON.stringify(made)));
    const { id, createdAt, updatedAt, ...content } = made;
    const { id: newId, createdAt: _created, updatedAt: _updated, ...newContent } = again;
    assert.notEqual(newId, id);
    assert.deepEqual(newContent, content);
    const change = ['agents', 'update', id, '--json', '--file', '-', '--unset', 'responseEngine.prompt'];
    const changed = JSON.parse(await line.output(change, 'voiceSpeed: 1.5\nvoiceEmotion: null\n'));
    assert.deepEqual([changed.voiceSpeed, changed.responseEngine.prompt], [1.5, undefined]);
    const nonsense = await line.run(['agents', 'create', '--file', '-'], { input: 'name: [a' });
    assert.equal(nonsense.code, 2);
    assert.match(nonsense.stderr, /^voice-agents: standard input is neither JSON nor YAML: .* line 1, column \d+\n$/);
    const list = await line.run(['agents', 'create', '--file', '-'], { input: '[1]' });
    assert.match(list.stderr, /^voice-agents: standard input must contain one object with the fields of an agent\n$/);
    const missing = await line.run(['agents', 'create', '--file', '/nowhere.json']);
    assert.deepEqual(
      [missing.code, missing.stderr.startsWith('voice-agents: /nowhere.json cannot be read: ENOENT')],
      [2, true],
    );
  });

  it('name each rejected field, including misspelled ones, and exit with 2', async () => {
    const refused = await line.run([
      'agents',
      'create',
      '--name',
      '',
      '--set',
      'voiceSpeed=9',
      '--set',
      'voiceSpeeed=1',
    ]);
    assert.equal(refused.code, 2);
    assert.equal(refused.stdout, '');
    const [head, ...issues] = refused.stderr.trimEnd().split('\n');
    assert.match(head as string, /^voice-agents: The request is not valid \(400 VALIDATION_ERROR, request req_\w+\)$/);
    assert.deepEqual(issues.toSorted(), [
      '  name: must not be empty',
      '  voiceId: is required',
      '  voiceSpeed: must be at most 2',
      '  voiceSpeeed: is not a known field',
    ]);
    const { id } = await newAgent();
    const misspelt = await line.run(['agents', 'update', id, '--set', 'prompt=hello']);
    assert.match(misspelt.stderr, /\n {2}prompt: .*responseEngine\.prompt/);
    await line.client.agents.update(id, { responseEngine: { type: 'custom_llm' } });
    const incomplete = await line.run(['agents', 'publish', id]);
    assert.equal(incomplete.code, 2);
    assert.match(incomplete.stderr, /422 UNPROCESSABLE_CONTENT.*\n {2}responseEngine: llmWebsocketUrl/);
  });

  it('have an exit code for each kind of failure', async () => {
    const reader = await line.service.newKey({ scopes: ['agents:read'] });
    const expectations: [number, RegExp, string[], Record<string, string>?][] = [
      [4, /^voice-agents: No such agent .*404 NOT_FOUND/, ['agents', 'get', unknownId]],
      [2, /^voice-agents: "Reception" is not an agent id: .*agents list/, ['agents', 'get', 'Reception']],
      [2, /^voice-agents: "agt_01" is not a complete agent id/, ['agents', 'publish', 'agt_01']],
      [2, /^voice-agents: a key is not an agent id/, ['agents', 'get', line.key]],
      [2, /^voice-agents: --version must be a version number/, ['agents', 'get', unknownId, '--version', '0']],
      [2, /^voice-agents: nothing to update/, ['agents', 'update', unknownId]],
      [
        2,
        /^voice-agents: --set voiceSpeed: must have the form field=value/,
        ['agents', 'update', unknownId, '--set', 'voiceSpeed'],
      ],
      [2, /^error: option '--limit <number>' argument '0' is invalid/, ['agents', 'list', '--limit', '0']],
      [2, /Did you mean create\?/, ['agents', 'crate']],
      [3, /401 UNAUTHORIZED/, ['agents', 'list'], { VOICE_AGENTS_API_KEY: 'vak_wrong' }],
      [
        3,
        /403 SCOPE_INSUFFICIENT.*\n {2}scope: agents:write\n$/,
        ['agents', 'duplicate', unknownId],
        { VOICE_AGENTS_API_KEY: reader.key },
      ],
      [3, /no API key: run "voice-agents login"/, ['agents', 'list'], { VOICE_AGENTS_API_KEY: '' }],
      [6, /ECONNREFUSED\.\n {2}Is the service running\?/, ['agents', 'list', '--base-url', 'http://127.0.0.1:2']],
      [2, /^voice-agents: the service URL is not a valid URL/, ['agents', 'list', '--base-url', 'nonsense']],
    ];
    await Promise.all(
      expectations.map(async ([expected, message, args, settings = {}], index) => {
        // One of them as a process, which must end with the code.
        const { code, stdout, stderr } = await (index === 0 ? line.runProcess : line.run)(args, { settings });
        assert.equal(code, expected, `${args.join(' ')}: ${stderr}`);
        assert.match(stderr, message);
        assert.equal(stdout, '');
        assert.ok(!stderr.includes(line.key));
      }),
    );
  });

  it('respect --if-match', async () => {
    const { id } = await newAgent();
    const etag = (await line.output(['agents', 'get', id, '--etag'])).trim();
    assert.match(etag, /^"[\w-]+"$/);
    await line.output(['agents', 'update', id, '--set', 'name=Mine', '--if-match', etag]);
    for (const args of [
      ['update', id, '--set', 'name=Lost'],
      ['publish', id],
      ['delete', id, '--yes'],
      ['restore', id, '1'],
    ]) {
      const { code, stderr } = await line.run(['agents', ...args, '--if-match', etag]);
      assert.equal(code, 5, stderr);
      assert.match(stderr, /409 VERSION_CONFLICT.*\n {2}etag: "[\w-]+"\n$/);
    }
    assert.equal((await line.client.agents.get(id)).name, 'Mine');
  });

  it('create one agent from two calls with the same --idempotency-key', async () => {
    const args = ['agents', 'create', '--name', 'Once', '--voice-id', 'v', '--idempotency-key', 'k-1', '--json'];
    const [one, two] = [await line.runProcess(args), await line.output(args)];
    assert.deepEqual([one.code, one.stderr], [0, '']);
    assert.equal(JSON.parse(one.stdout).id, JSON.parse(two).id);
  });

  it('never delete without confirmation, and continue if one of several agents is missing', async () => {
    const [one, two] = [await newAgent(), await newAgent()];
    const unasked = await line.run(['agents', 'delete', one.id]);
    assert.deepEqual(
      [unasked.code, unasked.stderr],
      [2, 'voice-agents: cannot ask for confirmation without a terminal: use --yes\n'],
    );
    const several = await line.run(['agents', 'delete', one.id, unknownId, two.id, '--yes']);
    assert.equal(several.code, 4);
    assert.equal(several.stdout, `${one.id} deleted.\n${two.id} deleted.\n`);
    assert.match(
      several.stderr,
      new RegExp(`^voice-agents: ${unknownId}: No such agent.*\\n.*: 2 of 3 agents deleted\\n$`),
    );
    const matched = await line.run(['agents', 'delete', one.id, two.id, '--yes', '--if-match', '"x"']);
    assert.equal(matched.code, 2);
  });

  it('ask for confirmation before deleting, on a terminal', {
    skip: !hasScript && 'there is no script(1)',
  }, async () => {
    const { id } = await newAgent('Ask\x1b[31m me');
    for (const [answer, code] of [
      ['n', 1],
      ['y', 0],
    ] as const) {
      const terminal = onTerminal(['agents', 'delete', id], line.settings);
      await terminal.shown('versions? [y/N]');
      terminal.type(`${answer}\r`);
      const ended = await terminal.end();
      assert.equal(ended.code, code, ended.screen);
      assert.ok(ended.screen.includes(`  ${id}  Ask\\u001b[31m me  (version 1, draft)\n`), ended.screen);
      assert.match(ended.screen, answer === 'n' ? /nothing was deleted/ : new RegExp(`${id} deleted\\.`));
    }
  });

  it('use colors on a terminal only', { skip: !hasScript && 'there is no script(1)' }, async () => {
    const { id } = await newAgent();
    await line.client.agents.publish(id);
    await line.client.agents.update(id, { volume: 0.5 });
    const { code, screen } = await onTerminal(['agents', 'diff', id], line.settings).end();
    assert.equal(code, 0);
    assert.ok(screen.includes('\x1b[31m- 1\x1b[39m\n\x1b[32m+ 0.5\x1b[39m\n'), JSON.stringify(screen));
    const plain = await onTerminal(['agents', 'diff', id], { ...line.settings, NO_COLOR: '1' }).end();
    assert.ok(!plain.screen.includes('\x1b['), JSON.stringify(plain.screen));
  });
});
