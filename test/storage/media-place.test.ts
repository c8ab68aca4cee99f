import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createMediaPlace } from '../../src/storage/media-place.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { openDatabase } from '../../src/storage/open.ts';
import { locationOf, onEachEngine } from '../support/engines.ts';

onEachEngine('instances that compare where media files are', (engine) => {
  const openInstances = async (context: { after(work: () => Promise<void>): void }) => {
    const database = openDatabase(locationOf(await engine.newServiceUrl()), () => {});
    context.after(() => database.close());
    await migrate(database, Date.now);
    let folders = 0;
    return (url: string | null) => {
      folders += 1;
      const log: string[] = [];
      const add = (level: string) => (_: object, text: string) => void log.push(`${level}: ${text}`);
      const logger = { info: add('info'), warn: add('warn') };
      const media =
        url === null
          ? ({ place: `the folder /data/${folders}`, setting: 'MEDIA_DIR' } as const)
          : ({ place: `the bucket ${url}`, setting: 'MEDIA_URL' } as const);
      return { ...createMediaPlace({ database, media, logger: logger as never }), log };
    };
  };

  it('report nothing while they have the same', async (context) => {
    const open = await openInstances(context);
    for (const url of ['s3://one', null]) {
      const instances = [open(url), open(url)];
      // The second pair takes over from the first, which has stopped.
      for (let round = 0; round < 10; round += 1) for (const { compare } of instances) await compare();
      for (const { problem, log } of instances) assert.deepEqual([problem(), log], [null, []]);
    }
  });

  it('report the bucket of the others as long as those are running, and no longer', async (context) => {
    const open = await openInstances(context);
    const [one, two, wrong] = [open('s3://one'), open('s3://one'), open('s3://two/prefix')];
    for (let round = 0; round < 20; round += 1) {
      for (const { compare } of [one, wrong, two]) await compare();
      assert.deepEqual([one.problem(), two.problem()], [null, null]);
    }
    const problem = wrong.problem();
    assert.equal(problem?.setting, 'MEDIA_URL');
    assert.match(problem.message, /in the bucket s3:\/\/two\/prefix, and other .* in the bucket s3:\/\/one, so/);
    assert.deepEqual(wrong.log, ['warn: other instances on this database have another MEDIA_URL']);
    // The others stop: this is how all instances move to another bucket.
    let rounds = 0;
    while (wrong.problem() !== null && rounds < 20) {
      await wrong.compare();
      rounds += 1;
    }
    assert.ok(rounds > 3 && rounds < 20, `after ${rounds} rounds`);
    assert.equal(wrong.log.at(-1), 'info: all instances keep media files in the same place again');
    const late = open('s3://one');
    for (let round = 0; round < 3; round += 1) for (const { compare } of [wrong, late]) await compare();
    assert.deepEqual([wrong.problem() === null, late.problem() === null], [true, false]);
  });

  it('report a folder beside a bucket', async (context) => {
    const open = await openInstances(context);
    const [bucket, folder] = [open('s3://one'), open(null)];
    for (let round = 0; round < 3; round += 1) for (const { compare } of [bucket, folder]) await compare();
    assert.equal(bucket.problem(), null);
    assert.match(folder.problem()?.message ?? '', /in a folder, and other instances .* in the bucket s3:\/\/one/);
  });

  it('do not report an instance that was restarted with another bucket', async (context) => {
    const open = await openInstances(context);
    await open('s3://one').compare();
    const restarted = open('s3://two');
    for (let round = 0; round < 20; round += 1) {
      await restarted.compare();
      assert.equal(restarted.problem(), null);
    }
    assert.deepEqual(restarted.log, []);
  });
});
