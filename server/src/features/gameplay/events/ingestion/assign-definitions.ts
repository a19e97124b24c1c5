import { forEachInSlices } from '../../../../core/concurrency/event-loop.ts';
import { newBulkId } from '../../../../core/ids.ts';
import {
  MAX_DEFINITIONS_FOR_AUTO_CREATE,
  pairKey,
  type Definition,
  type DefinitionPair,
  type DefinitionResolver,
  type TenantDefinitions,
} from '../../event-definitions/index.ts';
import { admitEvents, type QuotaServices } from './admit-events.ts';
import type { CheckedEvent } from './check-event.ts';
import type { EventPosition } from '../event-position.ts';
import type { EventRow, EventScope } from '../event-row.ts';
import { refuse, type EventBatch } from './ingest-result.ts';
import { withoutStored } from './queries.ts';

/** A row with the position of its event in the request. */
export interface IndexedRow extends EventRow {
  index: number;
  /** Whether the `eventDefinitionId` of the event is unknown, so that its definition was found by key and value. */
  hasUnknownId: boolean;
}

/** Events for which a shorter step runs at once. It takes up to 0.5 ms. */
export const EVENTS_PER_SLICE = 500;

/** An event without a usable definition, and the error for it. */
interface UnusableEvent {
  event: CheckedEvent;
  statusCode: number;
  error: string;
}

/** The rows of events with a usable definition, and the other events. */
interface SortedEvents {
  rows: IndexedRow[];
  unusable: UnusableEvent[];
}

interface DefinitionServices extends QuotaServices {
  definitions: DefinitionResolver;
}

/**
 * Finds or creates the definition of each event, and returns the rows to store. Events without a usable definition are reported.
 * docs/events.md#know-which-definition-an-event-uses lists the rules.
 */
export async function assignDefinitions(
  services: DefinitionServices,
  batch: EventBatch,
  events: CheckedEvent[],
): Promise<IndexedRow[]> {
  const { definitions } = services;
  const { tenantId } = batch.billing;
  const sorted: SortedEvents = { rows: [], unusable: [] };
  const known = await definitions.resolve(tenantId, await collectWanted(tenantId, events));
  let unknown = await sortByDefinition(batch, known, events, sorted);
  const autoCreate = unknown.length > 0 && (await definitions.isAutoCreateOn(tenantId));
  if (autoCreate) unknown = await createDefinitions(services, batch, known, unknown, sorted);
  const reason = autoCreate ? TOO_MANY_DEFINITIONS : AUTO_CREATE_IS_OFF;
  const error = `No event definition has this key and value, and ${reason}`;
  for (const event of unknown) sorted.unusable.push({ event, statusCode: 422, error });
  if (sorted.unusable.length > 0) await refuseUnstored(services, batch, sorted.unusable);
  return sorted.rows;
}

/**
 * Creates the definitions of unknown events, and adds these events to `sorted`. Returns those that stay unknown, because the tenant has
 * reached its limit.
 */
async function createDefinitions(
  services: DefinitionServices,
  batch: EventBatch,
  { byId }: Readonly<TenantDefinitions>,
  unknown: CheckedEvent[],
  sorted: SortedEvents,
): Promise<CheckedEvent[]> {
  const { scope, billing } = batch;
  const { tenantId } = billing;
  const fresh = await admitUnknown(services, batch, sorted.rows, unknown);
  const { pairs } = await collectWanted(tenantId, fresh);
  const byPair = await services.definitions.autoCreate(tenantId, scope, pairs);
  return sortByDefinition(batch, { byId, byPair }, fresh, sorted);
}

async function collectWanted(
  tenantId: string,
  events: CheckedEvent[],
): Promise<{ ids: string[]; pairs: DefinitionPair[] }> {
  const ids = new Set<string>();
  const pairs = new Map<string, DefinitionPair>();
  await forEachInSlices(tenantId, events, EVENTS_PER_SLICE, ({ eventDefinitionId, eventKey, eventValue }) => {
    if (eventDefinitionId !== null) ids.add(eventDefinitionId);
    if (eventKey === null) return;
    const pair = { eventKey, eventValue };
    pairs.set(pairKey(pair), pair);
  });
  return { ids: [...ids], pairs: [...pairs.values()] };
}

/** Adds events to `sorted`. Returns those whose key and value no definition has: auto-create may create one. */
async function sortByDefinition(
  { scope, billing }: EventBatch,
  known: Readonly<TenantDefinitions>,
  events: CheckedEvent[],
  { rows, unusable }: SortedEvents,
): Promise<CheckedEvent[]> {
  const unknown: CheckedEvent[] = [];
  await forEachInSlices(billing.tenantId, events, EVENTS_PER_SLICE, (event) => {
    const definition = findDefinition(known, event);
    if (definition) {
      const fault = faultOf(definition, scope);
      if (fault) unusable.push({ event, statusCode: 409, error: fault });
      else rows.push(toRow(event, definition.id));
    } else if (event.eventKey !== null) unknown.push(event);
    else unusable.push({ event, statusCode: 404, error: 'No event definition has this ID.' });
  });
  return unknown;
}

/** By ID first. If the ID is unknown or absent, by key and value. */
function findDefinition(
  { byId, byPair }: Readonly<TenantDefinitions>,
  { eventDefinitionId, eventKey, eventValue }: CheckedEvent,
): Definition | undefined {
  const found = eventDefinitionId === null ? undefined : byId.get(eventDefinitionId);
  if (found || eventKey === null) return found;
  return byPair.get(pairKey({ eventKey, eventValue }));
}

/** Says why events of a scope cannot have a definition, if so. */
function faultOf({ isActive, eventScope }: Definition, scope: EventScope): string | undefined {
  if (!isActive) return 'The event definition is inactive. Activate it, or use another definition.';
  if (eventScope === scope || eventScope === 'both') return undefined;
  return `The event definition is for ${eventScope} events. Change its scope to both, or use another definition.`;
}

/**
 * Leaves out the events that the batch or the database has already, because they would create definitions that no event has. Throws
 * `quota_exceeded` if the batch exceeds the hard stop, before a definition is created.
 */
async function admitUnknown(
  services: QuotaServices,
  batch: EventBatch,
  rows: IndexedRow[],
  unknown: CheckedEvent[],
): Promise<CheckedEvent[]> {
  const { scope, billing } = batch;
  const { tenantId } = billing;
  const positions = new Map<string, EventPosition>();
  await forEachInSlices(tenantId, rows, EVENTS_PER_SLICE, (row) => {
    positions.set(textOf(row), row);
  });
  const distinct: CheckedEvent[] = [];
  await forEachInSlices(tenantId, unknown, EVENTS_PER_SLICE, (event) => {
    const text = textOf(event);
    if (positions.has(text)) return;
    positions.set(text, event);
    distinct.push(event);
  });
  const fresh = await withoutStored(services.database.forTenant(tenantId), tenantId, scope, distinct);
  batch.duplicateCount += unknown.length - fresh.length;
  await admitEvents(services, batch, [...positions.values()]);
  return fresh;
}

const textOf = ({ occurredAt, idempotencyKey }: EventPosition): string => `${occurredAt} ${idempotencyKey}`;

/** Refuses events without a usable definition. If one was stored before its definition changed, it counts as a duplicate. */
async function refuseUnstored(
  { database }: QuotaServices,
  batch: EventBatch,
  unusable: UnusableEvent[],
): Promise<void> {
  const { scope, billing } = batch;
  const { tenantId } = billing;
  const events = unusable.map(({ event }) => event);
  const missing = new Set(await withoutStored(database.forTenant(tenantId), tenantId, scope, events));
  await forEachInSlices(tenantId, unusable, EVENTS_PER_SLICE, ({ event, statusCode, error }) => {
    if (missing.has(event)) batch.refused.push(refuse(event, statusCode, error, { isOfDefinition: true }));
    else batch.duplicateCount++;
  });
}

const TOO_MANY_DEFINITIONS = `auto-create stops at ${MAX_DEFINITIONS_FOR_AUTO_CREATE} definitions per tenant. Create the definition first.`;
const AUTO_CREATE_IS_OFF =
  'auto-create is off. Correct the key, create the definition, or turn auto-create on.';

function toRow(event: CheckedEvent, definitionId: string): IndexedRow {
  const { index, actorId, matchSessionId, loginSessionId, idempotencyKey, value, occurredAt } = event;
  return {
    index,
    hasUnknownId: event.eventDefinitionId !== null && event.eventDefinitionId !== definitionId,
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
