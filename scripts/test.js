/**
 * `npm test` installs what is missing, then runs every test that guards behavior, or those in the files named.
 * `npm run test:quick` is for between two edits, `npm run test:full` for before a release; `--rest` is what the second
 * has beside `npm test`. Where a test stands says in which of them it runs: CONTRIBUTING.md has the table.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureChromium } from './chromium.js';
import { compileCache, ensureInstalled, root, runProcess, suitableNode } from './install.js';

const fromOutside = ['acceptance', 'as-code', 'backup', 'cli', 'dashboard', 'mcp', 'sdk'];
const long = ['campaigns', 'documentation'];

function tierOf(file) {
  const [folder] = file.split('/');
  if (file.endsWith('.browser.ts') || long.includes(folder)) return 'long';
  return fromOutside.includes(folder) ? 'outside' : 'inside';
}

/** One after the other: what measures a started service does so with less beside it. */
const stagesOf = {
  '--quick': [['inside']],
  '--default': [['inside', 'outside']],
  '--full': [['inside', 'outside'], ['long']],
  '--rest': [['long']],
};

function filesOf(tiers) {
  return readdirSync(join(root, 'test'), { recursive: true })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.(test|browser)\.ts$/.test(name) && tiers.includes(tierOf(name)))
    .map((name) => `test/${name}`)
    .sort();
}

function run(files, { isQuick = false, concurrency = 4 } = {}) {
  const setup = isQuick ? [] : ['--test-global-setup=test/support/postgres-server.ts'];
  const args = ['--test', ...setup, '--test-timeout=120000', `--test-concurrency=${concurrency}`, ...files];
  return runProcess(suitableNode(), args, {
    // Every file is a process of its own: what one has compiled, the others need not.
    NODE_COMPILE_CACHE: compileCache,
    ...(isQuick ? { TEST_ENGINES: 'sqlite' } : {}),
    ...process.env,
  });
}

ensureInstalled('develop');
process.chdir(root);
const [first = '--default', ...more] = process.argv.slice(2);
const stages = stagesOf[first];
if (stages === undefined) {
  // Somebody's quick look: files that need a browser say so where there is none.
  process.exitCode = await run([first, ...more]);
} else {
  const isQuick = first === '--quick';
  if (!isQuick) ensureChromium();
  for (const tiers of stages) {
    const concurrency = tiers.includes('long') ? 2 : isQuick ? 3 : 4;
    process.exitCode ||= await run([...more, ...filesOf(tiers)], { isQuick, concurrency });
    if (process.exitCode !== 0) break;
  }
}
