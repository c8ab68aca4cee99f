/** `npm start`: installs what is missing, then serves. */
import { join } from 'node:path';
import { ensureInstalled, root, runFile } from './install.js';

ensureInstalled('run');
await runFile(join(root, 'src', 'cli', 'main.ts'), ['serve']);
