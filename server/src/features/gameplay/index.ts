import { behind } from '../feature-group.ts';
import { rollUpSessions, sessionAnalyticsRoutes } from './analytics/index.ts';
import { definitionCsvRoutes, eventDefinitionRoutes } from './event-definitions/index.ts';
import {
  deleteOldEventRollups,
  deleteOldRejectedEvents,
  eventIngestionRoutes,
  eventQueryRoutes,
  eventReadingRoutes,
  rejectedEventRoutes,
} from './events/index.ts';
import { matchRoutes, tenantMatchRoutes } from './matches/index.ts';

/** Gameplay data: matches, events with their definitions, and figures about them. */
export const gameplay = {
  routes: [
    behind('gameKeyAndMaybePlayer', matchRoutes),
    behind('gameKeyAndPlayer', eventIngestionRoutes),
    behind('account', eventDefinitionRoutes, definitionCsvRoutes),
    behind(
      'accountOrApiKey',
      tenantMatchRoutes,
      eventReadingRoutes,
      eventQueryRoutes,
      rejectedEventRoutes,
      sessionAnalyticsRoutes,
    ),
  ],
  schedules: [{ name: 'roll-up-sessions', cron: '*/10 * * * *', run: rollUpSessions }],
  expiry: { ofTenant: [deleteOldEventRollups, deleteOldRejectedEvents] },
};
