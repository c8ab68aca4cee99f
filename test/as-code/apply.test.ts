import assert from 'node:assert/strict';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { FaultProxy } from '../sdk/support/fault-proxy.ts';
import { collect } from '../sdk/support/started-service.ts';
import { filesIn, stateOf, useGround, write, yamlOf } from './support.ts';

describe('plan and apply', () => {
  const ground = useGround();

  it('show and apply the changes of the files, field by field, and delete only on request', async () => {
    const caller = await ground.newCaller();
    const folder = ground.newFolder();
    const prompt = (line: string) => `responseEngine:\n  prompt: |\n    One.\n    ${line}\n    Three.\n`;
    write(folder, 'Reception.yaml', yamlOf('Reception', prompt('Two.')));
    write(folder, 'Old.yaml', yamlOf('Old'));
    const planned = await caller.run('plan', folder, '--exit-code');
    assert.equal(planned.code, 7);
    assert.match(
      planned.stdout,
      /\+ create {2}Reception .*\n {4}name: "Reception"\n {4}responseEngine\.prompt: One\. \(3 lines\)\n/,
    );
    assert.match(planned.stdout, /\n2 to create, 0 to update, 0 to delete, 0 unchanged\n$/);
    const unasked = await caller.run('apply', folder);
    assert.equal(unasked.code, 2);
    assert.match(unasked.stderr, /use --yes\n$/);
    const applied = await caller.run('apply', folder, '--yes');
    assert.equal(applied.code, 0, applied.stderr);
    assert.match(applied.stdout, /Done: 2 created\.\n$/);

    write(
      folder,
      'Reception.yaml',
      yamlOf('Desk\u001b[31m', `${prompt('Zwei.')}voiceEmotion: calm\nagentSettings:\n  a: 1\n`),
    );
    renameSync(join(folder, 'Old.yaml'), join(folder, 'Older.yaml'));
    const stranger = await caller.client.agents.create({ name: 'Stranger\u001b[2J', voiceId: 'v' });
    const changed = await caller.run('plan', folder);
    assert.ok(!changed.stdout.includes('\u001b'), 'everything is escaped for a terminal');
    assert.match(
      changed.stdout,
      /~ update {2}Desk\\u001b\[31m {2}.*Reception\.yaml\n {4}name: "Reception" → "Desk\\u001b\[31m"\n/,
    );
    assert.match(changed.stdout, /\n {4}responseEngine\.prompt:\n {8}One\.\n {6}- Two\.\n {6}\+ Zwei\.\n {8}Three\.\n/);
    assert.match(changed.stdout, /\n {4}voiceEmotion: null → "calm"\n {4}agentSettings\.a: 1\n/);
    assert.match(changed.stdout, new RegExp(`Only on the server .*\\n {2}${stranger.id} {2}Stranger\\\\u001b\\[2J\\n`));
    assert.match(
      changed.stdout,
      /\n0 to create, 1 to update, 0 to delete, 1 unchanged\n/,
      'a file that was renamed is the same agent',
    );

    rmSync(join(folder, 'Older.yaml'));
    const json = JSON.parse((await caller.run('plan', folder, '--json', '--delete')).stdout);
    assert.deepEqual(
      json.agents.map(({ name, action }: Record<string, string>) => [name, action]),
      [
        ['Old', 'delete'],
        ['Desk\u001b[31m', 'update'],
      ],
    );
    assert.match(
      (await caller.run('apply', folder, '--yes')).stdout,
      /the file is missing: use apply --delete to delete the agent\n/,
    );
    assert.match((await caller.run('apply', folder, '--yes', '--delete')).stdout, /Done: 1 deleted\.\n$/);
    const left = await collect(caller.client.agents.list());
    assert.deepEqual(left.map(({ name }) => name).sort(), ['Desk\u001b[31m', 'Stranger\u001b[2J']);
  });

  it('report all issues of all files before anything is sent', async (context) => {
    const proxy = new FaultProxy(ground.service);
    context.after(() => proxy.close());
    const caller = await ground.newCaller({ baseUrl: await proxy.start() });
    const folder = ground.newFolder();
    write(folder, 'good.yaml', yamlOf('Good'));
    write(folder, 'one.yaml', 'name: One\nvoiceId: v\nvoiceSpeeed: 2\n');
    write(folder, 'two.json', '{\n  "name": "Two",\n  "voiceId": "v",\n  "volume": 9\n}\n');
    for (const command of [
      ['plan', folder],
      ['apply', folder, '--yes'],
    ]) {
      const { code, stdout, stderr } = await caller.run(...command);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, /one\.yaml:3: voiceSpeeed is not a known field: did you mean voiceSpeed\?\n/);
      assert.match(stderr, /two\.json:4: volume must be at most 2\n/);
      assert.match(stderr, /Nothing was applied\.\n$/);
    }
    assert.deepEqual(proxy.seen, []);
    const missing = await caller.run('plan', join(folder, 'none'));
    assert.equal(missing.code, 4);
  });

  it('keep changes made on the server, and overwrite them only on request', async (context) => {
    const proxy = new FaultProxy(ground.service);
    context.after(() => proxy.close());
    const caller = await ground.newCaller({ baseUrl: await proxy.start() });
    const folder = ground.newFolder();
    for (const name of ['Mine', 'Theirs', 'Published', 'Deleted']) write(folder, `${name}.yaml`, yamlOf(name));
    assert.equal((await caller.run('apply', folder, '--yes')).code, 0);
    const ids = Object.fromEntries((await collect(caller.client.agents.list())).map(({ name, id }) => [name, id]));
    const theirs = ids.Theirs ?? '';
    await caller.client.agents.update(theirs, { voiceSpeed: 1.5 });
    await caller.client.agents.publish(ids.Published ?? '');
    await caller.client.agents.delete(ids.Deleted ?? '');
    for (const name of ['Mine', 'Theirs', 'Published', 'Deleted'])
      write(folder, `${name}.yaml`, yamlOf(name, 'volume: 2\n'));
    const etag = stateOf(folder).workspaces[0].agents['Mine.yaml'].etag;

    const planned = await caller.run('plan', folder, '--exit-code');
    assert.equal(planned.code, 5);
    assert.match(planned.stdout, /! drift: voiceSpeed changed on the server since the last pull, now 1\.5\n/);
    assert.match(planned.stdout, /! drift: changed on the server since the last pull \(published as version 1\)\n/);
    assert.match(planned.stdout, /! drift: deleted on the server since the last pull\n/);
    const applied = await caller.run('apply', folder, '--yes', '--json');
    assert.equal(applied.code, 5);
    const { done, notDone } = JSON.parse(applied.stdout);
    assert.deepEqual(
      done.map(({ name }: { name: string }) => name),
      ['Mine', 'Published'],
    );
    assert.deepEqual(
      notDone.map(({ name, reason }: Record<string, string>) => [name, reason?.slice(0, reason.indexOf(': ') + 2)]),
      [
        ['Deleted', 'deleted on the server since the last pull: '],
        ['Theirs', 'changed on the server since the last pull: '],
      ],
    );
    assert.equal((await caller.client.agents.get(theirs)).volume, 1);
    const patches = proxy.seen.filter(({ method }) => method === 'PATCH');
    assert.equal(patches.length, 2);
    assert.ok(patches.every(({ headers }) => headers['if-match'] !== undefined));
    assert.ok(patches.some(({ headers }) => headers['if-match'] === etag));

    // Between the plan and the change: the first attempts are rejected until someone else has made a change.
    let faster: Promise<unknown> | null = null;
    let isFaster = false;
    const mine = ids.Mine ?? '';
    proxy.decide = ({ method }) => {
      if (method !== 'PATCH' || isFaster) return null;
      faster ??= caller.client.agents.update(mine, { language: 'en' }).then(() => {
        isFaster = true;
      });
      return 'unseen 503';
    };
    write(folder, 'Mine.yaml', yamlOf('Mine', 'volume: 0.5\n'));
    const late = await caller.run('apply', folder, '--yes');
    await faster;
    assert.equal(late.code, 5);
    assert.match(late.stdout, /Mine\.yaml: .*\(409 VERSION_CONFLICT/);
    assert.deepEqual(
      [(await caller.client.agents.get(mine)).volume, (await caller.client.agents.get(mine)).language],
      [2, 'en'],
    );

    proxy.next();
    const forced = await caller.run('apply', folder, '--yes', '--force');
    assert.equal(forced.code, 0, forced.stdout);
    assert.match(forced.stdout, /Done: 1 created, 2 updated\.\n$/);
    assert.equal((await caller.client.agents.get(theirs)).voiceSpeed, 1);

    // The response is lost after the change: the retry conflicts with its own change.
    write(folder, 'Mine.yaml', yamlOf('Mine', 'volume: 0.7\n'));
    let isLost = false;
    proxy.decide = ({ method }) => {
      if (method !== 'PATCH' || isLost) return null;
      isLost = true;
      return 'drop before the answer';
    };
    const lost = await caller.run('apply', folder, '--yes');
    assert.equal(lost.code, 0, lost.stdout);
    assert.equal((await caller.run('plan', folder, '--exit-code')).code, 0);
  });

  it('publish what they have changed, now or earlier, and nothing else', async () => {
    const caller = await ground.newCaller();
    const folder = ground.newFolder();
    const draft = await caller.client.agents.create({ name: 'Draft of others', voiceId: 'v' });
    assert.equal((await caller.run('pull', folder)).code, 0);
    write(folder, 'Whole.yaml', yamlOf('Whole'));
    write(folder, 'Half.yaml', yamlOf('Half', 'responseEngine:\n  type: custom_llm\n'));
    const first = await caller.run('apply', folder, '--yes', '--publish', '--description', 'The first');
    assert.equal(first.code, 2);
    assert.match(first.stdout, /Done: 2 created, 1 published\.\n/);
    assert.match(first.stdout, /Half\.yaml \(created\): .*\n {6}responseEngine: llmWebsocketUrl: is required/);
    const byName = async (name: string) => {
      const [found] = await collect(caller.client.agents.list({ q: name }));
      return found as NonNullable<typeof found>;
    };
    assert.deepEqual(
      [(await byName('Whole')).isPublished, (await byName('Whole')).versionDescription],
      [true, 'The first'],
    );
    assert.equal((await caller.client.agents.get(draft.id)).isPublished, false);

    write(
      folder,
      'Half.yaml',
      yamlOf('Half', 'responseEngine:\n  type: custom_llm\n  llmWebsocketUrl: wss://a.example/b\n'),
    );
    assert.match((await caller.run('apply', folder, '--yes')).stdout, /Done: 1 updated\.\n$/);
    assert.match((await caller.run('plan', folder)).stdout, /1 applied but not published yet/);
    assert.match(
      (await caller.run('apply', folder, '--yes', '--publish')).stdout,
      /\^ publish {2}Half .*(\n.*)*Done: 1 published\.\n$/,
    );
    assert.equal((await byName('Half')).isPublished, true);
    assert.equal((await caller.client.agents.get(draft.id)).isPublished, false);
    await caller.client.agents.publish(draft.id);
    const informed = await caller.run('plan', folder, '--publish', '--exit-code');
    assert.equal(informed.code, 0, 'a publication by others is not a conflict');
    assert.match(informed.stdout, /leave {2}Draft of others .*\n {4}! drift: .*published as version 1/);
    assert.doesNotMatch(Object.values(filesIn(folder)).join(''), /The first/);
  });

  it('warn about an agent with the same name, and adopt it on request', async () => {
    const caller = await ground.newCaller();
    const folder = ground.newFolder();
    const there = await caller.client.agents.create({ name: 'Reception', voiceId: 'v', voiceSpeed: 1.5 });
    for (const _ of [1, 2]) await caller.client.agents.create({ name: 'Twin', voiceId: 'v' });
    write(folder, 'desk.yaml', yamlOf('Reception'));
    write(folder, 'twin.yaml', yamlOf('Twin'));
    write(folder, 'new.yaml', yamlOf('New'));
    const planned = await caller.run('plan', folder);
    assert.match(planned.stdout, new RegExp(`! an agent with this name already exists \\(${there.id}\\): .*--adopt`));
    const adopted = await caller.run('apply', folder, '--yes', '--adopt');
    assert.equal(adopted.code, 5);
    assert.match(
      adopted.stdout,
      /Done: 1 created, 1 updated\.\n.*\n.*twin\.yaml: several files or agents have this name/,
    );
    const agents = await collect(caller.client.agents.list());
    assert.deepEqual(agents.map(({ name }) => name).sort(), ['New', 'Reception', 'Twin', 'Twin']);
    const { voiceSpeed, voiceId } = await caller.client.agents.get(there.id);
    assert.deepEqual([voiceSpeed, voiceId], [1, 'ja-JP-Nanami']);
    assert.equal(stateOf(folder).workspaces[0].agents['desk.yaml'].id, there.id);
    assert.ok(readFileSync(join(folder, 'desk.yaml'), 'utf8').startsWith('name: "Reception"'));
  });

  it('have their own exit codes for a missing scope and an unreachable service', async () => {
    const reader = await ground.newCaller({ scopes: ['agents:read'] });
    const folder = ground.newFolder();
    for (const name of ['a', 'b', 'c']) write(folder, `${name}.yaml`, yamlOf(name));
    const refused = await reader.run('apply', folder, '--yes');
    assert.equal(refused.code, 3);
    assert.match(
      refused.stdout,
      /Nothing was applied\.\nFailed or incomplete: 3\n(.*\n)*.*a\.yaml: .*SCOPE_INSUFFICIENT/,
    );
    const away = await ground.newCaller({ baseUrl: 'http://127.0.0.1:9' });
    assert.equal((await away.run('plan', folder)).code, 6);
  });
});
