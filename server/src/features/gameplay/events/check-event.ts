import { codePoints, isStorable, normaliseKey } from '../../../core/text.ts';
import { isGuid } from '../../../core/ids.ts';
import { int64Digits } from '../../../core/int64.ts';
import { secondsFromNow, toMicroseconds } from '../../../core/timestamps.ts';
import type { EventScope } from './event-scope.ts';

/** An event whose fields are in order, in the spelling that is stored. */
export interface CheckedEvent {
  /** Its place in the request. */
  index: number;
  /** The match session; null for a player event. */
  matchSessionId: string | null;
  /** The match player of a match event, the player of a player event. */
  actorId: string;
  loginSessionId: string | null;
  eventDefinitionId: string | null;
  eventKey: string | null;
  eventValue: string | null;
  idempotencyKey: string;
  /** A signed 64-bit integer, as its decimal digits. */
  value: string | null;
  /** In UTC with six fractional digits. */
  occurredAt: string;
}

const EARLIEST = '1970-01-01T00:00:00.000000Z';
const HOURS_AHEAD = 48;

/** The latest `occurredAt` that is accepted now. */
export function latestOccurrence(): string {
  return toMicroseconds(secondsFromNow(HOURS_AHEAD * 3600))!;
}

const LONGEST_KEY = 32;
const LONGEST_IDEMPOTENCY_KEY = 64;

/**
 * Checks one event of a batch. Returns it in stored form, or a sentence that says what is wrong with it. Written by hand
 * rather than compiled from a schema: it runs 100,000 times a second, and normalises while it checks.
 */
export function checkEvent(
  scope: EventScope,
  raw: unknown,
  index: number,
  latest: string,
): CheckedEvent | string {
  if (raw === null || typeof raw !== 'object' || Array.isArray(raw)) return 'An event must be an object.';
  const event = raw as Record<string, unknown>;

  const actorField = scope === 'match' ? 'matchPlayerId' : 'playerId';
  const actorId = toGuid(event[actorField]);
  if (actorId === undefined) return `${actorField} must be a UUID.`;
  let matchSessionId: string | null = null;
  if (scope === 'match') {
    const id = toGuid(event['matchSessionId']);
    if (id === undefined) return 'matchSessionId must be a UUID.';
    matchSessionId = id;
  }
  const loginSessionId = toOptionalGuid(event['loginSessionId']);
  if (loginSessionId === undefined) return 'loginSessionId must be a UUID.';
  const eventDefinitionId = toOptionalGuid(event['eventDefinitionId']);
  if (eventDefinitionId === undefined) return 'eventDefinitionId must be a UUID.';

  const eventKey = toKey(event['eventKey']);
  if (eventKey === undefined) return `eventKey must be a text of at most ${LONGEST_KEY} characters.`;
  if (eventKey === null && eventDefinitionId === null)
    return 'One of eventDefinitionId and eventKey is needed.';
  const eventValue = toKey(event['eventValue']);
  if (eventValue === undefined) return `eventValue must be a text of at most ${LONGEST_KEY} characters.`;

  const { idempotencyKey: sentKey } = event;
  if (typeof sentKey !== 'string') return 'idempotencyKey must be a text.';
  const idempotencyKey = sentKey.trim();
  if (
    idempotencyKey === '' ||
    idempotencyKey.length > 2 * LONGEST_IDEMPOTENCY_KEY ||
    !isShort(idempotencyKey, LONGEST_IDEMPOTENCY_KEY)
  ) {
    return `idempotencyKey must have 1 to ${LONGEST_IDEMPOTENCY_KEY} characters.`;
  }
  if (!isStorable(idempotencyKey)) return 'idempotencyKey holds a NUL byte or half of a surrogate pair.';

  const value = toInt64(event['value']);
  if (value === undefined)
    return 'value must be a whole number from -9223372036854775808 to 9223372036854775807.';
  const { occurredAt: sentAt } = event;
  const occurredAt = typeof sentAt === 'string' ? toMicroseconds(sentAt) : undefined;
  if (occurredAt === undefined) return 'occurredAt must be an ISO 8601 date and time with an offset.';
  if (occurredAt < EARLIEST || occurredAt > latest)
    return `occurredAt must not be before 1970, nor more than ${HOURS_AHEAD} hours ahead of the server's clock.`;

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

function toGuid(value: unknown): string | undefined {
  return typeof value === 'string' && isGuid(value) ? value.toLowerCase() : undefined;
}

/** Null where the field is absent, undefined where it is not a UUID. */
function toOptionalGuid(value: unknown): string | null | undefined {
  return value === undefined || value === null ? null : toGuid(value);
}

/** Null where the field is absent or blank, undefined where it is not a key. */
function toKey(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || value.length > 16 * LONGEST_KEY || !isStorable(value)) return undefined;
  const key = normaliseKey(value);
  if (key === '') return null;
  return isShort(key, LONGEST_KEY) ? key : undefined;
}

function isShort(text: string, longest: number): boolean {
  return text.length <= longest || codePoints(text) <= longest;
}

/** Null where the field is absent, undefined where it is no signed 64-bit integer. */
function toInt64(value: unknown): string | null | undefined {
  return value === undefined || value === null ? null : int64Digits(value);
}
