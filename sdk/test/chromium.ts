import { chromium, type Browser } from 'playwright-core';
import { findChromium } from '../../server/src/testing/chromium.ts';

/** Starts the Chromium of the machine. In containers it runs as root, which its sandbox refuses, and their shared memory is small. */
export function launchChromium(...flags: string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium(),
    args: ['--no-sandbox', '--disable-dev-shm-usage', ...flags],
  });
}
