/** Installs the collector of OpenTelemetry that the tests of traces send to: a program of 26 MB in a package from npm. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './install.js';

const folder = join(root, 'test', 'collector');
const program = join(
  folder,
  'node_modules',
  '@streamfold',
  `rotel-${process.platform}-${process.arch}`,
  'bin',
  'rotel-agent',
);

export function findCollector() {
  return existsSync(program) ? program : undefined;
}

/** On failure, and where there is none for this machine, it says what will not be tested. */
export function ensureCollector() {
  const isAvailable = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
  if (findCollector() !== undefined) return;
  if (isAvailable) {
    process.stderr.write('Installing the collector for the tests of traces (once, a few seconds) …\n');
    const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'];
    spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 2, 2] });
  }
  if (findCollector() !== undefined) return;
  process.stderr.write(
    'There is no Rotel on this machine: the tests with a real collector of traces are SKIPPED.\n' +
      'To run them on Linux, run "npm ci" in test/collector, and start again.\n',
  );
}
