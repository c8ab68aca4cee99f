/** `npm run pictures -- <folder> [pattern]`: installs what is missing, then takes pictures of the dashboard. */
import { join } from 'node:path';
import { ensureChromium } from './chromium.js';
import { ensureInstalled, onSuitableNode, root, runFile } from './install.js';

ensureInstalled('develop');
ensureChromium();
if (await onSuitableNode()) await runFile(join(root, 'test', 'dashboard', 'pictures.ts'), process.argv.slice(2));
