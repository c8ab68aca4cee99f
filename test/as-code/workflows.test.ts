import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { stateOf, useGround, write, yamlOf } from './support.ts';

const followUp = `name: Follow up
enabled: true
trigger:
  event: call_ended
  agentIds:
    - desk.yaml
  filter:
    field: status
    op: eq
    value: ended
steps:
  - id: tell
    type: http_request
    url: https://hooks.example.com/{{secrets.HOOK}}
    body:
      text: "{{call.analysis.summary | default: null}}"
    otherwise: call_back
  - id: call_back
    type: create_call
    call:
      type: phone
      agentId: desk.yaml
      fromPhoneNumberId: "+99910000001"
      to: "{{call.from}}"
`;

describe('workflows as code', () => {
  const ground = useGround();

  const prepared = async () => {
    const caller = await ground.newCaller();
    const folder = ground.newFolder();
    await caller.client.carriers.create({ name: 'Test', provider: 'test' });
    await caller.client.secrets.put('HOOK', { value: 'of-the-hook', hosts: ['hooks.example.com'] });
    mkdirSync(join(folder, 'numbers'));
    mkdirSync(join(folder, 'workflows'));
    write(folder, 'desk.yaml', yamlOf('Desk'));
    write(folder, 'numbers/shop.yaml', 'number: "+99910000001"\ncarrier: Test\n');
    write(folder, 'workflows/follow-up.yaml', followUp);
    return { caller, folder };
  };

  it('are created after the agents and numbers that they name, and pulled back as the same files', async () => {
    const { caller, folder } = await prepared();
    const planned = await caller.run('plan', folder, '--exit-code');
    assert.equal(planned.code, 7, planned.stderr);
    assert.match(planned.stdout, /\+ create {2}Follow up .*\n[\s\S]*trigger\.agentIds: \["desk\.yaml"\]\n/);
    assert.match(planned.stdout, /Workflows: 1 to create, 0 to update, 0 to delete, 0 unchanged\n$/);
    const applied = await caller.run('apply', folder, '--yes');
    assert.equal(applied.code, 0, applied.stdout);
    assert.match(applied.stdout, /Numbers: 1 imported\.\nWorkflows: 1 created\.\n$/);
    const [agent] = (await caller.client.agents.list()).items;
    const [number] = (await caller.client.phoneNumbers.list()).items;
    const [workflow] = (await caller.client.workflows.list()).items;
    assert.deepEqual([workflow?.enabled, workflow?.trigger.agentIds], [true, [agent?.id]]);
    const last = workflow?.steps[1];
    assert.ok(last?.type === 'create_call');
    assert.deepEqual([last.call.agentId, last.call.fromPhoneNumberId], [agent?.id, number?.id]);
    assert.equal((await caller.run('plan', folder, '--exit-code')).code, 0);

    const other = ground.newFolder();
    assert.equal((await caller.run('pull', other)).code, 0);
    const text = readFileSync(join(other, 'workflows', 'Follow-up.yaml'), 'utf8');
    assert.equal(text, followUp.replaceAll('desk.yaml', 'Desk.yaml'));
    assert.equal((await caller.run('plan', other, '--exit-code')).code, 0);
    assert.match((await caller.run('pull', other)).stdout, /: 0 written, 3 unchanged\.\n/);
  });

  it('keep their workflow if the file is renamed, and name agents by their names, too', async () => {
    const { caller, folder } = await prepared();
    await caller.run('apply', folder, '--yes');
    const [before] = (await caller.client.workflows.list()).items;
    const path = (name: string) => join(folder, 'workflows', name);
    renameSync(path('follow-up.yaml'), path('after.yaml'));
    assert.equal((await caller.run('plan', folder, '--exit-code')).code, 0);
    await caller.run('apply', folder);
    write(folder, 'workflows/after.yaml', followUp.replaceAll('desk.yaml', 'Desk').replace('Follow up', 'After'));
    const renamed = await caller.run('apply', folder, '--yes');
    assert.match(renamed.stdout, /name: "Follow up" → "After"\n[\s\S]*Workflows: 1 updated\.\n$/);
    const after = (await caller.client.workflows.list()).items;
    assert.deepEqual(
      after.map(({ id, name, version }) => [id, name, version]),
      [[before?.id, 'After', 1]],
    );
    assert.deepEqual(
      Object.values(stateOf(folder).workspaces[0].workflows).map((entry) => (entry as { path: string }).path),
      ['workflows/after.yaml'],
    );
  });

  it('are not overwritten if they were changed on the server, without --force', async () => {
    const { caller, folder } = await prepared();
    await caller.run('apply', folder, '--yes');
    const [workflow] = (await caller.client.workflows.list()).items;
    await caller.client.workflows.update(workflow?.id ?? '', { enabled: false });
    write(folder, 'workflows/follow-up.yaml', followUp.replace('value: ended', 'value: error'));
    const skipped = await caller.run('apply', folder, '--yes');
    assert.equal(skipped.code, 5);
    assert.match(skipped.stdout, /skipped: changed on the server since the last pull/);
    const pulled = await caller.run('pull', folder);
    assert.equal(pulled.code, 5);
    assert.match(pulled.stdout, /workflows\/follow-up\.yaml: differs from the workflow on the server/);
    assert.equal((await caller.run('apply', folder, '--yes', '--force')).code, 0);
    const changed = await caller.client.workflows.get(workflow?.id ?? '');
    assert.deepEqual([changed.enabled, changed.version], [true, 2]);
  });

  it('are linked to a workflow with their name only with --adopt, and never created twice', async () => {
    const { caller, folder } = await prepared();
    const steps = [{ id: 'day', type: 'wait' as const, seconds: 86_400 }];
    const { id } = await caller.client.workflows.create({ name: 'Follow up', trigger: { event: 'call_ended' }, steps });
    const skipped = await caller.run('apply', folder, '--yes');
    assert.equal(skipped.code, 5);
    assert.match(skipped.stdout, /skipped: there is a workflow with this name: use --adopt/);
    const adopted = await caller.run('apply', folder, '--yes', '--adopt');
    assert.equal(adopted.code, 0, adopted.stdout);
    assert.deepEqual(
      (await caller.client.workflows.list()).items.map((workflow) => [workflow.id, workflow.steps.length]),
      [[id, 2]],
    );
  });

  it('are deleted only with --delete, after their file was removed, and pulled files follow a deletion', async () => {
    const { caller, folder } = await prepared();
    await caller.run('apply', folder, '--yes');
    const other = ground.newFolder();
    await caller.run('pull', other);
    rmSync(join(folder, 'workflows', 'follow-up.yaml'));
    assert.match((await caller.run('apply', folder, '--yes')).stdout, /use apply --delete to delete the workflow/);
    assert.match((await caller.run('apply', folder, '--yes', '--delete')).stdout, /Workflows: 1 deleted\.\n$/);
    assert.equal((await caller.client.workflows.list()).items.length, 0);
    assert.match((await caller.run('pull', other)).stdout, /1 removed/);
    assert.throws(() => readFileSync(join(other, 'workflows', 'Follow-up.yaml')), /ENOENT/);
  });

  it('report every problem of a file, and what they name that does not exist', async () => {
    const { caller, folder } = await prepared();
    write(folder, 'workflows/bad.yaml', followUp.replace('Follow up', 'Bad').replace('url:', 'uri:'));
    write(folder, 'workflows/twice.yaml', followUp);
    const invalid = await caller.run('apply', folder, '--yes');
    assert.equal(invalid.code, 2);
    assert.match(invalid.stderr, /bad\.yaml:12: steps\[0\]\.url is required\n/);
    assert.match(invalid.stderr, /bad\.yaml:14: steps\[0\]\.uri is not a known field\n/);
    assert.match(invalid.stderr, /twice\.yaml: name is also in workflows\/follow-up\.yaml/);
    rmSync(join(folder, 'workflows', 'bad.yaml'));
    write(folder, 'workflows/twice.yaml', followUp.replace('Follow up', 'A').replace('- desk.yaml', '- none.yaml'));
    const secret = followUp.replace('Follow up', 'B').replace('secrets.HOOK', 'secrets.MISSING');
    write(folder, 'workflows/third.yaml', secret);
    const skipped = await caller.run('apply', folder, '--yes');
    assert.equal(skipped.code, 1);
    assert.match(skipped.stdout, /skipped: there is no agent file none\.yaml/);
    assert.match(skipped.stdout, /Workflows: 1 created\.\nWorkflows that failed: 2\n[\s\S]*B: .*MISSING/);
  });

  it('need no scope in a workspace that has only agents', async () => {
    const caller = await ground.newCaller({ scopes: ['agents:read', 'agents:write'] });
    const folder = ground.newFolder();
    write(folder, 'desk.yaml', yamlOf('Desk'));
    assert.equal((await caller.run('apply', folder, '--yes')).code, 0);
    assert.equal((await caller.run('pull', folder)).code, 0);
  });
});
