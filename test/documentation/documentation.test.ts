import assert from 'node:assert/strict';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { allScopes } from '../../src/contract/scopes.ts';
import { useStartedService } from '../sdk/support/started-service.ts';
import { postgresEngine } from '../support/engines.ts';
import { runToEnd } from '../support/process.ts';
import { type Block, blocksOf, type Output, paste, type Replacement, root } from './pasted.ts';

/** Written for people who develop the project: they are not about the service. */
const isElsewhere = (document: string) => document.startsWith('docs/decisions/');
const documents = globSync(['*.md', 'docs/**/*.md', 'bench/*.md', 'sdk/*.md'], { cwd: root })
  .filter((document) => !isElsewhere(document))
  .toSorted();

/** What cannot be pasted into a test, line by line, with what is done instead. */
const replacements: readonly Replacement[] = [
  // This is what runs the test.
  { from: /^npm (test|run check)( .*)?$/, to: null },
  // A container needs Docker, and images that are fetched.
  { from: /^docker |^export POSTGRES_PASSWORD=/, to: null },
  // The package is not needed where the folder of it is.
  { from: /^npm install .*$/, to: null },
  // These take minutes to hours. The small version of each campaign has a test of its own.
  { from: /^npm run (campaign|bench)\b|^node bench\//, to: null },
  // It serves from the source until it is stopped.
  { from: /^npm run dev:dashboard$/, to: null },
  { from: /^npm start$/, to: "start 'npm start'" },
  { from: /^DATABASE_URL=postgres:\S+ npm start$/, to: "try_out 'env DATABASE_URL=$POSTGRES_URL npm start'" },
  { from: /^node bin\/voice-agents.js serve$/, to: "try_out 'node bin/voice-agents.js serve'" },
];

describe('what stands in the documentation', () => {
  const service = useStartedService();
  const engine = postgresEngine();

  for (const document of documents) {
    const blocks = blocksOf(document);
    if (!blocks.some(({ language }) => language === 'sh')) continue;
    it(`can be pasted: ${document}`, async () => {
      const isStarted = document === 'README.md';
      const key = await service.newKey({ scopes: allScopes });
      const settings: Record<string, string> = isStarted
        ? { POSTGRES_URL: await engine.newDatabaseUrl() }
        : { PORT: String(service.port), KEY: key, DATABASE_URL: service.databaseUrl };
      // Elsewhere there is one already.
      const own = isStarted ? replacements : [{ from: /^npm start$/, to: null }, ...replacements];
      const outputs = await paste(document, blocks, { replacements: own, settings });
      for (const output of outputs) assertAnswers(document, output, shownAfter(blocks, output.block));
    });
  }

  for (const document of documents) {
    const programs = blocksOf(document).filter(({ language }) => language === 'ts');
    if (programs.length === 0) continue;
    it(`is a program that runs: ${document}`, async (context) => {
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

  it('is written in languages that are known, so that no command is left out', () => {
    const known = new Set(['sh', 'json', 'ts', 'text', 'yaml', 'console', 'dockerfile']);
    for (const document of documents) {
      for (const { language, line } of blocksOf(document)) {
        assert.ok(known.has(language), `${document}:${line} is of language "${language}"`);
      }
    }
  });
});

/** A sentence may stand between a command and its answer; what comes later is about something else. */
const maxLinesBetween = 4;

/** The JSON that a document shows right behind a block: what comes of its last line. */
function shownAfter(blocks: readonly Block[], block: Block): unknown {
  const next = blocks[blocks.indexOf(block) + 1];
  if (next?.language !== 'json') return undefined;
  const end = block.line + block.code.split('\n').length;
  return next.line - end <= maxLinesBetween ? JSON.parse(next.code) : undefined;
}

/** An error is answered where one is shown, and nowhere else; and what is answered has the fields that are shown. */
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
  // Of a list, it may be one that is shown.
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
