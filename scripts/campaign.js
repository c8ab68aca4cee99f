/**
 * `npm run campaign [-- NAME…]`: installs what is missing, then attacks started services and tells what it found.
 * `npm run campaign:breaks` shows that the campaigns find what is there to be found.
 */
import { join } from 'node:path';
import { ensureInstalled, onSuitableNode, root, runFile } from './install.js';

ensureInstalled('develop');
if (await onSuitableNode()) {
  const [first, ...rest] = process.argv.slice(2);
  if (first === '--breaks') await runFile(join(root, 'campaigns', 'breaks', 'main.ts'), rest);
  else await runFile(join(root, 'campaigns', 'main.ts'), process.argv.slice(2));
}
