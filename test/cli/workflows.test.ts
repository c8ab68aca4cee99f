import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { useCommandLine } from './support.ts';

const followUp = `name: Follow up
trigger:
  event: call_ended
  agentIds: [Desk]
  filter:
    all:
      - { field: status, op: eq, value: ended }
      - { field: metadata.paid, op: exists, value: false }
steps:
  - id: crm
    type: http_request
    url: https://crm.example.com/leads/{{call.id}}
    body:
      transcript: '{{transcript.text}}'
    otherwise: note
  - id: late
    type: condition
    routes:
      - { if: { field: steps.crm.statusCode, op: eq, value: 200 }, next: end }
    otherwise: note
  - id: note
    type: update_call
    metadata: { crm: failed }
`;

describe('voice-agents workflows', () => {
  const line = useCommandLine();
  let callId = '';
  let agentId = '';

  const write = (name: string, text: string) => {
    const file = join(line.folder, name);
    writeFileSync(file, text);
    return file;
  };

  before(async () => {
    const { client } = line;
    agentId = (await client.agents.create({ name: 'Desk', voiceId: 'slt', language: 'en', llmModel: 'test-echo' })).id;
    await client.agents.publish(agentId);
    callId = (await client.calls.create({ type: 'chat', agentId })).id;
    await client.calls.messages.create(callId, { text: 'hello' });
    await client.calls.end(callId);
  });

  it('creates the workflow of a file, then updates it, and shows what changes', async () => {
    const file = write('follow-up.yaml', followUp);
    const planned = await line.output(['workflows', 'push', file, '--dry-run']);
    assert.match(planned, /^\+ create {2}Follow up\n[\s\S]*steps\.crm\.url: "https:\/\/crm\.example\.com/);
    assert.equal((await line.client.workflows.list()).items.length, 0);
    const created = await line.output(['workflows', 'push', file]);
    assert.match(
      created,
      /\nCreated wfl_\w+, version 1, disabled\. Enable it with "voice-agents workflows enable wfl_/,
    );
    const [workflow] = (await line.client.workflows.list()).items;
    assert.deepEqual(workflow?.trigger.agentIds, [agentId]);
    assert.equal(await line.output(['workflows', 'push', file]), '  unchanged  Follow up\n');

    write('follow-up.yaml', followUp.replace('metadata: { crm: failed }', 'metadata: { crm: down }\nenabled: true'));
    const updated = await line.output(['workflows', 'push', file]);
    assert.match(
      updated,
      /^~ update {2}Follow up {2}wfl_\w+\n {4}enabled: false → true\n {4}steps\.note\.metadata\.crm: "failed" → "down"\n\nUpdated wfl_\w+, version 2, enabled\.\n$/,
    );
    assert.match(await line.output(['workflows', 'list']), /Follow up +enabled +call_ended +3 +2 /);
    const shown = await line.output(['workflows', 'get', workflow?.id ?? '']);
    assert.match(
      shown,
      /^Follow up {2}enabled\n[\s\S]*\nSteps\n {2}crm +http_request {2}POST https:\S+, otherwise note\n/,
    );
    assert.match(await line.output(['workflows', 'versions', workflow?.id ?? '']), /2 +crm, late, note/);
  });

  it('pushes what "get --json" returned, to the workflow with its id, and refuses to overwrite other changes', async () => {
    const [workflow] = (await line.client.workflows.list()).items;
    const id = workflow?.id ?? '';
    const file = write(
      'copy.json',
      (await line.output(['workflows', 'get', id, '--json'])).replace('Follow up', 'Renamed'),
    );
    const etag = (await line.output(['workflows', 'get', id, '--etag'])).trim();
    await line.client.workflows.update(id, { description: 'meanwhile' });
    const refused = await line.run(['workflows', 'push', file, '--if-match', etag]);
    assert.equal(refused.code, 5);
    assert.match(refused.stderr, /\(409 VERSION_CONFLICT/);
    const pushed = JSON.parse(await line.output(['workflows', 'push', file, '--json']));
    assert.deepEqual([pushed.id, pushed.name, pushed.description], [id, 'Renamed', null]);
    assert.equal((await line.run(['workflows', 'push', write('x.yaml', followUp), '--id', id])).code, 0);
    const disabled = await line.output(['workflows', 'disable', id]);
    assert.match(disabled, /^wfl_\w+ is disabled\./);
    assert.equal(await line.output(['workflows', 'enable', id]), `${id} is enabled.\n`);
  });

  it('reports every problem of a file with its line, and sends nothing', async () => {
    const file = write(
      'bad.yaml',
      `${followUp.replace('otherwise: note', 'otherwise: crm').replace('status, op: eq', 'state, op: eq')}retries: 3\n`,
    );
    const { code, stderr } = await line.run(['workflows', 'push', file]);
    assert.equal(code, 2);
    assert.match(stderr, /bad\.yaml:7: trigger\.filter\.all\[0\]\.field /);
    assert.match(stderr, /bad\.yaml:15: steps\[0\]\.otherwise must be the id of a later step, or end\n/);
    assert.match(stderr, /bad\.yaml:\d+: retries is not a known field\n/);
    assert.equal((await line.run(['workflows', 'push', write('text.yaml', 'name: [')])).code, 2);
    assert.equal((await line.run(['workflows', 'push', join(line.folder, 'none.yaml')])).code, 2);
    const unknown = await line.run(['workflows', 'push', write('who.yaml', followUp.replace('[Desk]', '[Nobody]'))]);
    assert.equal(unknown.code, 4);
    assert.match(unknown.stderr, /there is no agent "Nobody"/);
  });

  it('tests a file on a call: the filter leaf by leaf, and every request', async () => {
    const file = write('follow-up.yaml', followUp);
    const tested = await line.output(['workflows', 'test', file, '--call', callId]);
    assert.match(tested, /^A run would start\.\n\nHOLDS +FIELD +OP +EXPECTED +IN THE CALL +CONDITION\n/);
    assert.match(tested, /\nyes +status +eq +"ended" +"ended" +all\.0\n/);
    assert.match(tested, /\ncrm {2}succeeds \(assumed\)\n {4}POST https:\/\/crm\.example\.com\/leads\/call_\w+\n/);
    assert.match(tested, /\n {4}\{\n {6}"transcript": /);
    assert.match(tested, /\nnote {2}not reached\n\nThe run would succeed\. Nothing was sent\.\n$/);

    const mocks = write('mocks.json', '{ "crm": { "error": "timeout" } }');
    const failing = await line.output(['workflows', 'test', file, '--call', callId, '--mocks', mocks]);
    assert.match(
      failing,
      /\ncrm {2}fails\n {4}timeout: [\s\S]*\nlate {2}not reached\n\nnote {2}succeeds\n {4}metadata\.crm {2}"?failed"?\n/,
    );
    const fatal = write('fatal.yaml', followUp.replace('    otherwise: note\n  - id: late', '  - id: late'));
    const ended = await line.run(['workflows', 'test', fatal, '--call', callId, '--mocks', mocks, '--json']);
    assert.equal(ended.code, 1);
    assert.equal(JSON.parse(ended.stdout).end, 'failed');
    assert.equal((await line.run(['workflows', 'test', file, '--call', 'call_1'])).code, 2);
  });

  it('starts a run, shows its steps and attempts, cancels and resumes', async () => {
    const file = write(
      'wait.yaml',
      'name: Wait\ntrigger: { event: call_ended }\nsteps:\n  - { id: day, type: wait, seconds: 86400 }\n',
    );
    const { id } = JSON.parse(await line.output(['workflows', 'push', file, '--json']));
    const started = await line.run(['workflows', 'run', id, '--call', callId, '--json']);
    assert.equal(started.code, 0, started.stderr);
    const run = JSON.parse(started.stdout);
    const canceled = await line.output(['workflows', 'cancel', run.id]);
    assert.match(canceled, /^run_\w+ is canceled, since /);
    const shown = await line.output(['workflows', 'runs', run.id]);
    assert.match(shown, /^run_\w+ {2}canceled \(by_user\)\n {2}workflowId +wfl_/);
    assert.match(shown, /\nday {2}wait {2}\w+/);
    assert.match(
      await line.output(['workflows', 'runs', '--workflow', 'Wait']),
      new RegExp(`${run.id} .*canceled \\(by_user\\)`),
    );
    assert.equal(await line.output(['workflows', 'runs', '--status', 'failed']), 'No runs match.\n');

    assert.equal((await line.run(['workflows', 'resume', run.id])).code, 5);
    assert.equal(await line.output(['workflows', 'resume', 'Wait', '--since', '2026-01-01']), '0 runs continue.\n');
    assert.equal((await line.run(['workflows', 'resume', 'Wait'])).code, 2);
    assert.equal((await line.run(['workflows', 'resume', run.id, '--since', '2026-01-01'])).code, 2);
    assert.equal((await line.run(['workflows', 'resume', 'Nothing', '--since', '2026-01-01'])).code, 4);
    assert.equal(await line.output(['workflows', 'delete', id, '--yes']), `${id} deleted.\n`);
  });
});
