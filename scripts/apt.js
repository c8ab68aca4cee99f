/** Installs Debian packages for the tests. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** As root on Debian and its derivatives; nothing elsewhere. Stops at the first package that cannot be installed. */
export function installPackages(names, purpose) {
  if (!existsSync('/usr/bin/apt-get') || process.getuid?.() !== 0) return;
  process.stderr.write(`Installing ${purpose} (once, a minute or two) …\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = ['install', '-y', '-qq', '--no-install-recommends'];
  for (const args of [['update', '-qq'], ...names.map((name) => [...install, name])]) {
    const { status } = spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 2], env });
    if (status !== 0) break;
  }
}
