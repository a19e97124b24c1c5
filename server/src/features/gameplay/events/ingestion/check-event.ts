import { codePoints, firstCodePoints, isStorable, normaliseKey } from '../../../../core/text.ts';
import { isGuid } from '../../../../core/ids.ts';
import { int64Digits } from '../../../../core/int64.ts';
import { secondsFromNow, TIMESTAMP_FORM, toMicroseconds } from '../../../../core/timestamps.ts';
import { MAX_KEY_LENGTH } from '../../event-definitions/index.ts';
import type { EventRow, EventScope } from '../event-row.ts';

/** A valid event, normalised to the form that is stored. */
export interface CheckedEvent extends Omit<EventRow, 'id' | 'definitionId'> {
  /** The position of the event in the request. */
  index: number;
  eventDefinitionId: string | null;
  eventKey: string | null;
  eventValue: string | null;
}

const EARLIEST_OCCURRENCE = '1970-01-01T00:00:00.000000Z';
const MAX_HOURS_AHEAD = 48;

/** Returns the latest `occurredAt` that is accepted now. */
export function latestOccurrence(): string {
  return toMicroseconds(secondsFromNow(MAX_HOURS_AHEAD * 3600))!;
}

const MAX_IDEMPOTENCY_KEY_LENGTH = 64;

/** The field with the actor of an event, and the endpoint of the events of the other scope. */
const ACTORS = {
  match: { field: 'matchPlayerId', other: { field: 'playerId', endpoint: 'POST /api/game/player-events' } },
  player: { field: 'playerId', other: { field: 'matchPlayerId', endpoint: 'POST /api/game/events' } },
} as const;

/**
 * Checks one event of a batch. Returns the event in its stored form, or an error message. The checks are written by hand
 * because they also normalise the fields, and because this function runs up to 100,000 times per second.
 */
export function checkEvent(
  scope: EventScope,
  raw: unknown,
  index: number,
  latest: string,
): CheckedEvent | string {
  if (raw === null || typeof raw !== 'object' || Array.isArray(raw)) return 'An event must be an object.';
  const event = raw as Record<string, unknown>;

  const actor = ACTORS[scope];
  const actorId = toGuid(event[actor.field]);
  if (actorId === undefined) return actorError(event, actor);
  let matchSessionId: string | null = null;
  if (scope === 'match') {
    const id = toGuid(event['matchSessionId']);
    if (id === undefined)
      return event['matchSessionId'] === undefined
        ? 'matchSessionId is missing.'
        : 'matchSessionId must be a UUID.';
    matchSessionId = id;
  }
  const loginSessionId = toOptionalGuid(event['loginSessionId']);
  if (loginSessionId === undefined) return 'loginSessionId must be a UUID.';
  const eventDefinitionId = toOptionalGuid(event['eventDefinitionId']);
  if (eventDefinitionId === undefined) return 'eventDefinitionId must be a UUID.';

  const eventKey = toKey(event['eventKey']);
  if (eventKey === undefined) return keyError('eventKey', event['eventKey']);
  if (eventKey === null && eventDefinitionId === null) return 'eventDefinitionId or eventKey is required.';
  const eventValue = toKey(event['eventValue']);
  if (eventValue === undefined) return keyError('eventValue', event['eventValue']);

  const { idempotencyKey: sentKey } = event;
  if (sentKey === undefined) return 'idempotencyKey is missing.';
  if (typeof sentKey !== 'string') return 'idempotencyKey must be a string.';
  const idempotencyKey = copyOfPart(sentKey.trim(), sentKey);
  if (
    idempotencyKey === '' ||
    idempotencyKey.length > 2 * MAX_IDEMPOTENCY_KEY_LENGTH ||
    !fits(idempotencyKey, MAX_IDEMPOTENCY_KEY_LENGTH)
  ) {
    return `idempotencyKey must have 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters.`;
  }
  if (!isStorable(idempotencyKey)) return unstorable('idempotencyKey');

  const value = toInt64(event['value']);
  if (value === undefined)
    return 'value must be an integer from -9223372036854775808 to 9223372036854775807.';
  const { occurredAt: sentAt } = event;
  if (sentAt === undefined) return 'occurredAt is missing.';
  const occurredAt = typeof sentAt === 'string' ? toMicroseconds(sentAt) : undefined;
  if (occurredAt === undefined) return `occurredAt must be ${TIMESTAMP_FORM}.`;
  if (occurredAt < EARLIEST_OCCURRENCE || occurredAt > latest)
    return `occurredAt must be between 1970 and ${MAX_HOURS_AHEAD} hours ahead of the server's clock.`;

  return {
    index,
    matchSessionId,
    actorId,
    loginSessionId,
    eventDefinitionId,
    eventKey,
    eventValue,
    idempotencyKey,
    value,
    occurredAt,
  };
}

function actorError(event: Record<string, unknown>, { field, other }: (typeof ACTORS)[EventScope]): string {
  if (event[field] !== undefined) return `${field} must be a UUID.`;
  if (event[other.field] === undefined) return `${field} is missing.`;
  return `${field} is missing. Send events with a ${other.field} to ${other.endpoint}.`;
}

/** The texts that name an event. */
export type EventNames = Pick<CheckedEvent, 'eventKey'> & { idempotencyKey: string | null };

/** Returns the names of an event that {@link checkEvent} refused. Long ones are cut, and those that are no texts are null. */
export function namesOf(raw: unknown): EventNames {
  const event = (raw ?? {}) as Record<string, unknown>;
  return {
    eventKey: toName(event['eventKey'], MAX_KEY_LENGTH),
    idempotencyKey: toName(event['idempotencyKey'], MAX_IDEMPOTENCY_KEY_LENGTH),
  };
}

function toName(value: unknown, maxLength: number): string | null {
  if (typeof value !== 'string') return null;
  const storable = value
    .slice(0, 16 * maxLength)
    .replaceAll('\0', '\ufffd')
    .toWellFormed();
  return copyOfPart(firstCodePoints(normaliseKey(storable), maxLength), value) || null;
}

/**
 * Copies a text if it is a part of another one. A part keeps the whole text in memory, up to 16 MiB. Names of refused events are kept
 * for longer than their request.
 */
function copyOfPart(text: string, whole: string): string {
  return text.length === whole.length ? text : Buffer.from(text).toString();
}

function toGuid(value: unknown): string | undefined {
  return typeof value === 'string' && isGuid(value) ? value.toLowerCase() : undefined;
}

/** Returns null if the field is absent, and undefined if it is not a UUID. */
function toOptionalGuid(value: unknown): string | null | undefined {
  return value === undefined || value === null ? null : toGuid(value);
}

/** Returns null if the field is absent or blank, and undefined if it is not a valid key. */
function toKey(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || value.length > 16 * MAX_KEY_LENGTH || !isStorable(value)) return undefined;
  const key = normaliseKey(value);
  if (key === '') return null;
  return fits(key, MAX_KEY_LENGTH) ? key : undefined;
}

function keyError(field: string, value: unknown): string {
  return typeof value === 'string' && !isStorable(value)
    ? unstorable(field)
    : `${field} must be a string of at most ${MAX_KEY_LENGTH} characters.`;
}

const unstorable = (field: string): string =>
  `${field} must not contain a NUL character or an unpaired surrogate.`;

function fits(text: string, maxLength: number): boolean {
  return text.length <= maxLength || codePoints(text) <= maxLength;
}

/** Returns null if the field is absent, and undefined if it is not a signed 64-bit integer. */
function toInt64(value: unknown): string | null | undefined {
  return value === undefined || value === null ? null : int64Digits(value);
}
