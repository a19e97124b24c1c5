import { tmpdir } from 'node:os';
import { isGuid } from '../../../../../core/ids.ts';
import { inChunks } from '../../../../../core/in-chunks.ts';
import type { Database, Querier } from '../../../../../database/database.ts';
import type { AlteredRow } from '../../../../../core/row-hash.ts';
import { toMicroseconds } from '../../../../../core/timestamps.ts';
import { eventRowHash, eventTables, type HashedEventRow } from '../../event-row.ts';
import type { Verification } from '../../../../../core/verification.ts';
import {
  checkPart,
  listTenantFolders,
  partName,
  removePart,
  ROW_FILES,
  type PartRef,
} from '../parts/archive-files.ts';
import { listStoredParts, type Archive } from '../parts/archive.ts';
import { isoTime } from '../duckdb/duckdb-sql.ts';
import { fetchParts } from './fetch-parts.ts';
import { isArchived, selectParts, selectPartNames, type ArchivedPart } from '../parts/queries.ts';

/** Rows that fail the check of DuckDB and are checked again at a time. */
const ROWS_PER_PAGE = 5_000;
const SECONDS_PER_PAGE = 60 * 60;
const DOWNLOADS = { seconds: SECONDS_PER_PAGE, mayExceedCache: true };

/**
 * Checks the archived events of a tenant: the checksums of manifests and files, the number of rows, and the hash of each row.
 * A range selects the parts that have events of this time, and the rows to report.
 */
export async function verifyArchive(
  database: Database,
  archive: Archive,
  { tenantId, range, report, onRows }: Verification,
): Promise<void> {
  const from = toMicroseconds(range.from ?? '') ?? '';
  const to = toMicroseconds(range.to ?? '') ?? '9';
  const isInRange = ({ occurredAt }: HashedEventRow): boolean => occurredAt >= from && occurredAt < to;
  const db = database.forTenant(tenantId);
  const parts = await selectParts(db, tenantId);
  for (const part of parts) {
    if (toMicroseconds(part.lastAt)! < from || toMicroseconds(part.firstAt)! >= to) continue;
    const problem = await verifyPart(archive, part, isInRange, report).catch((error: Error) => error);
    // Retention may delete the part meanwhile.
    if (problem && !(await isArchived(db, part))) continue;
    if (problem instanceof Error) throw problem;
    if (problem) report(ofPart(part, problem));
    onRows(part.rows);
  }
  if (range.from !== undefined || range.to !== undefined) return;
  const unknown = await findUnknown(archive, db, tenantId);
  if (unknown.length === 0) return;
  // Retention may have deleted a part after its folder was listed. Then the second list does not have it.
  const stillUnknown = new Set((await findUnknown(archive, db, tenantId)).map(partName));
  for (const folder of unknown)
    if (stillUnknown.has(partName(folder)))
      report(
        ofPart(
          folder,
          'is no part of the archive: its events are in the database, were deleted, or are newer than a backup that was restored',
        ),
      );
}

/**
 * The tenants that have a folder in the archive, and are not among those of the database. For each of them, {@link verifyArchive} names the
 * folders. The folder with the copies of a bucket does not count.
 */
export async function listUnknownTenants({ root, bucket }: Archive, tenantIds: string[]): Promise<string[]> {
  if (bucket) return [];
  return (await listTenantFolders(root)).filter((name) => isGuid(name) && !tenantIds.includes(name));
}

/** The folders of a tenant that the database does not name. */
async function findUnknown(archive: Archive, db: Querier, tenantId: string): Promise<PartRef[]> {
  const stored = await listStoredParts(archive, tenantId);
  // Read after the folders: a part is registered before it has files.
  const known = await selectPartNames(db, tenantId);
  return stored.filter((folder) => !known.has(partName(folder)));
}

const ofPart = (part: PartRef, problem: string): AlteredRow => ({
  table: 'archive',
  tenantId: part.tenantId,
  id: partName(part),
  problem,
});

/** Checks one part. Returns what is wrong with its files, and reports each row of the range that does not match its hash. */
async function verifyPart(
  archive: Archive,
  part: ArchivedPart,
  isInRange: (row: HashedEventRow) => boolean,
  report: (row: AlteredRow) => void,
): Promise<string | undefined> {
  const { root, bucket, duckdb } = archive;
  const manifest = await (bucket?.check(part) ?? checkPart(root, part));
  if (typeof manifest === 'string') return manifest;
  const fetchFiles = () => fetchParts(archive, [part], ROW_FILES, DOWNLOADS);
  let files = await fetchFiles();
  if (bucket && typeof (await checkPart(root, part)) === 'string') {
    // The disk has damaged the copies since they were downloaded.
    await removePart(root, part);
    files = await fetchFiles();
  }
  const run = (text: string, values: string[]) =>
    duckdb(
      { statements: [{ text, values }], reads: files, temporary: tmpdir(), maxRows: ROWS_PER_PAGE },
      { seconds: SECONDS_PER_PAGE },
    );
  const [counted] = await run(
    `SELECT (SELECT count(*) FROM read_parquet($1))::INTEGER AS events, (SELECT count(*) FROM read_parquet($2))::INTEGER AS proofs`,
    files,
  );
  if (counted?.['events'] !== part.rows || counted['proofs'] !== part.rows)
    return `has ${String(counted?.['events'])} events and ${String(counted?.['proofs'])} proofs instead of ${part.rows}`;

  // DuckDB finds the rows whose hash may be wrong, and the function that made the hashes decides.
  const readSuspects = async (last = { occurredAt: '1900-01-01T00:00:00.000000Z', idempotencyKey: '' }) => {
    const { occurredAt, idempotencyKey } = last;
    const rows: unknown = await run(suspectRows(part), [...files, occurredAt, idempotencyKey]);
    return rows as HashedEventRow[];
  };
  for await (const rows of inChunks(ROWS_PER_PAGE, readSuspects))
    for (const { createdAt, rowHash, ...row } of rows.filter(isInRange))
      if (eventRowHash(part.scope, { tenantId: part.tenantId, createdAt }, row) !== rowHash)
        report({ table: `archived ${eventTables[part.scope]}`, tenantId: part.tenantId, id: row.id });
  return undefined;
}

/** The control characters for which JSON has no short escape, and whose code has a letter. */
const LETTERED = [0x0b, 0x0e, 0x0f, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f];

/**
 * SQL of DuckDB for a text as JSON.stringify() writes it: `\u001f`, and not `\u001F`. An escaped backslash is replaced meanwhile, because it
 * may stand before `u001F`. JSON has no character U+0001 itself.
 */
function stringified(text: string): string {
  const json = `to_json(${text})::VARCHAR`;
  const escapes = LETTERED.map((code) => JSON.stringify(String.fromCharCode(code)).slice(1, -1));
  const lowered = escapes.reduce(
    (sql, escape) =>
      `replace(${sql}, '${escape.replace(/[a-f]/, (letter) => letter.toUpperCase())}', '${escape}')`,
    String.raw`replace(${json}, '\\', chr(1))`,
  );
  return String.raw`CASE WHEN contains(${json}, '\u00') THEN replace(${lowered}, chr(1), '\\') ELSE ${json} END`;
}

/** Selects the rows whose hash differs from the one of their columns (docs/row-hashes.md), after a position. */
function suspectRows({ scope, tenantId }: ArchivedPart): string {
  const isMatch = scope === 'match';
  const text = (column: string): string => `'"' || row.${column} || '"'`;
  const members = [
    `'"${eventTables[scope]}"'`,
    `'"${tenantId}"'`,
    text('id'),
    text('"actorId"'),
    ...(isMatch ? [text('"matchSessionId"')] : []),
    `coalesce(${text('"loginSessionId"')}, 'null')`,
    text('"definitionId"'),
    stringified('row."idempotencyKey"'),
    `coalesce(${text('value')}, 'null')`,
    text('"occurredAt"'),
    text('"createdAt"'),
  ];
  return `
    WITH row AS (
      SELECT proof.id::VARCHAR AS id, ${isMatch ? 'proof.match_player_id' : 'event.player_id'}::VARCHAR AS "actorId",
             ${isMatch ? 'event.match_session_id::VARCHAR' : 'NULL'} AS "matchSessionId",
             proof.login_session_id::VARCHAR AS "loginSessionId", event.event_definition_id::VARCHAR AS "definitionId",
             proof.idempotency_key AS "idempotencyKey", event.value::VARCHAR AS value,
             ${isoTime('event.occurred_at')} AS "occurredAt", ${isoTime('proof.created_at_gl')} AS "createdAt",
             lower(hex(proof.row_hash)) AS "rowHash"
      FROM read_parquet($1) event POSITIONAL JOIN read_parquet($2) proof)
    SELECT * FROM row
    WHERE sha256('[' || ${members.join(` || ',' || `)} || ']') IS DISTINCT FROM "rowHash"
      AND ("occurredAt", "idempotencyKey") > ($3, $4)
    ORDER BY "occurredAt", "idempotencyKey" LIMIT ${ROWS_PER_PAGE}`;
}
