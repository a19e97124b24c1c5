import { join } from 'node:path';

/** What `npm run build` writes: the programs of the server, each with its source files and packages (docs/decisions/0067-built-server.md). */
export const BUILT = join(import.meta.dirname, 'dist');

/** The command line. */
export const GUILDHALL = join(BUILT, 'guildhall.js');

/** What `npm start` runs. */
export const SUPERVISOR = join(BUILT, 'supervise.js');
