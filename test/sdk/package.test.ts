import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, it } from 'node:test';
import { queryName, type Schema, sdkTypes } from '../../scripts/sdk-types.ts';
import { version } from '../../sdk/src/index.ts';
import { codes } from '../../src/contract/errors.ts';
import { runToEnd } from '../support/process.ts';

const root = join(import.meta.dirname, '..', '..');
const source = join(root, 'sdk', 'src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const texts = new Map(files.map((name) => [name, readFileSync(join(source, name), 'utf8')]));

describe('the SDK package', () => {
  it('imports only its own files', () => {
    for (const [name, text] of texts) {
      const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map(([, target]) => target ?? '');
      for (const target of imports) {
        assert.match(target, /^\.{1,2}\//, `${name} imports ${target}`);
        const file = join(source, name, '..', target);
        assert.ok(file.startsWith(source) && existsSync(file), `${name} imports ${target}`);
      }
    }
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'sdk', 'package.json'), 'utf8'));
    assert.deepEqual([dependencies, peerDependencies], [undefined, undefined]);
  });

  it('states its version once', () => {
    assert.equal(JSON.parse(readFileSync(join(root, 'sdk', 'package.json'), 'utf8')).version, version);
  });

  it('has every error code of the service', () => {
    for (const code of codes) assert.ok(texts.get('errors.ts')?.includes(`'${code}'`), code);
  });

  it('runs, compiled, on the oldest supported Node.js', async (context) => {
    const old = oldNode();
    if (old === null) {
      context.skip('there is no Node.js 20 on this machine');
      return;
    }
    const folder = mkdtempSync(join(tmpdir(), 'voice-agent-sdk-'));
    context.after(() => rmSync(folder, { recursive: true }));
    const compiler = join(root, 'node_modules', '.bin', 'tsc');
    const built = spawnSync(compiler, ['-p', join(root, 'sdk'), '--outDir', join(folder, 'dist')], {
      encoding: 'utf8',
    });
    assert.equal(built.status, 0, built.stdout);
    assert.ok(existsSync(join(folder, 'dist', 'index.d.ts')));
    let calls = 0;
    const server = createServer((_request, response) => {
      calls += 1;
      if (calls === 1) response.destroy();
      else response.setHeader('content-type', 'application/json').end(JSON.stringify(pages[calls - 2]));
    });
    const pages = [
      { items: [1, 2], pagination: { nextCursor: 'c' } },
      { items: [3], pagination: { nextCursor: null } },
    ];
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    context.after(() => server.close());
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(
      join(folder, 'use.js'),
      `import { VoiceAgents } from './dist/index.js';
      const client = new VoiceAgents({ apiKey: 'k', baseUrl: '${baseUrl}' });
      const items = [];
      for await (const item of client.agents.list({}, { signal: new AbortController().signal })) items.push(item);
      console.log(process.versions.node.split('.')[0], items.join());`,
    );
    const { code, stdout, stderr } = await runToEnd(old, [join(folder, 'use.js')], {});
    assert.deepEqual([code, stdout, stderr], [0, '20 1,2,3\n', '']);
    // As the documentation says about CommonJS; a top-level `await` would break `require`.
    const required = `console.log(typeof require('./dist/index.js').VoiceAgents, typeof require('./dist/web/index.js').joinCall)`;
    writeFileSync(join(folder, 'require.cjs'), required);
    assert.equal((await runToEnd(process.execPath, [join(folder, 'require.cjs')], {})).stdout, 'function function\n');
    const imported = `import('./dist/index.js').then(({ VoiceAgents }) => console.log(typeof VoiceAgents))`;
    writeFileSync(join(folder, 'import.cjs'), imported);
    // Like versions before 20.19, the first of which do not know the option.
    const option = '--no-experimental-require-module';
    const options = spawnSync(old, [option, '--version']).status === 0 ? [option] : [];
    assert.equal((await runToEnd(old, [...options, join(folder, 'import.cjs')], {})).stdout, 'function\n');
  });
});

describe('the SDK types', () => {
  const typesOf = (schema: Schema) => sdkTypes({ paths: {}, components: { schemas: { Thing: schema } } });

  it('escape a description that would end its comment', () => {
    const text = typesOf({ type: 'object', description: 'Ends */ here', properties: { a: { type: 'string' } } });
    assert.match(text, /\/\*\* Ends \*\\\/ here \*\//);
  });

  it('include defaults and limits, and distinguish optional and nullable fields', () => {
    const text = typesOf({
      type: 'object',
      required: ['a'],
      properties: {
        a: { anyOf: [{ type: 'string', maxLength: 5 }, { type: 'null' }], description: 'A.' },
        'b-c': { type: 'array', items: { type: 'string', enum: ["it's", 'b'] }, maxItems: 3 },
        d: { type: 'integer', minimum: 1, maximum: 9, default: 4 },
      },
    });
    assert.match(text, /\/\*\* A\. Up to 5 characters\. \*\/\n {2}a: string \| null;/);
    assert.match(text, /\/\*\* Up to 3 items\. \*\/\n {2}'b-c'\?: \('it\\'s' \| 'b'\)\[\];/);
    assert.match(text, /\/\*\* A whole number: 1 to 9\. Default: `4`\. \*\/\n {2}d\?: number;/);
  });

  it('are unions where a value is one of several', () => {
    const either: Schema = { oneOf: [{ type: 'string' }, { type: 'object', properties: { a: { type: 'number' } } }] };
    assert.match(typesOf(either), /export type Thing = string \| \{\n {2}a\?: number;\n\};/);
    const nullable: Schema = { anyOf: [either, { type: 'null' }] };
    assert.match(typesOf(nullable), /export type Thing = string \| \{\n {2}a\?: number;\n\} \| null;/);
  });

  it('reject unknown schema features', () => {
    assert.throws(() => typesOf({ type: 'tuple' }), /no TypeScript for the JSON Schema type "tuple"/);
    assert.throws(() => typesOf({ allOf: [] } as Schema), /no TypeScript for the JSON Schema keyword "allOf"/);
  });

  it('name the parameters after the operation', () => {
    assert.equal(queryName('agents.list'), 'ListAgentsQuery');
    assert.equal(queryName('agents.versions.list'), 'ListAgentVersionsQuery');
    assert.equal(queryName('agents.diff'), 'DiffAgentQuery');
  });
});

/** The tests run on the project's own Node.js, which comes first in the path. */
function oldNode(): string | null {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  const isOld = (file: string) => spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout?.startsWith('v20.');
  return candidates.find((file) => existsSync(file) && isOld(file)) ?? null;
}
