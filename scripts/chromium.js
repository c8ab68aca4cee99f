/** Finds the browsers for the dashboard tests, and installs them if possible. */
import { existsSync } from 'node:fs';
import { installPackages } from './apt.js';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const shell = '/usr/bin/chromium-headless-shell';

export function findChromium() {
  return places.find((path) => existsSync(path));
}

/**
 * Chromium without the parts for a screen, if there is one, in which the same tests take a third less processor time. It
 * cannot grant pages a microphone.
 */
export function findHeadlessShell() {
  return existsSync(shell) ? shell : findChromium();
}

/**
 * As root on Debian and its derivatives. Elsewhere, or on failure, it says what will not be tested and how to fix that.
 */
export function ensureChromium() {
  if (findChromium() !== undefined) return;
  // The shell last: not every distribution has it.
  installPackages(['chromium', 'chromium-headless-shell'], 'Chromium for the tests of the dashboard');
  if (findChromium() !== undefined) return;
  process.stderr.write(
    'There is no Chromium on this machine: the tests in a browser are SKIPPED, those of the dashboard among them.\n' +
      'To run them, install it as root, "apt-get install chromium", and start again.\n',
  );
}
