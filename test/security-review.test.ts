import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const root = join(import.meta.dirname, '..');
const review = readFileSync(join(root, 'docs', 'security.md'), 'utf8');

describe('the security review', () => {
  it('refers to files that exist', () => {
    const named = [...review.matchAll(/`([\w./-]+)`/g)]
      .map(([, name]) => name as string)
      .filter((name) => /^(src|test|campaigns|docs|deploy)\//.test(name) || /\.(json|ya?ml|md)$/.test(name))
      .filter((name) => !name.startsWith('/'));
    assert.ok(named.length > 50, String(named.length));
    for (const name of named) assert.ok(existsSync(join(root, name)), name);
    for (const [, link] of review.matchAll(/\]\(([^)#]+)\)/g))
      assert.ok(existsSync(join(root, 'docs', link as string)), String(link));
  });

  it('refers to tests by their titles', () => {
    const proofs = [...review.matchAll(/`(test\/[\w./-]+)` “([^”]+)”/g)];
    assert.ok(proofs.length > 30, String(proofs.length));
    for (const [, file, title] of proofs) {
      assert.ok(readFileSync(join(root, file as string), 'utf8').includes(`'${title}'`), `${file}: ${title}`);
    }
  });

  it('covers all ten risks', () => {
    for (let risk = 1; risk <= 10; risk += 1) assert.match(review, new RegExp(`^## API${risk} `, 'm'));
  });
});
