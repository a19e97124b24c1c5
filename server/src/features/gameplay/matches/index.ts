export { tenantMatchRoutes } from './administration-routes.ts';
export { leaveSharedMatches } from './leave-match.ts';
export { findRoster, type RosterEntry } from './queries.ts';
export { matchRoutes } from './routes.ts';
