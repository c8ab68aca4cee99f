/** Finds the browser for the dashboard tests, and installs it if possible. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export function findChromium() {
  return places.find((path) => existsSync(path));
}

/**
 * As root on Debian and its derivatives. Elsewhere, or on failure, it says what will not be tested and how to fix that.
 */
export function ensureChromium() {
  if (findChromium() !== undefined) return;
  const hasApt = existsSync('/usr/bin/apt-get');
  if (hasApt && process.getuid?.() === 0) {
    process.stderr.write('Installing Chromium for the tests of the dashboard (once, a minute or two) …\n');
    const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    for (const args of [
      ['update', '-qq'],
      ['install', '-y', '-qq', '--no-install-recommends', 'chromium'],
    ]) {
      const { status } = spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 2], env: environment });
      if (status !== 0) break;
    }
  }
  if (findChromium() !== undefined) return;
  process.stderr.write(
    'There is no Chromium on this machine: the tests in a browser are SKIPPED, those of the dashboard among them.\n' +
      'To run them, install it as root, "apt-get install chromium", and start again.\n',
  );
}
