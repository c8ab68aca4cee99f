/** `npm run check`: everything that must pass before a change is merged, except the tests. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, root, suitableNode } from './install.js';

ensureInstalled('develop');
const bin = join(root, 'node_modules', '.bin');
const steps = [
  ['lint and format', join(bin, 'biome'), ['check', '--error-on-warnings', '.']],
  ['imports', suitableNode(), ['scripts/lint/imports.ts']],
  ['types', join(bin, 'tsc'), ['--noEmit']],
  // Again without the types of Node.js, which a browser does not have.
  ['types of the SDK alone', join(bin, 'tsc'), ['--noEmit', '-p', 'sdk/tsconfig.json']],
  ['types of the dashboard', join(bin, 'tsc'), ['--noEmit', '-p', 'dashboard/tsconfig.json']],
  ['types of the tests in a browser', join(bin, 'tsc'), ['--noEmit', '-p', 'test/dashboard/tsconfig.json']],
  ['built dashboard', suitableNode(), ['scripts/compare-dashboard.ts']],
  ['generated files', suitableNode(), ['scripts/generate.ts', '--check']],
  ['OpenAPI', suitableNode(), [join(bin, 'redocly'), 'lint', '--config', 'redocly.yaml', 'openapi.json']],
  ['AsyncAPI', suitableNode(), [join(bin, 'redocly'), 'lint', '--config', 'redocly.yaml', 'asyncapi.json']],
];
for (const [name, program, args] of steps) {
  process.stdout.write(`── ${name}\n`);
  const environment = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit', env: environment });
  if (status !== 0) process.exit(1);
}
