import { randomInt } from 'node:crypto';

const given = process.env['GUILDHALL_FUZZ'];

/** The number of requests of each kind for each operation. */
export const COUNT = Number(given || 8);

/** Whether this is the short form in `npm test`. It always makes the same requests. New ones are for the long form, whose failures somebody reads. */
export const IS_SHORT = !given;

export const SEED = Number(process.env['GUILDHALL_FUZZ_SEED'] || (given ? randomInt(2 ** 31) : 1));

/** The only operation that is tested, or a part of the names of the only sequences. Empty: all of them. */
export const ONLY = process.env['GUILDHALL_FUZZ_ONLY'] ?? '';

export const TIMEOUT_MS = 120_000 + COUNT * 2_000;
