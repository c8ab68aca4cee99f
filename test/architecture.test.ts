import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { forbiddenImports, sourceFiles } from '../scripts/lint/imports.ts';

const root = new URL('../', import.meta.url);

/** The trees of folders, as text, by the folder that they describe. */
const trees = new Map(
  ['docs/architecture.md', ...globSync('src/**/README.md', { cwd: root })].map((path) => [
    path.startsWith('src/') ? path.slice(0, -'README.md'.length) : 'src/',
    /```text\n[\s\S]*?```/.exec(readFileSync(new URL(path, root), 'utf8'))?.[0] ?? '',
  ]),
);

function entriesOf(folder: string): string[] {
  return readdirSync(new URL(folder, root), { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? `${entry.name}/` : entry.name,
  );
}

describe('the trees in docs/architecture.md and the README files of folders', () => {
  for (const [folder, tree] of trees) {
    const isAnyArea = tree.includes('<area>/');
    it(`name everything in ${folder}`, () => {
      const missing = entriesOf(folder)
        .filter((name) => name !== 'README.md' && !(isAnyArea && name.endsWith('/')))
        .filter((name) => !new RegExp(`(?<![\\w-])${RegExp.escape(name)}`).test(tree));
      assert.deepEqual(missing, []);
    });
  }

  it('name every area', () => {
    const tree = trees.get('src/') as string;
    assert.deepEqual(
      entriesOf('src/areas').filter((name) => !tree.includes(` ${name}`)),
      [],
    );
  });

  it('name no file that does not exist', () => {
    const files = ['bin', 'dashboard/src', 'scripts', 'sdk/src', 'src'].flatMap((folder) =>
      readdirSync(new URL(folder, root), { recursive: true }).map((path) => String(path).split('/').at(-1)),
    );
    const existing = new Set([...files, ...entriesOf('.')]);
    for (const [folder, tree] of trees) {
      const names = tree.match(/(?<![\w>-])[a-z][\w-]*\.(?:ts|js|json)\b/g) ?? [];
      assert.deepEqual([folder, names.filter((name) => !existing.has(name))], [folder, []]);
    }
  });
});

describe('imports in src', () => {
  const files = sourceFiles(fileURLToPath(root));
  const reasonsFor = (path: string, specifier: string) =>
    forbiddenImports([{ path, text: `import { a } from '${specifier}';\n` }]);

  it('go one way', () => {
    assert.ok(files.length > 500);
    assert.deepEqual(forbiddenImports(files), []);
  });

  it('are refused from one area to any other, at any depth', () => {
    const areas = entriesOf('src/areas').filter((name) => name.endsWith('/'));
    for (const area of areas) {
      for (const other of [...areas, 'planned/'].filter((name) => name !== area)) {
        assert.equal(reasonsFor(`src/areas/${area}area.ts`, `../${other}store.ts`).length, 1, `${area} ${other}`);
        assert.equal(reasonsFor(`src/areas/${area}one/two/three.ts`, `../../../${other}one/two.ts`).length, 1);
      }
    }
    assert.deepEqual(reasonsFor('src/areas/calls/channels/page/live.ts', '../../../area.ts'), []);
  });

  it('are refused against the order of the folders of the calls', () => {
    const calls = 'src/areas/calls';
    const forbidden = [
      ['record/store.ts', '../conversation/state.ts'],
      ['record/store.ts', '../listing/scan.ts'],
      ['conversation/conversation.ts', '../lifecycle/create.ts'],
      ['lifecycle/end.ts', '../channels/text/chats.ts'],
      ['channels/text/chats.ts', '../audio/owned-call.ts'],
      ['channels/audio/owned-call.ts', '../page/route.ts'],
      ['channels/page/route.ts', '../../routes.ts'],
      ['listing/listing.ts', '../area.ts'],
      ['another/file.ts', '../record/store.ts'],
    ];
    for (const [file, specifier = ''] of forbidden) {
      assert.equal(reasonsFor(`${calls}/${file}`, specifier).length, 1, `${file} ${specifier}`);
    }
    const allowed = [
      ['area.ts', './channels/page/route.ts'],
      ['channels/page/route.ts', '../audio/owned-call.ts'],
      ['channels/text/chats.ts', '../../lifecycle/due.ts'],
      ['lifecycle/end.ts', '../record/journal.ts'],
      ['lifecycle/end.ts', './due.ts'],
      ['record/journal.ts', '../../area.ts'],
    ];
    for (const [file, specifier = ''] of allowed) assert.deepEqual(reasonsFor(`${calls}/${file}`, specifier), []);
  });

  it('are refused against the order of the folders, however they are written', () => {
    const order = ['contract', 'core', 'net', 'storage', 'http', 'changes', 'areas', 'cli'];
    for (const [index, lower] of order.entries()) {
      for (const upper of order.slice(index + 1)) {
        assert.equal(reasonsFor(`src/${lower}/a/b.ts`, `../../${upper}/c.ts`).length, 1, `${lower} ${upper}`);
      }
    }
    for (const text of [
      "import '../http/server.ts';",
      "const a = await import('../http/server.ts');",
      "export * from '../http/server.ts';",
      "export type { A } from '../http/server.ts';",
      "import {\n  a,\n} from '../http/server.ts';",
      "new Worker(new URL('../http/server.ts', import.meta.url));",
    ]) {
      assert.equal(forbiddenImports([{ path: 'src/core/ids.ts', text }]).length, 1, text);
    }
  });
});
