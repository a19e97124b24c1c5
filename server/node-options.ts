import { fileURLToPath } from 'node:url';

/** The memory limits of a server in production (docs/operations.md), for `npm start` and for all that measures it. */
export const SERVER_NODE_OPTIONS: readonly string[] = [
  '--max-old-space-size=768',
  '--max-semi-space-size=32',
];

/**
 * The folder in which processes keep their compiled code (docs/deployment.md). It saves each start about a third of the processor time to
 * load the code. NODE_COMPILE_CACHE sets another one.
 */
export const COMPILE_CACHE =
  process.env['NODE_COMPILE_CACHE'] ??
  fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url));
