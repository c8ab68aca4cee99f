#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'src', 'cli', 'main.ts');
if (existsSync(source)) {
  // In a checkout: from the source, on the project's own Node.
  const { ensureInstalled, onSuitableNode, runFile } = await import('../scripts/install.js');
  ensureInstalled('run');
  if (await onSuitableNode()) await runFile(source, process.argv.slice(2));
} else {
  // Installed as a package: Node does not run TypeScript from node_modules, so the compiled files are taken.
  await import('../dist/src/cli/main.js');
}
