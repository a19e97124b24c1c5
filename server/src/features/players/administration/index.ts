export { tenantPlayerExportRoutes } from './export-routes.ts';
export { playerModerationRoutes } from './moderation-routes.ts';
export { tenantPlayerRoutes } from './player-routes.ts';
export { deleteExpiredBanFingerprints } from './moderation-queries.ts';
export { profileSearchRoutes } from './profile-search-routes.ts';
export { playerNoteRoutes } from './note-routes.ts';
export { checkPlayerCounts, correctPlayerCounts, type PlayerCountDifference } from './player-counts.ts';
