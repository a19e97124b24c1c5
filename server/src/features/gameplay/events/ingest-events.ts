import { Counter } from 'prom-client';
import type { Database } from '../../../database/database.ts';
import {
  MAX_DEFINITIONS_FOR_AUTO_CREATE,
  pairKey,
  type Definition,
  type DefinitionPair,
  type DefinitionResolver,
} from '../event-definitions/index.ts';
import type { BillingContext } from '../../../core/billing-context.ts';
import { forEachInSlices, sortInSlices } from '../../../core/event-loop.ts';
import { newBulkId } from '../../../core/ids.ts';
import { quotaExceeded, type Quota } from '../../../core/quota.ts';
import { checkEvent, latestOccurrence, type CheckedEvent } from './check-event.ts';
import { compareRows, EVENT_SCOPES, type EventRow, type EventScope } from './event-row.ts';
import type { EventWriter } from './event-writer.ts';
import type { EventPosition } from './event-position.ts';
import { findStored } from './queries.ts';
import type { Rosters } from './roster.ts';
import { findUnknownMembers, type EventWarning } from './unknown-members.ts';

export interface IngestServices {
  database: Database;
  /** Returns the used units and the limit of a plan with a hard stop, or undefined for other plans. */
  quotas: { quota(workspaceId: string): Promise<Quota | undefined> };
  writer: EventWriter;
  rosters: Rosters;
  definitions: DefinitionResolver;
}

/** The player who sends a batch, and the key it is billed to. */
export interface Sender {
  billing: BillingContext;
  playerId: string;
}

/** The result of a batch. docs/events.md describes each list. */
export interface IngestResult {
  records: EventRecord[];
  warnings: EventWarning[];
  errors: EventError[];
  /** Events that were already stored or occur more than once in the batch. */
  duplicateCount: number;
}

export interface EventRecord {
  index: number;
  eventRecordId: string;
  eventDefinitionId: string;
  matchSessionId?: string;
  matchPlayerId?: string;
  playerId?: string;
}

export interface EventError {
  index: number;
  statusCode: number;
  error: string;
  eventDefinitionId?: string;
  eventKey?: string;
  eventValue?: string;
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
  sender: Sender,
  batch: unknown[],
): Promise<IngestResult> {
  const warnings = findUnknownMembers(scope, batch);
  const result: IngestResult = { records: [], warnings, errors: [], duplicateCount: 0 };
  // splice empties the array, so that unknown members are not kept in memory while the batch waits for the database.
  const valid = await checkFields(scope, batch.splice(0), result);
  const authorized = await checkActors(services.rosters, scope, sender, valid, result);
  const rows = await resolveDefinitions(services, scope, sender.billing, authorized, result);
  const unique = await sortAndDeduplicate(rows, result);
  const admitted = await takeNewEvents(services, scope, sender.billing, unique);
  result.duplicateCount += unique.length - admitted.length;
  if (admitted.length > 0) await store(services.writer, scope, sender.billing, admitted, result);
  events.inc({ scope, result: 'stored' }, result.records.length);
  events.inc({ scope, result: 'duplicate' }, result.duplicateCount);
  events.inc({ scope, result: 'rejected' }, result.errors.length);
  result.errors.sort((a, b) => a.index - b.index);
  result.warnings.sort((a, b) => a.index - b.index);
  return result;
}

/** A row with the position of its event in the request. */
interface IndexedRow extends EventRow {
  index: number;
}

/** Events that are checked at once. They take 0.5 ms, or 3 ms if every key needs full normalisation. */
const CHECKED_PER_SLICE = 50;
/** Events for which a shorter step runs at once. It takes up to 0.5 ms. */
const EVENTS_PER_SLICE = 500;

async function checkFields(
  scope: EventScope,
  batch: unknown[],
  result: IngestResult,
): Promise<CheckedEvent[]> {
  const valid: CheckedEvent[] = [];
  const latest = latestOccurrence();
  let index = 0;
  await forEachInSlices(batch, CHECKED_PER_SLICE, (event) => {
    const checked = checkEvent(scope, event, index, latest);
    if (typeof checked === 'string') result.errors.push({ index, statusCode: 400, error: checked });
    else valid.push(checked);
    index++;
  });
  return valid;
}

/** Rejects events of other players: the bearer must own the player event, or the roster entry of the match event. */
async function checkActors(
  rosters: Rosters,
  scope: EventScope,
  { billing, playerId }: Sender,
  events: CheckedEvent[],
  result: IngestResult,
): Promise<CheckedEvent[]> {
  if (scope === 'player') {
    return events.filter((event) => {
      if (event.actorId === playerId) return true;
      result.errors.push(refusal(event, 403, 'playerId is not the player of the bearer token.'));
      return false;
    });
  }
  const roster = await rosters.find(billing.tenantId, new Set(events.map((event) => event.actorId)));
  return events.filter((event) => {
    const entry = roster.get(event.actorId);
    if (entry?.matchSessionId !== event.matchSessionId) {
      result.errors.push(
        refusal(event, 404, 'The match session does not exist or does not have this match player.'),
      );
      return false;
    }
    if (entry.playerId === playerId) return true;
    result.errors.push(refusal(event, 403, 'matchPlayerId belongs to another player.'));
    return false;
  });
}

/** Finds the definition of each event. docs/events.md#definitions lists the rules. */
async function resolveDefinitions(
  services: IngestServices,
  scope: EventScope,
  billing: BillingContext,
  events: CheckedEvent[],
  result: IngestResult,
): Promise<IndexedRow[]> {
  const { definitions } = services;
  const { tenantId } = billing;
  const ids = new Set<string>();
  const pairs = new Map<string, DefinitionPair>();
  await forEachInSlices(events, EVENTS_PER_SLICE, ({ eventDefinitionId, eventKey, eventValue }) => {
    if (eventDefinitionId !== null) ids.add(eventDefinitionId);
    if (eventKey !== null) pairs.set(pairKey(eventKey, eventValue), { eventKey, eventValue });
  });
  const wanted = { ids: [...ids], pairs: [...pairs.values()] };
  const { byId, byPair } = await definitions.resolve(tenantId, wanted);

  let created = new Map<string, Definition>();
  // By ID first. If the ID is unknown or absent, by key and value.
  const find = ({ eventDefinitionId, eventKey, eventValue }: CheckedEvent): Definition | undefined => {
    const found = eventDefinitionId === null ? undefined : byId.get(eventDefinitionId);
    if (found || eventKey === null) return found;
    const pair = pairKey(eventKey, eventValue);
    return byPair.get(pair) ?? created.get(pair);
  };

  const unknown = new Map<string, DefinitionPair>();
  await forEachInSlices(events, EVENTS_PER_SLICE, (event) => {
    const { eventKey, eventValue } = event;
    if (eventKey !== null && !find(event))
      unknown.set(pairKey(eventKey, eventValue), { eventKey, eventValue });
  });
  const autoCreate = unknown.size > 0 && (await definitions.isAutoCreateOn(tenantId));
  if (autoCreate && billing.hasHardStop) {
    // A batch above the hard stop creates no definitions. Its repeated events cost nothing.
    const charged = new Map<string, CheckedEvent>();
    await forEachInSlices(events, EVENTS_PER_SLICE, (event) => {
      const definition = find(event);
      const isStorable = definition ? isUsable(definition, scope) : event.eventKey !== null;
      if (isStorable) charged.set(`${event.occurredAt} ${event.idempotencyKey}`, event);
    });
    await takeNewEvents(services, scope, billing, [...charged.values()]);
  }
  if (autoCreate) created = await definitions.autoCreate(tenantId, scope, [...unknown.values()]);
  const reason = autoCreate
    ? `auto-create stops at ${MAX_DEFINITIONS_FOR_AUTO_CREATE} definitions per tenant. Create the definition first`
    : 'auto-create is off';

  const rows: IndexedRow[] = [];
  await forEachInSlices(events, EVENTS_PER_SLICE, (event) => {
    const definition = find(event);
    if (!definition) {
      result.errors.push(
        event.eventKey === null
          ? refusal(event, 404, 'No event definition has this ID.')
          : refusal(event, 422, `No event definition has this key and value, and ${reason}.`),
      );
    } else if (!isUsable(definition, scope)) {
      const state = definition.isActive ? `for ${definition.eventScope} events` : 'inactive';
      result.errors.push(refusal(event, 409, `The event definition is ${state}.`));
    } else {
      if (event.eventDefinitionId !== null && event.eventDefinitionId !== definition.id) {
        const message =
          'eventDefinitionId was not found. The definition was found by eventKey and eventValue instead.';
        result.warnings.push({ index: event.index, message });
      }
      rows.push(toRow(event, definition.id));
    }
  });
  return rows;
}

const isUsable = ({ isActive, eventScope }: Definition, scope: EventScope): boolean =>
  isActive && (eventScope === scope || eventScope === 'both');

function toRow(event: CheckedEvent, definitionId: string): IndexedRow {
  const { index, actorId, matchSessionId, loginSessionId, idempotencyKey, value, occurredAt } = event;
  return {
    index,
    id: newBulkId(),
    actorId,
    matchSessionId,
    loginSessionId,
    definitionId,
    idempotencyKey,
    value,
    occurredAt,
  };
}

/**
 * Sorts by the deduplication key and drops duplicates, keeping the first.
 */
async function sortAndDeduplicate(rows: IndexedRow[], result: IngestResult): Promise<IndexedRow[]> {
  // The usual case: clients send events in the order in which they occurred.
  if (rows.every((row, position) => position === 0 || compareRows(rows[position - 1]!, row) < 0)) return rows;
  const sorted = await sortInSlices(rows, (a, b) => compareRows(a, b) || a.index - b.index);
  const unique = sorted.filter(
    (row, position) => position === 0 || compareRows(sorted[position - 1]!, row) !== 0,
  );
  result.duplicateCount += rows.length - unique.length;
  return unique;
}

/**
 * Rejects events that exceed the hard stop before anything is written. Events that are already stored cost nothing and are left
 * out. The transaction that charges checks the quota again, because other requests may use it in the meantime.
 */
async function takeNewEvents<Event extends EventPosition>(
  { database, quotas }: IngestServices,
  scope: EventScope,
  { tenantId, workspaceId, hasHardStop }: BillingContext,
  events: Event[],
): Promise<Event[]> {
  const quota = hasHardStop && events.length > 0 ? await quotas.quota(workspaceId) : undefined;
  if (!quota || quota.used + events.length <= quota.limit) return events;
  const stored = new Set(await findStored(database.forTenant(tenantId), tenantId, scope, events));
  const fresh = events.filter((_, position) => !stored.has(position));
  if (fresh.length > 0 && quota.used + fresh.length > quota.limit) throw quotaExceeded(quota);
  return fresh;
}

async function store(
  writer: EventWriter,
  scope: EventScope,
  billing: BillingContext,
  rows: IndexedRow[],
  result: IngestResult,
): Promise<void> {
  const inserted = await writer.write(scope, rows, billing);
  await forEachInSlices(rows, EVENTS_PER_SLICE, (row) => {
    if (inserted === 'all' || inserted.has(row.id)) result.records.push(toRecord(row));
    else result.duplicateCount++;
  });
  result.records.sort((a, b) => a.index - b.index);
}

function toRecord({ index, id, definitionId, actorId, matchSessionId }: IndexedRow): EventRecord {
  return matchSessionId === null
    ? { index, eventRecordId: id, eventDefinitionId: definitionId, playerId: actorId }
    : { index, eventRecordId: id, eventDefinitionId: definitionId, matchPlayerId: actorId, matchSessionId };
}

function refusal(
  { index, eventDefinitionId, eventKey, eventValue }: CheckedEvent,
  statusCode: number,
  error: string,
): EventError {
  return {
    index,
    statusCode,
    error,
    ...(eventDefinitionId !== null && { eventDefinitionId }),
    ...(eventKey !== null && { eventKey }),
    ...(eventValue !== null && { eventValue }),
  };
}
