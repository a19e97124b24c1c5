import type { EventSources } from '../../event-sources.ts';
import { ROW_FILES } from '../parts/archive-files.ts';
import { fetchParts } from './fetch-parts.ts';
import { asProblem, type ReadLimits } from './read-limits.ts';
import { selectParts } from '../parts/queries.ts';

const PROBE_LIMITS: ReadLimits = { seconds: 60 };

/** Throws `archive_unavailable` if tenants have archived events and this server cannot read them. It tries one part. */
export async function requireArchive(
  { database, archive }: EventSources,
  tenantIds: string[],
): Promise<void> {
  for (const tenantId of tenantIds) {
    const [part] = await selectParts(database.forTenant(tenantId), tenantId, { limit: 1 });
    if (!part) continue;
    try {
      const files = await fetchParts(archive, [part], ROW_FILES, PROBE_LIMITS);
      const text = 'SELECT 1 AS found FROM read_parquet($1), read_parquet($2) LIMIT 1';
      await archive.duckdb({ statements: [{ text, values: files }], reads: files }, PROBE_LIMITS);
    } catch (error) {
      throw asProblem(error, PROBE_LIMITS);
    }
    return;
  }
}
