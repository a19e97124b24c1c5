export { findRoster, type RosterEntry } from './queries.ts';
export { matchRoutes } from './routes.ts';
