/**
 * `npm run bench [-- --short]`: installs what is missing, then measures the service against bare Node.js and its peers.
 */
import { join } from 'node:path';
import { ensureInstalled, onSuitableNode, root, runFile } from './install.js';

ensureInstalled('develop');
if (await onSuitableNode()) await runFile(join(root, 'bench', 'main.ts'), process.argv.slice(2));
