import { fileURLToPath } from 'node:url';

/**
 * The folder in which processes keep their compiled code (docs/deployment.md). It saves each start about a third of the processor time to
 * load the code. NODE_COMPILE_CACHE sets another one.
 */
export const COMPILE_CACHE =
  process.env['NODE_COMPILE_CACHE'] ??
  fileURLToPath(new URL('../../../node_modules/.cache/compiled', import.meta.url));
