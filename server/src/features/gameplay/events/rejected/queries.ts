import { hash } from 'node:crypto';
import { columnOf } from '../../../../database/column-of.ts';
import type { Querier } from '../../../../database/database.ts';
import { empty, sql } from '../../../../database/sql.ts';
import type { OpenRange } from '../../../../core/time-range.ts';
import type { EventScope } from '../event-row.ts';

/** Refused events with the same reason and names. */
interface Group {
  scope: EventScope;
  statusCode: number;
  /** A text without variable parts. */
  error: string;
  eventKey: string | null;
  eventValue: string | null;
  eventDefinitionId: string | null;
  firstSeenAt: string;
  lastSeenAt: string;
  lastIdempotencyKey: string | null;
  lastKeyId: string;
}

/** A group of a tenant since the last write. */
export interface CollectedGroup extends Group {
  tenantId: string;
  events: number;
}

/** A group of the days that a list is about. */
export interface RejectedGroup extends Group {
  id: string;
  count: number;
}

/** The id of a group, the same on each day and in each process. */
function idOf(...members: (string | number | null)[]): string {
  return hash('sha256', JSON.stringify(members)).slice(0, 32);
}

/**
 * Adds counts to the groups of their days. If a tenant has the most groups of a day, a new group is counted without its names. Requires
 * the platform scope and the lock `rejectedEvents`.
 */
export async function addRejectedEvents(
  db: Querier,
  groups: CollectedGroup[],
  mostNamed: number,
): Promise<void> {
  const column = columnOf(
    groups.map((group) => {
      const { scope, statusCode, error, eventKey, eventValue, eventDefinitionId } = group;
      return {
        ...group,
        id: idOf(scope, statusCode, error, eventKey, eventValue, eventDefinitionId),
        namelessId: idOf(scope, statusCode, error, null, null, null),
      };
    }),
  );
  await db.run(sql`
    INSERT INTO rejected_events AS known (
      tenant_id, day, id, scope, status_code, error, event_key, event_value, event_definition_id, events, first_seen_at, last_seen_at,
      last_idempotency_key, last_key_id)
    SELECT tenant_id, day, CASE WHEN fits THEN id ELSE nameless_id END, scope, status_code, error,
           CASE WHEN fits THEN event_key END, CASE WHEN fits THEN event_value END, CASE WHEN fits THEN event_definition_id END,
           sum(events), min(first_seen_at), max(last_seen_at),
           (array_agg(last_idempotency_key ORDER BY last_seen_at DESC))[1], (array_agg(last_key_id ORDER BY last_seen_at DESC))[1]
    FROM (
      SELECT *, is_known OR id = nameless_id
                OR stored + count(*) FILTER (WHERE NOT is_known) OVER (PARTITION BY tenant_id, day ORDER BY place) <= ${mostNamed} AS fits
      FROM (
        SELECT *, EXISTS (
                 SELECT FROM rejected_events found
                 WHERE found.tenant_id = dated.tenant_id AND found.day = dated.day AND found.id = dated.id OFFSET 0) AS is_known,
               (SELECT count(*) FROM (
                  SELECT FROM rejected_events found
                  WHERE found.tenant_id = dated.tenant_id AND found.day = dated.day LIMIT ${mostNamed}) found) AS stored
        FROM (
          SELECT *, (last_seen_at AT TIME ZONE 'UTC')::date AS day
          FROM unnest(
            ${column('tenantId')}::uuid[], ${column('id')}::uuid[], ${column('namelessId')}::uuid[], ${column('scope')}::text[],
            ${column('statusCode')}::integer[], ${column('error')}::text[], ${column('eventKey')}::text[],
            ${column('eventValue')}::text[], ${column('eventDefinitionId')}::uuid[], ${column('events')}::bigint[],
            ${column('firstSeenAt')}::timestamptz[], ${column('lastSeenAt')}::timestamptz[],
            ${column('lastIdempotencyKey')}::text[], ${column('lastKeyId')}::uuid[]) WITH ORDINALITY
            AS sent (tenant_id, id, nameless_id, scope, status_code, error, event_key, event_value, event_definition_id, events,
                     first_seen_at, last_seen_at, last_idempotency_key, last_key_id, place)) dated) compared) placed
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9
    ON CONFLICT (tenant_id, day, id) DO UPDATE SET
      events = known.events + excluded.events,
      first_seen_at = least(known.first_seen_at, excluded.first_seen_at),
      last_seen_at = greatest(known.last_seen_at, excluded.last_seen_at),
      last_idempotency_key = excluded.last_idempotency_key, last_key_id = excluded.last_key_id`);
}

/**
 * The groups of a list. 8 days have at most 800 with names, and about 60 without. There are more only if the nightly job did not delete
 * old days.
 */
export const MAX_LISTED_GROUPS = 1_000;

/**
 * Lists the groups of a tenant, the last seen first. They have no pages: between two requests, a group that is seen again would move to a
 * page that was read before.
 */
export function listRejectedGroups(
  db: Querier,
  tenantId: string,
  { from, to }: OpenRange,
): Promise<RejectedGroup[]> {
  const since = from === undefined ? empty : sql`AND last_seen_at >= ${from}`;
  const until = to === undefined ? empty : sql`AND first_seen_at < ${to}`;
  return db.rows(sql`
    SELECT id, scope, status_code AS "statusCode", error, event_key AS "eventKey", event_value AS "eventValue",
           event_definition_id AS "eventDefinitionId", sum(events)::bigint AS count, min(first_seen_at) AS "firstSeenAt",
           max(last_seen_at) AS "lastSeenAt",
           (array_agg(last_idempotency_key ORDER BY last_seen_at DESC))[1] AS "lastIdempotencyKey",
           (array_agg(last_key_id ORDER BY last_seen_at DESC))[1] AS "lastKeyId"
    FROM rejected_events WHERE tenant_id = ${tenantId} ${since} ${until}
    GROUP BY id, scope, status_code, error, event_key, event_value, event_definition_id
    ORDER BY "lastSeenAt" DESC, id DESC LIMIT ${MAX_LISTED_GROUPS}`);
}

/** Deletes the counts of days that are over for more than a week. */
export async function deleteOldRejectedEvents(db: Querier, tenantId: string): Promise<void> {
  await db.run(sql`
    DELETE FROM rejected_events
    WHERE tenant_id = ${tenantId} AND day < (now() AT TIME ZONE 'UTC')::date - 7`);
}
