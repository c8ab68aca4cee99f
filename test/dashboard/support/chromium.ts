import { type Browser, chromium } from 'playwright-core';
import { findChromium, findHeadlessShell } from '../../../scripts/chromium.js';

/** The whole browser, with a microphone. */
export function launchChromium(...args: string[]): Promise<Browser> {
  return launch(findChromium() as string, args);
}

/** For pages that use no microphone. */
export function launchHeadlessShell(): Promise<Browser> {
  return launch(findHeadlessShell() as string, []);
}

function launch(executablePath: string, args: readonly string[]): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      // A microphone that beeps once a second. Pages still need the permission to use it.
      '--use-fake-device-for-media-stream',
      ...args,
    ],
  });
}
