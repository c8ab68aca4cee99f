/**
 * `npm test [files]`: installs what is missing, then runs every test, or those in the files named. `npm run test:browser`
 * runs the long tests of the dashboard: axe in every state of every page, whole flows by keyboard alone, and a table of
 * ten thousand agents.
 */
import { ensureChromium } from './chromium.js';
import { compileCache, ensureInstalled, root, runProcess, suitableNode } from './install.js';

ensureInstalled('develop');
const isBrowser = process.argv[2] === '--browser';
const files = isBrowser ? ['test/**/*.browser.ts'] : process.argv.slice(2);
// A few files by name are somebody's quick look: those that need a browser say so where there is none.
if (isBrowser || files.length === 0) ensureChromium();
process.chdir(root);
const args = [
  '--test',
  '--test-global-setup=test/support/postgres-server.ts',
  '--test-timeout=120000',
  '--test-concurrency=4',
  ...(files.length > 0 ? files : ['test/**/*.test.ts']),
];
// Every file is a process of its own: what one has compiled, the others need not.
process.exitCode = await runProcess(suitableNode(), args, { NODE_COMPILE_CACHE: compileCache, ...process.env });
