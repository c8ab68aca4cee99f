/** Installs OpenStack Swift for the tests of object storage, if possible. */
import { existsSync } from 'node:fs';
import { installPackages } from './apt.js';

const packages = ['swift', 'swift-proxy', 'swift-account', 'swift-container', 'swift-object'];
const isInstalled = () =>
  ['proxy', 'account', 'container', 'object'].every((kind) => existsSync(`/usr/bin/swift-${kind}-server`));

/** Elsewhere than as root on Debian, or on failure, it says what will not be tested and how to fix that. */
export function ensureSwift() {
  if (isInstalled()) return;
  // With systemd, the packages would also start servers on this machine.
  if (!existsSync('/run/systemd/system')) installPackages(packages, 'OpenStack Swift for the tests of object storage');
  if (isInstalled()) return;
  process.stderr.write(
    'There is no OpenStack Swift on this machine: the tests of object storage with it are SKIPPED.\n' +
      `To run them, install it as root, "apt-get install ${packages.join(' ')}", and start again.\n`,
  );
}
