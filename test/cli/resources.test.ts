import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resourceOperations } from '../../scripts/cli-operations.ts';
import { commandOf } from '../../src/cli/resources/operation.ts';
import { buildOpenApi } from '../../src/contract/documents/openapi.ts';
import { operations } from '../../src/contract/index.ts';
import { createNotes } from '../areas/notes/area.ts';
import { notesContract } from '../areas/notes/contract.ts';
import { notesMigration } from '../areas/notes/migration.ts';
import { send } from '../support/client.ts';
import { runInProcess } from '../support/command-line.ts';
import { useCommandLine } from './support.ts';

describe('list, get and delete', () => {
  const line = useCommandLine({ otherAreas: (kernel) => [createNotes(kernel, { send: async () => 1 })] });
  const ofNotes = resourceOperations(buildOpenApi([notesContract]));
  const unknownId = 'nte_01m7fgx83900003jef8128d0yq80eb';

  it('work for a new area without any code in the command line', async () => {
    const { database } = line.service;
    for (const statement of notesMigration.statements(database.dialect)) await database.run(statement);
    const run = (...args: string[]) => runInProcess(['notes', ...args], line.settings, '', ofNotes);
    assert.equal((await run('list')).stdout, 'No notes yet.\n');
    const notes = [];
    for (const weight of [1, 2, 3]) {
      const body = { text: `Note ${weight}`, colour: weight === 3 ? 'red' : 'blue', weight };
      notes.push((await send(line.service, 'POST', '/api/v1/notes', { key: line.key, body })).json);
    }
    const [first, second, third] = notes;

    const listed = await run('list');
    assert.deepEqual([listed.code, listed.stderr], [0, '']);
    assert.match(listed.stdout, /^ID +TEXT +COLOUR +WEIGHT +AT\nnte_\w+ +Note 3 +red +3 +\d{4}-/);
    assert.deepEqual(JSON.parse((await run('list', '--colour', 'red', '--json')).stdout), third);
    assert.equal((await run('list', '--min-weight', '9')).stdout, 'No notes match.\n');
    assert.equal((await run('list', '--limit', '2', '--json')).stdout.trimEnd().split('\n').length, 2);

    const shown = await run('get', first.id);
    assert.match(shown.stdout, new RegExp(`^${first.id}\n {2}text +Note 1\n {2}colour +blue\n`));
    assert.equal((await run('show', first.id)).stdout, shown.stdout);
    assert.deepEqual(JSON.parse((await run('get', first.id, '--json')).stdout), first);
    const missing = await run('get', unknownId);
    assert.equal(missing.code, 4);
    assert.match(missing.stderr, /^voice-agents: No such note /);

    assert.match((await run('delete', first.id)).stderr, /use --yes\n$/);
    const deleted = await run('delete', first.id, unknownId, second.id, '--yes');
    assert.equal(deleted.code, 4);
    assert.equal(deleted.stdout, `${first.id} deleted.\n${second.id} deleted.\n`);
    assert.equal((await run('get', first.id)).code, 4);

    const help = await run('list', '--help');
    assert.match(help.stdout, /--min-weight <min-weight>/);
    const completion = await runInProcess(['completion', 'bash'], {}, '', ofNotes);
    assert.match(completion.stdout, /' notes list'\) .*--colour/);
  });

  it('have a command for each operation of the contract', async () => {
    const all = resourceOperations(buildOpenApi());
    const expected = operations.filter(({ id, method }) =>
      method === 'GET' ? /\.(list|get)$/.test(id) : method === 'DELETE',
    );
    assert.deepEqual(all.map(({ id }) => id).toSorted(), expected.map(({ id }) => id as string).toSorted());
    for (const operation of all) {
      const { group, command } = commandOf(operation);
      const { code, stdout } = await runInProcess([group, command, '--help'], {});
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`^Usage: voice-agents ${group} (?:[a-z]+\\|)?${command}[| ]`), operation.id);
      assert.match(stdout, /--json/, operation.id);
    }
  });

  it('say where the ids of a resource inside another are listed', async () => {
    const webhook = 'whk_01m7fgx83900003jef8128d0yq80eb';
    for (const args of [
      ['deliveries', webhook, 'dlv_1'],
      ['resend', webhook, 'dlv_1'],
    ]) {
      const { code, stderr } = await line.run(['webhooks', ...args]);
      assert.equal(code, 2);
      assert.match(
        stderr,
        /^voice-agents: "dlv_1" is not a complete delivery id: .*Run "voice-agents webhooks deliveries"/,
      );
    }
  });

  it('take the verb of a list inside of a group, and say where its ids are listed', async () => {
    for (const name of ['alerts', 'views', 'prices']) {
      assert.equal(await line.output(['analytics', name, 'list']), await line.output(['analytics', name]));
    }
    const fields = await line.output(['analytics', 'fields', 'list', '--json']);
    assert.equal(fields, await line.output(['analytics', 'fields', '--json']));
    const other = await line.run(['analytics', 'prices', 'lists']);
    assert.deepEqual([other.code, other.stdout], [2, '']);
    for (const args of [['alerts'], ['delete-alerts', '--yes']]) {
      const { code, stderr } = await line.run(['analytics', ...args, 'alr_1']);
      assert.equal(code, 2);
      assert.match(stderr, /Run "voice-agents analytics alerts" to see them/);
    }
  });

  it('need no verb if a resource has nothing but a list', async () => {
    assert.match(await line.output(['providers']), /^NAME +SOURCE/);
    const { code, stderr } = await line.run(['voices']);
    assert.equal(code, 2);
    assert.match(stderr, /^Usage: voice-agents voices /);
  });

  it('show what had no command before', async () => {
    assert.match(await line.output(['events', 'types']), /call_ended/);
    assert.match(await line.output(['calls', 'concurrency']), /\d/);
    assert.match(await line.output(['figures', 'get', '--period', 'day']), /period/);
    const agent = await line.client.agents.create({ name: 'One', voiceId: 'v' });
    await line.client.agents.publish(agent.id);
    assert.match(await line.output(['agents', 'versions', agent.id, 'published']), /^One {2}Live v1\n/);
    assert.match(await line.output(['agents', 'states', '--agent', agent.id]), new RegExp(agent.id));
    const [event] = (await line.client.events.list()).items;
    assert.match(await line.output(['events', 'list']), new RegExp(`\n${event?.id} +agent_published +${agent.id}`));
    assert.deepEqual(JSON.parse(await line.output(['events', 'get', event?.id ?? '', '--json'])), event);
    const { keyId } = await line.client.whoami();
    const { stdout } = await line.run(['keys', 'get', keyId], { settings: { DATABASE_URL: line.service.databaseUrl } });
    assert.match(stdout, new RegExp(`^ {2}id +${keyId}\n`));
    assert.match(await line.output(['keys', 'get', keyId, '--service']), new RegExp(`^${keyId}\n`));
  });
});
