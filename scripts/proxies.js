/** Finds the proxies for the tests of the files in deploy/, and installs them if possible. */
import { existsSync } from 'node:fs';
import { installPackages } from './apt.js';

const places = { nginx: ['/usr/sbin/nginx', '/usr/bin/nginx'], caddy: ['/usr/bin/caddy'] };

export function findProxy(name) {
  return places[name].find((path) => existsSync(path));
}

/** Elsewhere than as root on Debian, or on failure, it says what will not be tested and how to fix that. */
export function ensureProxies() {
  const missing = () => Object.keys(places).filter((name) => findProxy(name) === undefined);
  if (missing().length === 0) return;
  // With systemd, the packages would also start web servers on this machine.
  if (!existsSync('/run/systemd/system')) installPackages(missing(), 'nginx and Caddy for the tests of deploy/');
  const names = missing();
  if (names.length === 0) return;
  process.stderr.write(
    `There is no ${names.join(' and no ')} on this machine: the tests of its configuration in deploy/ are SKIPPED.\n` +
      `To run them, install it as root, "apt-get install ${names.join(' ')}", and start again.\n`,
  );
}
