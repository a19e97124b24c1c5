export { sessionHistoryRoutes } from './routes.ts';
