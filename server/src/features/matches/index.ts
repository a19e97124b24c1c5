export { findMatchSessions, findRoster, type RosterEntry } from './queries.ts';
