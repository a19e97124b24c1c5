export { partName } from './archive/archive-files.ts';
export { requireArchive } from './archive/require-archive.ts';
export { requireStoredParts } from './archive/require-stored-parts.ts';
export { archiveEvents } from './archive/archive-events.ts';
export { withArchiveLock } from './archive/archive-lock.ts';
export { archiveBefore, archiveOldEvents } from './archive/archive-old-events.ts';
export { openArchive, type Archive, type ArchiveSettings } from './archive/archive.ts';
export { deleteArchivedBefore } from './archive/delete-archived.ts';
export { createDuckdb } from './archive/duckdb.ts';
export { countArchivedBefore, selectParts, type ArchivedPart } from './archive/queries.ts';
export { deleteStaleCopies } from './archive/stale-copies.ts';
export { verifyArchive } from './archive/verify-archive.ts';
export type { WrittenPart } from './archive/write-part.ts';
export { EVENT_SCOPES, type EventScope } from './event-row.ts';
export { openEventWriter } from './event-writer.ts';
export { eventIngestionRoutes } from './ingestion-routes.ts';
export { eventQueryRoutes } from './query-routes.ts';
export { eventReadingRoutes } from './reading-routes.ts';
export { createRosters } from './roster.ts';
export { verifyEvents } from './verify-events.ts';
export type { EventSources } from './event-sources.ts';
export { exportEventsOfPlayer } from './export-events.ts';
export { StoredEvent } from './schemas.ts';
export { openRejectedEvents } from './rejected/collect-rejected.ts';
export { deleteOldRejectedEvents } from './rejected/queries.ts';
export { rejectedEventRoutes } from './rejected/routes.ts';
export {
  checkRollups,
  deleteOldEventRollups,
  rebuildRollups,
  rollUpEvents,
  startRollupsAt,
} from './rollups/maintain.ts';
export type { CountedDay, RollupDifference, RollupFigures } from './rollups/queries.ts';
