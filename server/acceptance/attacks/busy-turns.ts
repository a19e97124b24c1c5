import { appendFileSync } from 'node:fs';

/**
 * Loaded into the attacked server before its own code. Appends to a file how many milliseconds of processor time the event loop took
 * without a pause, if that is long. Processor time does not depend on the other processes of the machine.
 */

const FILE = process.env['GUILDHALL_BUSY_TURNS']!;
/** How often the event loop is asked. A reported turn is too long by at most this time. */
const EVERY_MS = 2;
const REPORTED_MS = 4;

let before = process.threadCpuUsage();
setInterval(() => {
  const { user, system } = process.threadCpuUsage(before);
  const ms = (user + system) / 1000;
  if (ms > REPORTED_MS) appendFileSync(FILE, `${ms.toFixed(1)}\n`);
  before = process.threadCpuUsage();
}, EVERY_MS).unref();
