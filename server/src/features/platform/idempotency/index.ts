export { deleteOldResponses } from './queries.ts';
export { runOnce } from './run-once.ts';
