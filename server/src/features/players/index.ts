import { behind, job, openToAnyone } from '../feature-group.ts';
import {
  deleteExpiredBanFingerprints,
  playerModerationRoutes,
  playerNoteRoutes,
  profileSearchRoutes,
  tenantPlayerExportRoutes,
  tenantPlayerRoutes,
} from './administration/index.ts';
import { sessionHistoryRoutes } from './history/index.ts';
import { bulkProfileLookupRoutes, profileLookupRoutes, publicProfileRoutes } from './lookup/index.ts';
import {
  authMethodRoutes,
  avatarRoutes,
  avatarUploadRoutes,
  deviceRoutes,
  playerChangeQueue,
  playerDeletionRoutes,
  profileDeletionRoutes,
  profileExportRoutes,
  profileMergeRoutes,
  profileRoutes,
  publishPlayerChange,
} from './profiles/index.ts';

/** Players: the profile that each has over all games, what others see of it, and what a studio does with its players. */
export const players = {
  routes: [
    behind(
      'player',
      deviceRoutes,
      sessionHistoryRoutes,
      profileRoutes,
      profileDeletionRoutes,
      profileExportRoutes,
      avatarUploadRoutes,
      authMethodRoutes,
      profileMergeRoutes,
    ),
    behind('gameKeyOrDataKey', profileLookupRoutes),
    behind('dataKey', bulkProfileLookupRoutes),
    behind('account', tenantPlayerRoutes, playerModerationRoutes, playerNoteRoutes, tenantPlayerExportRoutes),
    behind('platformAdmin', playerDeletionRoutes, profileSearchRoutes),
    openToAnyone(publicProfileRoutes, avatarRoutes),
  ],
  jobs: [job(playerChangeQueue, publishPlayerChange)],
  expiry: { ofTenant: [deleteExpiredBanFingerprints] },
};
