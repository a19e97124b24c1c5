import { chromium, type Browser } from 'playwright-core';
import { findChromium } from '../../server/src/testing/chromium.ts';

/**
 * A page of a test is closed before optimized code is worth its compilation: without it, the tests of the console take a seventh of the
 * processor time less.
 */
export const NO_OPTIMIZATION = '--js-flags=--no-maglev --no-opt --single-threaded-gc';

/** Starts the Chromium of the machine. In containers it runs as root, which its sandbox refuses, and their shared memory is small. */
export function launchChromium(...flags: string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium(),
    args: ['--no-sandbox', '--disable-dev-shm-usage', ...flags],
  });
}
