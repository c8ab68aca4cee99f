import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const root = new URL('../', import.meta.url);
const page = readFileSync(new URL('docs/architecture.md', root), 'utf8');
const [tree = ''] = /```text\n[\s\S]*?```/.exec(page) ?? [];

const folders = [
  '',
  'areas',
  'backup',
  'changes',
  'contract',
  'core',
  'http',
  'jobs',
  'net',
  'process',
  'storage',
  'voice',
].map((name) => `src/${name}`);

function entriesOf(folder: string): string[] {
  return readdirSync(new URL(folder, root), { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? `${entry.name}/` : entry.name,
  );
}

describe('the tree in docs/architecture.md', () => {
  for (const folder of folders) {
    it(`names everything in ${folder}`, () => {
      const missing = entriesOf(folder).filter((name) => !new RegExp(`(?<![\\w-])${RegExp.escape(name)}`).test(tree));
      assert.deepEqual(missing, []);
    });
  }

  it('names no file that does not exist', () => {
    const files = ['bin', 'dashboard/src', 'scripts', 'sdk/src', 'src'].flatMap((folder) =>
      readdirSync(new URL(folder, root), { recursive: true }).map((path) => String(path).split('/').at(-1)),
    );
    const existing = new Set([...files, ...entriesOf('.')]);
    const names = tree.match(/(?<![\w>-])[a-z][\w-]*\.(?:ts|js|json)\b/g) ?? [];
    assert.deepEqual(
      names.filter((name) => !existing.has(name)),
      [],
    );
  });
});
