export { createProfileLookups } from './profile-lookups.ts';
export { findActiveId, findActiveIds } from './queries.ts';
export { bulkProfileLookupRoutes, profileLookupRoutes, publicProfileRoutes } from './routes.ts';
