export { createProfileLookups } from './profile-lookups.ts';
export { findActiveId } from './queries.ts';
export { bulkProfileLookupRoutes, profileLookupRoutes, publicProfileRoutes } from './routes.ts';
