import assert from 'node:assert/strict';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { readConfig } from '../../src/config.ts';
import { allScopes } from '../../src/contract/scopes.ts';
import { useStartedService } from '../sdk/support/started-service.ts';
import { postgresEngine } from '../support/engines.ts';
import { runToEnd } from '../support/process.ts';
import { type Block, blocksOf, type Output, paste, type Replacement, root } from './pasted.ts';

/** Written for developers of the project, not for users of the service. */
const isElsewhere = (document: string) => document.startsWith('docs/decisions/');
const documents = globSync(['*.md', 'docs/**/*.md', 'bench/*.md', 'examples/**/*.md', 'sdk/*.md'], { cwd: root })
  .filter((document) => !isElsewhere(document))
  .toSorted();

/** Commands that cannot run in a test, with their replacements. */
const replacements: readonly Replacement[] = [
  // These run this very test.
  { from: /^npm (test|run check)( .*)?$/, to: null },
  // Containers need Docker and network access.
  { from: /^docker |^export (POSTGRES_PASSWORD|DATA_KEY)=/, to: null },
  // The test uses the source directory instead of the package.
  { from: /^npm install .*$/, to: null },
  {
    from: /^\(cd my-shop && npm install \.\.\/sdk\)$/,
    to: 'npm run build --prefix sdk && mkdir my-shop/node_modules && ln -s ../../sdk my-shop/node_modules/voice-agent-sdk',
  },
  // Runs until it is stopped; meanwhile it is asked for the page, its script and a token.
  { from: /^node my-shop\/server\.js$/, to: 'try_out_shop' },
  // These take minutes to hours. Each campaign has a small version that runs as a test.
  { from: /^npm run (campaign|bench)\b|^node bench\//, to: null },
  // Runs until it is stopped.
  { from: /^npm run dev:dashboard$/, to: null },
  { from: /^npm start$/, to: "start 'npm start'" },
  { from: /^DATABASE_URL=postgres:\S+ npm start$/, to: "try_out 'env DATABASE_URL=$POSTGRES_URL npm start'" },
  { from: /^node bin\/voice-agents.js serve$/, to: "try_out 'node bin/voice-agents.js serve'" },
];

describe('the documentation', () => {
  const service = useStartedService();
  const engine = postgresEngine();

  for (const document of documents) {
    const blocks = blocksOf(document);
    if (!blocks.some(({ language }) => language === 'sh')) continue;
    it(`has commands that can be pasted: ${document}`, async () => {
      // The README starts a service of its own; all other pages assume that one is running.
      const startsService = document === 'README.md';
      const settings: Record<string, string> = startsService
        ? {}
        : {
            PORT: String(service.port),
            KEY: await service.newKey({ scopes: allScopes }),
            DATABASE_URL: service.databaseUrl,
          };
      if (blocks.some(({ code }) => code.includes('DATABASE_URL=postgres:'))) {
        settings.POSTGRES_URL = await engine.newDatabaseUrl();
      }
      const own = startsService ? replacements : [{ from: /^npm start$/, to: null }, ...replacements];
      const outputs = await paste(document, blocks, { replacements: own, settings });
      for (const output of outputs) assertAnswers(document, output, shownAfter(blocks, output.block));
    });
  }

  for (const document of documents) {
    const programs = blocksOf(document).filter(({ language }) => language === 'ts');
    if (programs.length === 0) continue;
    it(`has programs that run: ${document}`, async (context) => {
      const key = await service.newKey({ scopes: allScopes });
      const { url } = service;
      const entry = pathToFileURL(join(root, 'sdk', 'src', 'index.ts')).href;
      const program = programs.map(({ code }) => code).join('\n');
      const folder = mkdtempSync(join(tmpdir(), 'voice-agents-pasted-'));
      context.after(() => rmSync(folder, { recursive: true }));
      const file = join(folder, 'pasted.mts');
      writeFileSync(file, program.replaceAll('voice-agent-sdk', entry).replaceAll('http://127.0.0.1:8080', url));
      const settings = { KEY: key, VOICE_AGENTS_API_KEY: key, VOICE_AGENTS_BASE_URL: url };
      const { code, stderr } = await runToEnd(process.execPath, [file], settings);
      assert.equal(code, 0, stderr);
    });
  }

  it('labels every code block with a known language, so that no command goes untested', () => {
    const known = new Set([
      'sh',
      'json',
      'ts',
      'text',
      'yaml',
      'console',
      'dockerfile',
      'mermaid',
      'html',
      'sql',
      'python',
    ]);
    for (const document of documents) {
      for (const { language, line } of blocksOf(document)) {
        assert.ok(known.has(language), `${document}:${line} is of language "${language}"`);
      }
    }
  });

  it('lists every environment variable with its default in docs/configuration.md', () => {
    const text = readFileSync(join(root, 'docs', 'configuration.md'), 'utf8');
    const rows = [...text.matchAll(/^\| `([A-Z][A-Z0-9_]*)` \| (?:`([^`]+)`|none) \|/gm)];
    const documented = new Map(rows.map(([, name, value]) => [name as string, value ?? '']));
    const read = new Set<string>();
    const environment = new Proxy<Record<string, string>>(
      {},
      {
        get: (_, name) => {
          read.add(String(name));
          return undefined;
        },
      },
    );
    const defaults = readConfig(environment);
    assert.deepEqual([...documented.keys()].toSorted(), [...read].toSorted());
    assert.deepEqual(readConfig(Object.fromEntries(documented)), defaults);
  });

  it('links only to files and headings that exist', () => {
    for (const document of documents) {
      const text = readFileSync(join(root, document), 'utf8');
      for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(target)) continue;
        const [path = '', heading] = target.split('#');
        const file = path === '' ? join(root, document) : resolve(root, dirname(document), path);
        assert.ok(existsSync(file), `${document} links to ${target}, which does not exist`);
        if (heading !== undefined) {
          assert.ok(headingsOf(file).includes(heading), `${document} links to ${target}: no such heading`);
        }
      }
    }
  });
});

/** The anchors that GitHub generates for the headings of a file. */
function headingsOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** A sentence may stand between a command and its response; JSON further down belongs to something else. */
const maxLinesBetween = 4;

/** The JSON shown right after a block, which is the response to its last command. */
function shownAfter(blocks: readonly Block[], block: Block): unknown {
  const next = blocks[blocks.indexOf(block) + 1];
  if (next?.language !== 'json') return undefined;
  const end = block.line + block.code.split('\n').length;
  return next.line - end <= maxLinesBetween ? JSON.parse(next.code) : undefined;
}

/** Errors are returned only where one is shown, and responses have the fields that are shown. */
function assertAnswers(document: string, { block, text }: Output, shown: unknown): void {
  const answers = text.split('\n').flatMap((line) => parsed(line));
  const place = `${document}:${block.line}`;
  for (const answer of answers) {
    if ('error' in answer && !(shown !== undefined && 'error' in (shown as object))) {
      assert.fail(`${place} is answered with ${JSON.stringify(answer)}`);
    }
  }
  if (shown === undefined) return;
  const last = answers.at(-1);
  assert.ok(last !== undefined, `${place} is answered with no JSON: ${text}`);
  // The page may show a single item of a list.
  const items = 'items' in last && !('items' in (shown as object)) ? (last.items as object[]) : [last];
  assert.deepEqual(fieldsOf(items[0] ?? {}), fieldsOf(shown), `${place} is answered with other fields than it shows`);
}

function parsed(line: string): object[] {
  if (!line.startsWith('{')) return [];
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}

function fieldsOf(value: unknown): string[] {
  return Object.keys(value as object).toSorted();
}
