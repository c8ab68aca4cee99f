/** `npm test [files]`: installs what is missing, then runs every test, or those in the files named. */
import { ensureInstalled, root, runProcess, suitableNode } from './install.js';

ensureInstalled('develop');
const files = process.argv.slice(2);
process.chdir(root);
process.exitCode = await runProcess(suitableNode(), [
  '--test',
  '--test-global-setup=test/support/postgres-server.ts',
  '--test-timeout=120000',
  '--test-concurrency=2',
  ...(files.length > 0 ? files : ['test/**/*.test.ts']),
]);
