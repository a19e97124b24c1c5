import { Type } from 'typebox';
import { MAX_EVENTS_PER_REQUEST } from '../../../../core/callers.ts';
import { Guid, Int64, Nullable, ProblemDocument, StoredGuid, Timestamp } from '../../../../http/schemas.ts';

const eventFields = {
  loginSessionId: Type.Optional(Nullable(Guid)),
  eventDefinitionId: Type.Optional(Nullable(Guid)),
  eventKey: Type.Optional(
    Nullable(Type.String({ maxLength: 32, description: 'Required if `eventDefinitionId` is absent.' })),
  ),
  eventValue: Type.Optional(
    Nullable(Type.String({ maxLength: 32, description: 'Used together with `eventKey`.' })),
  ),
  idempotencyKey: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Unique together with `occurredAt`. An event that is sent again is stored only once.',
  }),
  value: Type.Optional(Int64),
  occurredAt: Timestamp,
};

const MatchEvent = Type.Object(
  { matchSessionId: Guid, matchPlayerId: Guid, ...eventFields },
  { title: 'MatchEvent' },
);
const PlayerEvent = Type.Object({ playerId: Guid, ...eventFields }, { title: 'PlayerEvent' });

/**
 * The batch schemas document the request only. routes.ts validates the envelope, and checkEvent each event, so
 * that one invalid event does not fail the whole batch.
 */
export const MatchEventBatchRequest = batchOf(MatchEvent, 'MatchEventBatchRequest');
export const PlayerEventBatchRequest = batchOf(PlayerEvent, 'PlayerEventBatchRequest');

/** One schema with two types, because generators of clients for C# take `anyOf` for an object with unknown members. */
function batchOf(event: typeof MatchEvent | typeof PlayerEvent, title: string) {
  const events = { type: 'array', items: event, minItems: 1, maxItems: MAX_EVENTS_PER_REQUEST };
  return Type.Unsafe<unknown>({
    ...events,
    type: ['object', 'array'],
    title,
    description: 'The events, or an object with the member `events`.',
    properties: { events },
    required: ['events'],
  });
}

const resultFields = {
  records: Type.Array(
    Type.Object(
      {
        index: Type.Integer({ description: 'The position of the event in the request, from 0.' }),
        eventRecordId: StoredGuid,
        eventDefinitionId: StoredGuid,
        matchPlayerId: Type.Optional(StoredGuid),
        matchSessionId: Type.Optional(StoredGuid),
        playerId: Type.Optional(StoredGuid),
      },
      { title: 'RecordedEvent' },
    ),
    { description: 'The events that this request stored. They are already on disk.' },
  ),
  warnings: Type.Array(
    Type.Object({ index: Type.Integer(), message: Type.String() }, { title: 'EventWarning' }),
    {
      description:
        'Events that were not stored exactly as sent. Their definition was found by key and value instead of by ID, or they ' +
        'have unknown members. Each unknown member name has one warning.',
    },
  ),
  errors: Type.Array(
    Type.Object(
      {
        index: Type.Integer(),
        statusCode: Type.Integer({ description: '400, 403, 404, 409 or 422.' }),
        error: Type.String(),
        eventDefinitionId: Type.Optional(Type.String()),
        eventKey: Type.Optional(Type.String()),
        eventValue: Type.Optional(Type.String()),
      },
      { title: 'EventError' },
    ),
    { description: 'The events that were rejected, each with a reason.' },
  ),
  duplicateCount: Type.Integer({
    description: 'Number of events that were already stored or occur more than once in the batch.',
  }),
};

export const EventBatchResult = Type.Object(resultFields, { title: 'EventBatchResult' });

const { ban: _ban, quota: _quota, ...problemMembers } = ProblemDocument.properties;

/** The result of a batch that added no event, as a problem document. */
export const RejectedBatch = {
  description: 'No event was stored.',
  content: {
    'application/problem+json': {
      schema: Type.Object({ ...problemMembers, ...resultFields }, { title: 'RejectedEventBatch' }),
    },
  },
};
