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

const choices = {
  '--quick': ['inside'],
  '--default': ['inside', 'outside'],
  '--full': ['inside', 'outside', 'long'],
  '--rest': ['long'],
};

function filesOf(tiers) {
  return readdirSync(join(root, 'test'), { recursive: true })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.(test|browser)\.ts$/.test(name) && tiers.includes(tierOf(name)))
    .map((name) => `test/${name}`)
    .sort();
}

ensureInstalled('develop');
const [first = '--default', ...more] = process.argv.slice(2);
const tiers = choices[first];
const isQuick = first === '--quick';
const named = tiers === undefined ? [first, ...more] : [...more, ...filesOf(tiers)];
// A few files by name are somebody's quick look: those that need a browser say so where there is none.
if (tiers?.includes('outside') || tiers?.includes('long')) ensureChromium();
process.chdir(root);
const args = [
  '--test',
  ...(isQuick ? [] : ['--test-global-setup=test/support/postgres-server.ts']),
  '--test-timeout=120000',
  `--test-concurrency=${isQuick ? 2 : 4}`,
  ...named,
];
process.exitCode = await runProcess(suitableNode(), args, {
  // Every file is a process of its own: what one has compiled, the others need not.
  NODE_COMPILE_CACHE: compileCache,
  ...(isQuick ? { TEST_ENGINES: 'sqlite' } : {}),
  ...process.env,
});
