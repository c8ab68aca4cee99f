/** `npm start`: installs what is missing, then serves. */
import { join } from 'node:path';
import { ensureInstalled, onSuitableNode, root, runFile, stopWithParent } from './install.js';

ensureInstalled('run');
if (await onSuitableNode()) {
  stopWithParent();
  await runFile(join(root, 'src', 'cli', 'main.ts'), ['serve']);
}
