export { bulkProfileLookupRoutes, profileLookupRoutes, publicProfileRoutes } from './routes.ts';
