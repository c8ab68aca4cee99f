import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { allBreaks } from '../campaigns/breaks/index.ts';
import { campaigns } from '../campaigns/index.ts';

const root = join(import.meta.dirname, '..');

test('every deliberate break can still be applied, and belongs to a campaign', () => {
  for (const { campaign, about, file, from, to } of allBreaks) {
    assert.ok(
      campaigns.some(({ name }) => name === campaign),
      `${campaign}: ${about}`,
    );
    assert.equal(
      readFileSync(join(root, file), 'utf8').split(from).length,
      2,
      `${file} holds once: ${from} (${about})`,
    );
    assert.notEqual(from, to);
  }
});

test('every campaign has a file that runs its small version', () => {
  for (const { name } of campaigns) assert.ok(existsSync(join(root, 'test', 'campaigns', `${name}.test.ts`)), name);
});

test('every campaign has a break that it detects', () => {
  const without = campaigns.filter(({ name }) => !allBreaks.some(({ campaign }) => campaign === name));
  assert.deepEqual(
    without.map(({ name }) => name),
    [],
  );
});
