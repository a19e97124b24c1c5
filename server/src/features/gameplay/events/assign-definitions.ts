import { forEachInSlices } from '../../../core/event-loop.ts';
import { newBulkId } from '../../../core/ids.ts';
import {
  MAX_DEFINITIONS_FOR_AUTO_CREATE,
  pairKey,
  type Definition,
  type DefinitionPair,
  type DefinitionResolver,
  type TenantDefinitions,
} from '../event-definitions/index.ts';
import { admitEvents, type QuotaServices } from './admit-events.ts';
import type { CheckedEvent } from './check-event.ts';
import type { EventRow, EventScope } from './event-row.ts';
import { refuse, type EventBatch, type RefusedEvent } from './ingest-result.ts';
import { withoutStored } from './queries.ts';

/** A row with the position of its event in the request. */
export interface IndexedRow extends EventRow {
  index: number;
  /** Whether the `eventDefinitionId` of the event is unknown, so that its definition was found by key and value. */
  hasUnknownId: boolean;
}

/** Events for which a shorter step runs at once. It takes up to 0.5 ms. */
export const EVENTS_PER_SLICE = 500;

/** The definitions of a batch by ID and by {@link pairKey}, and those that were created for it. */
interface BatchDefinitions extends Readonly<TenantDefinitions> {
  created: ReadonlyMap<string, Definition>;
}

/** An event without a usable definition. */
interface UndefinedEvent {
  event: CheckedEvent;
  refused: RefusedEvent;
}

/**
 * Finds or creates the definition of each event, and returns the rows to store. Events without a usable definition are reported.
 * docs/events.md#definitions lists the rules.
 */
export async function assignDefinitions(
  services: QuotaServices & { definitions: DefinitionResolver },
  batch: EventBatch,
  events: CheckedEvent[],
): Promise<IndexedRow[]> {
  const { definitions } = services;
  const { scope, billing } = batch;
  const { tenantId } = billing;
  const { byId, byPair } = await definitions.resolve(tenantId, await collectWanted(tenantId, events));
  const known: BatchDefinitions = { byId, byPair, created: new Map() };
  const autoCreate =
    (await collectUnknown(tenantId, known, events)).length > 0 &&
    (await definitions.isAutoCreateOn(tenantId));
  let distinct = events;
  if (autoCreate) {
    distinct = await withoutDuplicates(services, batch, known, events);
    batch.duplicateCount += events.length - distinct.length;
    // A batch above the hard stop creates no definitions.
    if (billing.hasHardStop) {
      const storable = distinct.filter((event) => isStorable(known, scope, event));
      await admitEvents(services, batch, storable);
    }
    const unknown = await collectUnknown(tenantId, known, distinct);
    if (unknown.length > 0) known.created = await definitions.autoCreate(tenantId, scope, unknown);
  }
  const { rows, others } = await toRows(batch, known, autoCreate, distinct);
  if (others.length > 0) await refuseUnstored(services, batch, others);
  return rows;
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

/** By ID first. If the ID is unknown or absent, by key and value. */
function findDefinition(
  { byId, byPair, created }: BatchDefinitions,
  { eventDefinitionId, eventKey, eventValue }: CheckedEvent,
): Definition | undefined {
  const found = eventDefinitionId === null ? undefined : byId.get(eventDefinitionId);
  if (found || eventKey === null) return found;
  const pair = pairKey({ eventKey, eventValue });
  return byPair.get(pair) ?? created.get(pair);
}

/** Returns the pairs of events that have no definition. */
async function collectUnknown(
  tenantId: string,
  known: BatchDefinitions,
  events: CheckedEvent[],
): Promise<DefinitionPair[]> {
  const unknown = new Map<string, DefinitionPair>();
  await forEachInSlices(tenantId, events, EVENTS_PER_SLICE, (event) => {
    const { eventKey, eventValue } = event;
    if (eventKey === null || findDefinition(known, event)) return;
    const pair = { eventKey, eventValue };
    unknown.set(pairKey(pair), pair);
  });
  return [...unknown.values()];
}

/** Whether an event is stored if auto-create is on, unless it is stored already. */
function isStorable(known: BatchDefinitions, scope: EventScope, event: CheckedEvent): boolean {
  const definition = findDefinition(known, event);
  return definition ? isUsable(definition, scope) : event.eventKey !== null;
}

/**
 * Leaves out the events that are in the batch a second time, and the stored ones among those without a definition. They would create
 * definitions that no event has.
 */
async function withoutDuplicates(
  { database }: QuotaServices,
  { scope, billing }: EventBatch,
  known: BatchDefinitions,
  events: CheckedEvent[],
): Promise<CheckedEvent[]> {
  const { tenantId } = billing;
  const defined: CheckedEvent[] = [];
  const others: CheckedEvent[] = [];
  await forEachInSlices(tenantId, events, EVENTS_PER_SLICE, (event) => {
    (findDefinition(known, event) ? defined : others).push(event);
  });
  const keys = new Set<string>();
  const distinct: CheckedEvent[] = [];
  const unknown: CheckedEvent[] = [];
  // Those without a definition are refused if it cannot be created, so they come last.
  await forEachInSlices(tenantId, [...defined, ...others], EVENTS_PER_SLICE, (event) => {
    if (isStorable(known, scope, event)) {
      const key = `${event.occurredAt} ${event.idempotencyKey}`;
      if (keys.has(key)) return;
      keys.add(key);
      if (!findDefinition(known, event)) unknown.push(event);
    }
    distinct.push(event);
  });
  const missing = new Set(await withoutStored(database.forTenant(tenantId), tenantId, scope, unknown));
  const stored = new Set(unknown.filter((event) => !missing.has(event)));
  return distinct.filter((event) => !stored.has(event));
}

/** Makes the rows of events whose definition is usable, and says why the others are refused. */
async function toRows(
  { scope, billing }: EventBatch,
  known: BatchDefinitions,
  autoCreate: boolean,
  events: CheckedEvent[],
): Promise<{ rows: IndexedRow[]; others: UndefinedEvent[] }> {
  const rows: IndexedRow[] = [];
  const others: UndefinedEvent[] = [];
  await forEachInSlices(billing.tenantId, events, EVENTS_PER_SLICE, (event) => {
    const definition = findDefinition(known, event);
    if (!definition) others.push({ event, refused: withoutDefinition(event, autoCreate) });
    else if (!isUsable(definition, scope)) {
      const error = definition.isActive
        ? `The event definition is for ${definition.eventScope} events. Change its scope to both, or use another definition.`
        : 'The event definition is inactive. Activate it, or use another definition.';
      others.push({ event, refused: refuse(event, 409, error, OF_DEFINITION) });
    } else rows.push(toRow(event, definition.id));
  });
  return { rows, others };
}

/** Refuses events without a usable definition. If one was stored before its definition changed, it counts as a duplicate. */
async function refuseUnstored(
  { database }: QuotaServices,
  batch: EventBatch,
  undefinedEvents: UndefinedEvent[],
): Promise<void> {
  const { scope, billing } = batch;
  const { tenantId } = billing;
  const events = undefinedEvents.map(({ event }) => event);
  const missing = new Set(await withoutStored(database.forTenant(tenantId), tenantId, scope, events));
  for (const { event, refused } of undefinedEvents)
    if (missing.has(event)) batch.refused.push(refused);
    else batch.duplicateCount++;
}

const OF_DEFINITION = { isOfDefinition: true };

function withoutDefinition(event: CheckedEvent, autoCreate: boolean): RefusedEvent {
  if (event.eventKey === null) return refuse(event, 404, 'No event definition has this ID.', OF_DEFINITION);
  const reason = autoCreate
    ? `auto-create stops at ${MAX_DEFINITIONS_FOR_AUTO_CREATE} definitions per tenant. Create the definition first.`
    : 'auto-create is off. Correct the key, create the definition, or turn auto-create on.';
  const error = `No event definition has this key and value, and ${reason}`;
  return refuse(event, 422, error, OF_DEFINITION);
}

const isUsable = ({ isActive, eventScope }: Definition, scope: EventScope): boolean =>
  isActive && (eventScope === scope || eventScope === 'both');

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
