/**
 * `npm run campaign [-- NAME…]`: installs what is missing, then attacks running services and reports its findings.
 * `npm run campaign:breaks` verifies that the campaigns detect injected faults.
 */
import { join } from 'node:path';
import { ensureInstalled, onSuitableNode, root, runFile } from './install.js';

ensureInstalled('develop');
if (await onSuitableNode()) {
  const [first, ...rest] = process.argv.slice(2);
  if (first === '--breaks') await runFile(join(root, 'campaigns', 'breaks', 'main.ts'), rest);
  else await runFile(join(root, 'campaigns', 'main.ts'), process.argv.slice(2));
}
