/** `npm run campaign [-- NAME…]`: installs what is missing, then attacks started services and tells what it found. */
import { join } from 'node:path';
import { ensureInstalled, onSuitableNode, root, runFile } from './install.js';

ensureInstalled('develop');
if (await onSuitableNode()) await runFile(join(root, 'campaigns', 'main.ts'), process.argv.slice(2));
