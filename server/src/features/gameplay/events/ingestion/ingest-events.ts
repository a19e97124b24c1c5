import { Counter } from 'prom-client';
import type { DefinitionResolver } from '../../event-definitions/index.ts';
import type { BillingContext } from '../../../../core/billing-context.ts';
import { forEachInSlices, sortInSlices } from '../../../../core/concurrency/event-loop.ts';
import { listMergedProfiles } from '../../../players/merged-profiles/index.ts';
import { assignDefinitions, EVENTS_PER_SLICE, type IndexedRow } from './assign-definitions.ts';
import { checkEvent, latestOccurrence, namesOf, type CheckedEvent } from './check-event.ts';
import { comparePositions, withoutRepeats } from '../event-position.ts';
import { EVENT_SCOPES, type EventScope } from '../event-row.ts';
import type { EventWriter } from './event-writer.ts';
import { refuse, type EventBatch, type EventRecord, type IngestResult } from './ingest-result.ts';
import type { RejectedEvents } from '../rejected/collect-rejected.ts';
import type { Rosters } from './roster.ts';
import { admitEvents, type QuotaServices } from './admit-events.ts';
import { findUnknownMembers } from './unknown-members.ts';

export interface IngestServices extends QuotaServices {
  writer: EventWriter;
  rosters: Rosters;
  definitions: DefinitionResolver;
  rejectedEvents: RejectedEvents;
}

/** The player who sends a batch, and the key it is billed to. */
interface Sender {
  billing: BillingContext;
  playerId: string;
}

const events = new Counter({
  name: 'guildhall_events_total',
  help: 'Received events by scope (match, player) and result (stored, duplicate, rejected).',
  labelNames: ['scope', 'result'] as const,
});
for (const scope of EVENT_SCOPES)
  for (const result of ['stored', 'duplicate', 'rejected']) events.inc({ scope, result }, 0);

/**
 * Stores a batch of events. An invalid event is reported in `errors`, and the others are stored. Each event in `records` is
 * on disk and charged. Throws `quota_exceeded` if the new events exceed the hard stop of the plan; then nothing is stored.
 */
export async function ingestEvents(
  services: IngestServices,
  scope: EventScope,
  { billing, playerId }: Sender,
  sent: unknown[],
): Promise<IngestResult> {
  const warnings = findUnknownMembers(scope, sent);
  const batch: EventBatch = { scope, billing, records: [], warnings, refused: [], duplicateCount: 0 };
  // splice empties the array, so that unknown members are not kept in memory while the batch waits for the database.
  const valid = await checkFields(batch, sent.splice(0));
  const authorized = await checkActors(services, batch, playerId, valid);
  const rows = await assignDefinitions(services, batch, authorized);
  const unique = await sortAndDeduplicate(batch, rows);
  const admitted = await admitEvents(services, batch, unique);
  batch.duplicateCount += unique.length - admitted.length;
  if (admitted.length > 0) await store(services.writer, batch, admitted);
  const { records, refused, duplicateCount } = batch;
  events.inc({ scope, result: 'stored' }, records.length);
  events.inc({ scope, result: 'duplicate' }, duplicateCount);
  events.inc({ scope, result: 'rejected' }, refused.length);
  refused.sort((a, b) => a.error.index - b.error.index);
  warnings.sort((a, b) => a.index - b.index);
  await forEachInSlices(billing.tenantId, refused, EVENTS_PER_SLICE, (event) =>
    services.rejectedEvents.count(billing, scope, event),
  );
  return { records, warnings, errors: refused.map(({ error }) => error), duplicateCount };
}

/** Events that are checked at once. They take 0.5 ms, or 3 ms if every key needs full normalisation. */
const CHECKED_PER_SLICE = 50;

async function checkFields(
  { scope, billing, refused }: EventBatch,
  sent: unknown[],
): Promise<CheckedEvent[]> {
  const valid: CheckedEvent[] = [];
  const latest = latestOccurrence();
  let index = 0;
  await forEachInSlices(billing.tenantId, sent, CHECKED_PER_SLICE, (event) => {
    const checked = checkEvent(scope, event, index, latest);
    if (typeof checked === 'string') {
      const error = { index, statusCode: 400, error: checked };
      refused.push({ error, ...namesOf(event), isOfDefinition: false });
    } else valid.push(checked);
    index++;
  });
  return valid;
}

/**
 * Rejects events of other players: the player event, or the roster entry of the match event, must be of the bearer, or of a profile that
 * was merged into the bearer's. Merged profiles are read only if an event would be rejected.
 */
async function checkActors(
  { database, rosters }: IngestServices,
  { scope, billing, refused }: EventBatch,
  playerId: string,
  events: CheckedEvent[],
): Promise<CheckedEvent[]> {
  const { tenantId } = billing;
  const roster =
    scope === 'match'
      ? await rosters.find(tenantId, new Set(events.map((event) => event.actorId)))
      : undefined;
  const existing = events.filter((event) => {
    if (!roster || roster.get(event.actorId)?.matchSessionId === event.matchSessionId) return true;
    refused.push(refuse(event, 404, 'The match session does not exist or does not have this match player.'));
    return false;
  });
  const playerOf = ({ actorId }: CheckedEvent): string => (roster ? roster.get(actorId)!.playerId : actorId);
  if (existing.every((event) => playerOf(event) === playerId)) return existing;

  const merged = await listMergedProfiles(database.forTenant(tenantId), tenantId, playerId);
  const own = new Set([playerId, ...merged]);
  const reason = roster
    ? 'matchPlayerId belongs to another player.'
    : 'playerId is not the player of the bearer token.';
  return existing.filter((event) => {
    if (own.has(playerOf(event))) return true;
    refused.push(refuse(event, 403, reason));
    return false;
  });
}

/** Sorts by the deduplication key and drops duplicates, keeping the first. */
async function sortAndDeduplicate(batch: EventBatch, rows: IndexedRow[]): Promise<IndexedRow[]> {
  // The usual case: clients send events in the order in which they occurred.
  if (rows.every((row, position) => position === 0 || comparePositions(rows[position - 1]!, row) < 0))
    return rows;
  const sorted = await sortInSlices(
    batch.billing.tenantId,
    rows,
    (a, b) => comparePositions(a, b) || a.index - b.index,
  );
  const unique = withoutRepeats(sorted);
  batch.duplicateCount += rows.length - unique.length;
  return unique;
}

const UNKNOWN_ID =
  'eventDefinitionId was not found. The definition was found by eventKey and eventValue instead.';

async function store(writer: EventWriter, batch: EventBatch, rows: IndexedRow[]): Promise<void> {
  const { scope, billing } = batch;
  const inserted = await writer.write(scope, rows, billing);
  await forEachInSlices(billing.tenantId, rows, EVENTS_PER_SLICE, (row) => {
    if (inserted === 'all' || inserted.has(row.id)) {
      batch.records.push(toRecord(row));
      if (row.hasUnknownId) batch.warnings.push({ index: row.index, message: UNKNOWN_ID });
    } else batch.duplicateCount++;
  });
  batch.records.sort((a, b) => a.index - b.index);
}

function toRecord({ index, id, definitionId, actorId, matchSessionId }: IndexedRow): EventRecord {
  return matchSessionId === null
    ? { index, eventRecordId: id, eventDefinitionId: definitionId, playerId: actorId }
    : { index, eventRecordId: id, eventDefinitionId: definitionId, matchPlayerId: actorId, matchSessionId };
}
