import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { documentedPictures } from './support/documented-pictures.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'docs', 'images');
const maxBytes = 1_500_000;
const maxPictureBytes = 150_000;

describe('the pictures of the documentation', () => {
  it('all exist, and none is left over', () => {
    const shown = documentedPictures(root).map(({ file }) => file);
    assert.deepEqual(readdirSync(folder).toSorted(), shown.toSorted());
    assert.ok(shown.length > 10);
  });

  it('are small, each and all together', () => {
    const sizes = readdirSync(folder).map((file) => [file, statSync(join(folder, file)).size] as const);
    for (const [file, size] of sizes) assert.ok(size < maxPictureBytes, `${file} has ${size} bytes`);
    const all = sizes.reduce((sum, [, size]) => sum + size, 0);
    assert.ok(all < maxBytes, `${all} bytes in all`);
  });
});

describe('the walkthrough of the dashboard', () => {
  const [, walkthrough = ''] =
    /\n## A walkthrough\n(.*?)\n## /s.exec(readFileSync(join(root, 'docs/dashboard.md'), 'utf8')) ?? [];
  const sources = globSync('dashboard/src/**/*.{ts,tsx}', { cwd: root }).map((file) =>
    readFileSync(join(root, file), 'utf8'),
  );
  const dashboard = sources.join('\n');

  it('names what is there: every label in quotation marks is a text of the dashboard', () => {
    // The texts of pictures quote what they show.
    const prose = walkthrough.replaceAll(/!\[[^\]]*\]/g, '');
    const labels = [...prose.matchAll(/“([^”]+)”/g)].map(([, label = '']) => label);
    assert.ok(labels.length >= 10);
    for (const label of labels) {
      const written = [`'${label}'`, `"${label}"`, `\`${label} `, `'${label} `];
      assert.ok(
        written.some((text) => dashboard.includes(text)),
        `no text of the dashboard is “${label}”`,
      );
    }
  });

  it('has a picture for each step', () => {
    const steps = walkthrough.split('\n### ').slice(1);
    assert.ok(steps.length >= 7);
    for (const step of steps) assert.match(step, /!\[[^\]]{20,}\]\(images\/[a-z-]+\.webp\)/, step.slice(0, 50));
  });
});
