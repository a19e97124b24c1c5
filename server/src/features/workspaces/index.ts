export { openMemberships } from './memberships.ts';
