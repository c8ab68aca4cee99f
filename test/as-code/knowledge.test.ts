import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Caller, stateOf, useGround, write, yamlOf } from './support.ts';

const desk = yamlOf(
  'Desk',
  `language: en-US
responseEngine:
  type: single_prompt
  model: test-knowledge
agentSettings:
  knowledge:
    bases:
      - name: Shop FAQ
    limit: 3
`,
);
const shop = `name: Shop FAQ
language: en
synonyms:
  - - scarf
    - lost item
`;

describe('knowledge bases as code', () => {
  const ground = useGround();

  const prepared = async () => {
    const caller = await ground.newCaller();
    const folder = ground.newFolder();
    mkdirSync(join(folder, 'knowledge', 'shop', 'more'), { recursive: true });
    write(folder, 'desk.yaml', desk);
    write(folder, 'knowledge/shop.yaml', shop);
    write(folder, 'knowledge/shop/returns.md', '# Returns\n\nReturns are possible within thirty days.');
    write(folder, 'knowledge/shop/more/parking.txt', 'Parking is free.');
    return { caller, folder };
  };
  const documentsOf = async ({ client }: Caller) => {
    const [base] = (await client.knowledgeBases.list()).items;
    assert.ok(base);
    const { items } = await client.documents.list(base.id);
    return { base, names: items.map(({ name, status, revision }) => `${name} ${status} ${revision}`).sort() };
  };

  it('are created with the documents of their folder, before the agents that name them', async () => {
    const { caller, folder } = await prepared();
    const planned = await caller.run('plan', folder, '--exit-code');
    assert.equal(planned.code, 7, planned.stderr);
    assert.match(planned.stdout, /\+ create {2}Shop FAQ .*knowledge\/shop\.yaml\n/);
    assert.match(planned.stdout, /documents\.more\/parking\.txt: "16 bytes"\n/);
    assert.match(planned.stdout, /Knowledge bases: 1 to create, 0 to update, 0 to delete, 0 unchanged\n$/);
    const applied = await caller.run('apply', folder, '--yes', '--publish');
    assert.equal(applied.code, 0, applied.stdout + applied.stderr);
    assert.match(applied.stdout, /Knowledge bases: 1 created\.\n$/);
    const { base, names } = await documentsOf(caller);
    assert.deepEqual(names, ['more/parking.txt ready 1', 'returns.md ready 1']);
    assert.deepEqual([base.language, base.synonyms], ['en', [['scarf', 'lost item']]]);
    const [agent] = (await caller.client.agents.list()).items;
    assert.deepEqual(agent?.agentSettings, { knowledge: { bases: [{ id: base.id }], limit: 3 } });
    assert.equal(agent?.isPublished, true);
    assert.equal((await caller.run('plan', folder, '--exit-code')).code, 0);
    assert.match((await caller.run('apply', folder, '--yes')).stdout, /0 to update/);
  });

  it('are pulled by name, without documents, as files that change nothing', async () => {
    const { caller, folder } = await prepared();
    await caller.run('apply', folder, '--yes');
    const other = ground.newFolder();
    assert.equal((await caller.run('pull', other)).code, 0);
    assert.match(readFileSync(join(other, 'Desk.yaml'), 'utf8'), /bases:\n {6}- name: Shop FAQ\n/);
    assert.equal(readFileSync(join(other, 'knowledge', 'Shop-FAQ.yaml'), 'utf8'), shop);
    assert.equal((await caller.run('plan', other, '--exit-code')).code, 0);
    assert.match((await caller.run('pull', other)).stdout, /: 0 written, 2 unchanged\.\n/);
    assert.match((await caller.run('pull', folder)).stdout, /: 0 written, 2 unchanged\.\n/);
    const elsewhere = await ground.newCaller();
    assert.equal((await elsewhere.run('apply', other, '--yes')).code, 0);
    const [agent] = (await elsewhere.client.agents.list()).items;
    const { base, names } = await documentsOf(elsewhere);
    assert.deepEqual([agent?.agentSettings, names], [{ knowledge: { bases: [{ id: base.id }], limit: 3 } }, []]);
  });

  it('get changed documents again, and lose those without a file with --delete only', async () => {
    const { caller, folder } = await prepared();
    await caller.run('apply', folder, '--yes');
    write(folder, 'knowledge/shop/returns.md', '# Returns\n\nReturns are possible within sixty days.');
    rmSync(join(folder, 'knowledge/shop/more/parking.txt'));
    const changed = await caller.run('apply', folder, '--yes');
    assert.equal(changed.code, 0, changed.stdout);
    assert.match(changed.stdout, /~ update {2}Shop FAQ [\s\S]*documents\.returns\.md: "51 bytes" → "50 bytes"\n/);
    assert.deepEqual((await documentsOf(caller)).names, ['more/parking.txt ready 1', 'returns.md ready 2']);
    const removed = await caller.run('apply', folder, '--yes', '--delete');
    assert.match(removed.stdout, /documents\.more\/parking\.txt: "16 bytes" → \(none\)\n/);
    assert.deepEqual((await documentsOf(caller)).names, ['returns.md ready 2']);
    rmSync(join(folder, 'knowledge'), { recursive: true });
    rmSync(join(folder, 'desk.yaml'));
    assert.match(
      (await caller.run('plan', folder)).stdout,
      /the file is missing: use apply --delete to delete the knowledge base/,
    );
    const gone = await caller.run('apply', folder, '--yes', '--delete');
    assert.equal(gone.code, 0, gone.stdout);
    assert.deepEqual((await caller.client.knowledgeBases.list()).items, []);
    assert.equal(stateOf(folder).workspaces[0].knowledge, undefined);
  });

  it('report documents that cannot be read, and names that no base has', async () => {
    const { caller, folder } = await prepared();
    write(folder, 'knowledge/shop/scan.pdf', '%PDF-1.4 nothing');
    const failed = await caller.run('apply', folder, '--yes');
    assert.equal(failed.code, 1);
    assert.match(failed.stdout, /Knowledge bases that failed: 1\n {2}Shop FAQ: scan\.pdf: .*cannot be read/);
    assert.deepEqual((await documentsOf(caller)).names.filter((name) => name.endsWith('ready 1')).length, 2);
    write(folder, 'desk.yaml', desk.replace('Shop FAQ', 'Missing'));
    const unknown = await caller.run('plan', folder);
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /desk\.yaml: there is no knowledge base "Missing"/);
    write(folder, 'knowledge/shop.yaml', 'name: Shop FAQ\nchunkSize: 10\nsize: 1\n');
    const invalid = await caller.run('plan', folder);
    assert.equal(invalid.code, 2);
    assert.match(invalid.stderr, /knowledge\/shop\.yaml:2: chunkSize must be at least 200\n/);
    assert.match(invalid.stderr, /knowledge\/shop\.yaml:3: size is not a known field\n/);
  });

  it('are not overwritten if they were changed on the server, without --force', async () => {
    const { caller, folder } = await prepared();
    await caller.run('apply', folder, '--yes');
    const { base } = await documentsOf(caller);
    await caller.client.knowledgeBases.update(base.id, { description: 'Changed.' });
    write(folder, 'knowledge/shop.yaml', shop.replace('language: en', 'language: en\nchunkSize: 300'));
    const skipped = await caller.run('apply', folder, '--yes');
    assert.equal(skipped.code, 5);
    assert.match(skipped.stdout, /skipped: changed on the server since the last pull/);
    assert.equal((await caller.run('pull', folder)).code, 5);
    assert.equal((await caller.run('apply', folder, '--yes', '--force')).code, 0);
    const { chunkSize, description } = await caller.client.knowledgeBases.get(base.id);
    assert.deepEqual([chunkSize, description], [300, null]);
  });

  it('are left alone without the scope, and agents keep their ids', async () => {
    const { caller, folder } = await prepared();
    await caller.run('apply', folder, '--yes');
    const { base } = await documentsOf(caller);
    const { key } = await caller.client.apiKeys.create({ name: 'agents', scopes: ['agents:read', 'agents:write'] });
    const own = await ground.newCaller({ key });
    const other = ground.newFolder();
    assert.equal((await own.run('pull', other)).code, 0);
    assert.ok(readFileSync(join(other, 'Desk.yaml'), 'utf8').includes(`- id: ${base.id}`));
    assert.equal((await own.run('plan', other, '--exit-code')).code, 0);
    assert.equal((await own.run('plan', folder)).code, 3);
  });
});
