import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { useGround, write, yamlOf } from './support.ts';

const shop = `number: "+99910000001"
carrier: Test
name: Shop
inbound:
  agent: desk.yaml
  fallback:
    type: message
    text: We are closed.
outbound:
  enabled: true
  agents:
    - desk.yaml
`;

describe('phone numbers as code', () => {
  const ground = useGround();

  const prepared = async () => {
    const caller = await ground.newCaller();
    const folder = ground.newFolder();
    await caller.client.carriers.create({ name: 'Test', provider: 'test' });
    mkdirSync(join(folder, 'numbers'));
    write(folder, 'desk.yaml', yamlOf('Desk'));
    write(folder, 'numbers/shop.yaml', shop);
    return { caller, folder };
  };

  it('are imported after the agents that they name, and pulled back as the same files', async () => {
    const { caller, folder } = await prepared();
    const planned = await caller.run('plan', folder, '--exit-code');
    assert.equal(planned.code, 7);
    assert.match(planned.stdout, /\+ import {2}\+99910000001 .*\n[\s\S]*inbound\.agent: "desk\.yaml"\n/);
    const applied = await caller.run('apply', folder, '--yes');
    assert.equal(applied.code, 0, applied.stdout);
    assert.match(applied.stdout, /Done: 1 created\.\nNumbers: 1 imported\.\n$/);
    const [agent] = (await caller.client.agents.list()).items;
    const [number] = (await caller.client.phoneNumbers.list()).items;
    assert.equal(number?.inbound.agentId, agent?.id);
    assert.deepEqual(number?.outbound.agentIds, [agent?.id]);
    assert.equal((await caller.run('plan', folder, '--exit-code')).code, 0);

    const other = ground.newFolder();
    assert.equal((await caller.run('pull', other)).code, 0);
    const text = readFileSync(join(other, 'numbers', '+99910000001.yaml'), 'utf8');
    assert.equal(text, shop.replaceAll('desk.yaml', 'Desk.yaml'));
    assert.equal((await caller.run('plan', other, '--exit-code')).code, 0);
  });

  it('are not overwritten if they were changed on the server, without --force', async () => {
    const { caller, folder } = await prepared();
    await caller.run('apply', folder, '--yes');
    const [number] = (await caller.client.phoneNumbers.list()).items;
    await caller.client.phoneNumbers.update(number?.id ?? '', { outbound: { enabled: false } });
    write(folder, 'numbers/shop.yaml', shop.replace('Shop', 'Store'));
    const skipped = await caller.run('apply', folder, '--yes');
    assert.equal(skipped.code, 5);
    assert.match(skipped.stdout, /skipped: changed on the server since the last pull/);
    const pulled = await caller.run('pull', folder);
    assert.equal(pulled.code, 5);
    assert.match(pulled.stdout, /numbers\/shop\.yaml: differs from the number on the server/);
    assert.equal((await caller.run('apply', folder, '--yes', '--force')).code, 0);
    const changed = await caller.client.phoneNumbers.get(number?.id ?? '');
    assert.deepEqual([changed.name, changed.outbound.enabled], ['Store', true]);
  });

  it('are deleted only with --delete, after their file was removed', async () => {
    const { caller, folder } = await prepared();
    await caller.run('apply', folder, '--yes');
    rmSync(join(folder, 'numbers', 'shop.yaml'));
    assert.match((await caller.run('apply', folder, '--yes')).stdout, /use apply --delete to delete the number/);
    assert.equal((await caller.client.phoneNumbers.list()).items.length, 1);
    assert.match((await caller.run('apply', folder, '--yes', '--delete')).stdout, /Numbers: 1 deleted\.\n$/);
    assert.equal((await caller.client.phoneNumbers.list()).items.length, 0);
  });

  it('report every problem of a file, and what they name that does not exist', async () => {
    const { caller, folder } = await prepared();
    write(folder, 'numbers/bad.yaml', 'number: +99910000002\nauthToken: x\n');
    write(folder, 'numbers/twice.yaml', shop);
    const invalid = await caller.run('apply', folder, '--yes');
    assert.equal(invalid.code, 2);
    assert.match(invalid.stderr, /bad\.yaml:1: number must be in quotes/);
    assert.match(invalid.stderr, /bad\.yaml:2: authToken is not a known field/);
    assert.match(invalid.stderr, /twice\.yaml: number is also in numbers\/shop\.yaml/);
    rmSync(join(folder, 'numbers', 'bad.yaml'));
    write(folder, 'numbers/twice.yaml', 'number: "+99910000002"\ncarrier: Nobody\n');
    write(folder, 'numbers/third.yaml', 'number: "+99910000003"\ncarrier: Test\ninbound: { agent: none.yaml }\n');
    const skipped = await caller.run('apply', folder, '--yes');
    assert.equal(skipped.code, 1);
    assert.match(skipped.stdout, /skipped: carrier: there is no carrier with this name/);
    assert.match(skipped.stdout, /skipped: there is no agent file none\.yaml/);
    assert.match(skipped.stdout, /Numbers: 1 imported\.\n/);
  });

  it('need no scope in a workspace that has only agents', async () => {
    const caller = await ground.newCaller({ scopes: ['agents:read', 'agents:write'] });
    const folder = ground.newFolder();
    write(folder, 'desk.yaml', yamlOf('Desk'));
    assert.equal((await caller.run('apply', folder, '--yes')).code, 0);
    assert.equal((await caller.run('pull', folder)).code, 0);
  });
});
