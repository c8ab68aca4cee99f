import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { applyBreak, brokenSource } from '../campaigns/breaks/apply.ts';
import { declarationsIn } from '../campaigns/breaks/declarations.ts';
import { allBreaks } from '../campaigns/breaks/index.ts';
import { campaigns } from '../campaigns/index.ts';

const root = join(import.meta.dirname, '..');

test('every deliberate break can still be applied', () => {
  const declarations = declarationsIn(root);
  const failures: string[] = [];
  for (const fault of Object.values(allBreaks).flat()) {
    try {
      brokenSource(fault, root, declarations);
    } catch (error) {
      failures.push((error as Error).message);
    }
  }
  assert.deepEqual(failures, []);
});

test('a break finds its function in any file, and changes nothing outside of it', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'breaks-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'src', 'moved'), { recursive: true });
  const path = join(folder, 'src', 'moved', 'queue.ts');
  const source = 'export class Queue {\n  add() {\n    check( 1 );\n    run(1);\n  }\n}\ncheck(1);\n';
  const broken = (edit: object): string => {
    writeFileSync(path, source);
    applyBreak({ about: 'a break', engine: 'both', in: 'Queue.add', ...edit } as never, folder);
    return readFileSync(path, 'utf8');
  };
  assert.equal(broken({ replace: '( 1 );\nrun', with: '(2); run' }), source.replace('( 1 );\n    run', '(2); run'));
  assert.equal(broken({ statement: 'check' }), source.replace('check( 1 );', '{}'));
  assert.equal(
    broken({ statement: 'check', after: 'run' }),
    source.replace('check( 1 );\n    run(1);', '\n    run(1);\ncheck( 1 );'),
  );
  assert.throws(() => broken({ statement: '1' }), /has 2 of this/);
  assert.throws(() => broken({ in: 'add', replace: 'check(', with: '' }), /Unexpected|Expected/);
  assert.throws(() => broken({ in: 'remove', statement: 'check' }), /nothing is called remove/);
});

test('every campaign has a file that runs its small version', () => {
  for (const { name } of campaigns) assert.ok(existsSync(join(root, 'test', 'campaigns', `${name}.test.ts`)), name);
});

test('every campaign has a break that it detects, and every break a campaign', () => {
  assert.deepEqual(Object.keys(allBreaks).sort(), campaigns.map(({ name }) => name).sort());
  for (const [name, breaks] of Object.entries(allBreaks)) assert.notEqual(breaks.length, 0, name);
});
