import { repeat } from '../../jobs/repeat.ts';
import type { BaseServices, CloseLater } from '../base-services.ts';
import { createDefinitionResolver } from './event-definitions/index.ts';
import {
  createRosters,
  deleteStaleCopies,
  openArchive,
  openEventWriter,
  openRejectedEvents,
  type ArchiveSettings,
} from './events/index.ts';

const HOUR_MS = 60 * 60_000;

export async function openGameplayServices(
  { database, changes, logger, processes }: BaseServices,
  databaseUrl: string,
  config: ArchiveSettings,
  closeLater: CloseLater,
) {
  const definitions = createDefinitionResolver(database, changes);
  const writer = closeLater(await openEventWriter(database, databaseUrl, processes));
  const rejectedEvents = closeLater(openRejectedEvents({ database, logger }));
  const archive = openArchive(config);
  if (archive.bucket) {
    // Each machine has copies of its own. If the database or the disk fails, the next run does the rest.
    const deleting = repeat(
      HOUR_MS,
      () => deleteStaleCopies(database, archive),
      () => {},
    );
    closeLater({ close: () => deleting.stop() });
  }
  return { definitions, writer, rosters: createRosters(database), rejectedEvents, archive };
}
