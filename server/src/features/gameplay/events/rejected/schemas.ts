import { Type } from 'typebox';
import { Guid, Nullable, OneOf, TimeFilter, Timestamp } from '../../../../http/schemas.ts';
import { EVENT_SCOPES } from '../event-row.ts';
import { MAX_LISTED_GROUPS } from './queries.ts';

const RejectedEventGroup = Type.Object(
  {
    id: Type.String({ ...Guid, description: 'The id of the group, which is the same on each day.' }),
    scope: OneOf(EVENT_SCOPES, { title: 'EventScope' }),
    statusCode: Type.Integer({ description: 'The `statusCode` of the events: 400, 403, 404, 409 or 422.' }),
    error: Type.String({ description: 'The `error` of the events: what is wrong, and what to do.' }),
    eventKey: Nullable(
      Type.String({
        description:
          'The key of the events, cut to 32 characters. Null if they have none, or if the tenant had more than 100 groups on a day.',
      }),
    ),
    eventValue: Nullable(
      Type.String({ description: 'The value of the events, if their definition is the reason.' }),
    ),
    eventDefinitionId: Nullable(
      Type.String({
        ...Guid,
        description: 'The id that the events named, if their definition is the reason.',
      }),
    ),
    count: Type.Integer({
      description: 'The number of refused events. Each attempt to send an event counts.',
    }),
    firstSeenAt: Timestamp,
    lastSeenAt: Timestamp,
    lastIdempotencyKey: Nullable(
      Type.String({ description: 'The `idempotencyKey` of the last event, cut to 64 characters.' }),
    ),
    lastKeyId: Type.String({ ...Guid, description: 'The id of the game key that sent the last event.' }),
  },
  { title: 'RejectedEventGroup' },
);

export const RejectedEventsQuery = Type.Object(TimeFilter('groups with events'));

export const RejectedEventList = Type.Object(
  { items: Type.Array(RejectedEventGroup, { maxItems: MAX_LISTED_GROUPS }) },
  { title: 'RejectedEventList' },
);
