export { isRolledUpTo, rollUpSessions } from './roll-up-sessions.ts';
export { sessionAnalyticsRoutes } from './routes.ts';
