import { type Browser, chromium } from 'playwright-core';
import { findChromium } from '../../../scripts/chromium.js';

export function launchChromium(...args: string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium() as string,
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
