/** The memory limits of a server in production (docs/operations.md), for `npm start` and for all that measures it. */
export const SERVER_NODE_OPTIONS: readonly string[] = [
  '--max-old-space-size=768',
  '--max-semi-space-size=32',
];
