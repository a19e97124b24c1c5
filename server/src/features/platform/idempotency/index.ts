export { deleteOldAnswers } from './queries.ts';
export { runOnce } from './run-once.ts';
