import { changeInSteps } from '../../../database/change-in-steps.ts';
import type { Querier } from '../../../database/database.ts';
import { empty, join, sql, type Sql } from '../../../database/sql.ts';
import type { Author } from '../../../core/author.ts';
import type { Place } from '../../../core/role.ts';
import { createdWithin } from '../../../database/created-within.ts';

/** The columns of `audit_records` that the application sets. */
interface AuditRow {
  id: string;
  workspace_id: string | null;
  tenant_id: string | null;
  actor_kind: string;
  actor_id: string | null;
  action: string;
  target_id: string | null;
  details: Record<string, unknown>;
  ip_address: string | null;
  request_id: string | null;
}

export interface AuditRecord {
  id: string;
  occurredAt: string;
  workspaceId: string | null;
  tenantId: string | null;
  actor: Author['actor'] & { email: string | null };
  action: string;
  targetId: string | null;
  details: Record<string, unknown>;
  ipAddress: string | null;
  requestId: string | null;
}

/** A deletion erases the addresses of a player's records, so a record after it has none. */
export async function insertAuditRecords(db: Querier, rows: AuditRow[]): Promise<void> {
  await db.run(sql`
    INSERT INTO audit_records (id, workspace_id, tenant_id, actor_kind, actor_id, action, target_id, details, ip_address, request_id)
    SELECT row.id, coalesce(row.workspace_id, (SELECT workspace_id FROM tenants WHERE tenants.id = row.tenant_id)), row.tenant_id, row.actor_kind, row.actor_id, row.action,
           row.target_id, row.details,
           CASE WHEN row.actor_kind <> 'player' OR (
             SELECT coalesce((SELECT is_active FROM players target WHERE target.id = player.merged_into_id), player.is_active)
             FROM players player WHERE player.id = row.actor_id) THEN row.ip_address END,
           row.request_id
    FROM jsonb_populate_recordset(NULL::audit_records, ${JSON.stringify(rows)}) row`);
}

/**
 * Erases the addresses in the records of what the scope's player, and the profiles merged into it, did. Only the index of the actor gives
 * the order, as in {@link recordsOf}.
 */
export async function eraseAuditAddresses(db: Querier): Promise<void> {
  await changeInSteps(async (limit) => ({
    rows: await db.run(sql`
      UPDATE audit_records SET ip_address = NULL
      WHERE id = ANY (ARRAY(
        SELECT record.id FROM unnest(guildhall_person()) person (id)
        CROSS JOIN LATERAL (
          SELECT id FROM audit_records
          WHERE actor_id = ANY (ARRAY[person.id]) AND actor_kind = 'player' AND ip_address IS NOT NULL
          ORDER BY actor_id, audit_records.id DESC LIMIT ${limit}) record
        LIMIT ${limit}))`),
  }));
}

/** Selects the records of a page. */
interface AuditFilter {
  action?: string | undefined;
  actorId?: string | undefined;
  /** A target, or all profiles of one player. */
  targetIds?: string[] | undefined;
  from?: string | undefined;
  to?: string | undefined;
  /** The id of the last record of the previous page. Older records follow. */
  cursor?: string | undefined;
}

export interface AuditPageRequest extends AuditFilter {
  limit: number;
}

/** The records that a list is about. */
interface RecordScope {
  condition: Sql;
  /** The columns that the list is sorted by before the id. */
  order: Sql;
  /** The condition on the account of an actor under which its email address is returned. */
  withEmail: Sql;
}

/** A tenant, a workspace with its tenants, or the whole deployment. Only the last has the records without tenant and workspace. */
export type AuditOwner = Place | 'deployment';

/**
 * Selects the records of an owner. In a tenant or a workspace, only members of the workspace appear with their email addresses.
 *
 * If statistics say that nearly all records are of one owner, the planner would read the records of all owners by their ids. It does
 * not know that a list of one has one value, so only an index that begins with the owner gives the order.
 */
function recordsOf(owner: AuditOwner): RecordScope {
  if (owner === 'deployment') return { condition: sql`true`, order: empty, withEmail: empty };
  const [column, id] =
    'tenantId' in owner
      ? [sql`record.tenant_id`, owner.tenantId]
      : [sql`record.workspace_id`, owner.workspaceId];
  return {
    condition: sql`${column} = ANY (ARRAY[${id}::uuid])`,
    order: sql`${column},`,
    withEmail: sql`AND EXISTS (
          SELECT FROM memberships
          WHERE memberships.workspace_id = record.workspace_id AND memberships.account_id = accounts.id OFFSET 0)`,
  };
}

/** Lists records, newest first. Sorts by id, because ids are generated in the order of time. */
export function listRecords(
  db: Querier,
  owner: AuditOwner,
  { limit, ...filter }: AuditPageRequest,
): Promise<AuditRecord[]> {
  const scope = recordsOf(owner);
  const conditions = [unlessTarget(filter, scope.condition), ...conditionsOf(filter)];
  const page =
    filter.targetIds === undefined
      ? sql`
      SELECT * FROM audit_records record WHERE ${join(conditions, ' AND ')}
      ORDER BY ${scope.order} record.id DESC LIMIT ${limit}`
      : sql`
      SELECT record.* FROM unnest(${filter.targetIds}::text[]) target (id)
      CROSS JOIN LATERAL (
        SELECT * FROM audit_records record WHERE ${join([sql`record.target_id = target.id`, ...conditions], ' AND ')}
        ORDER BY record.id DESC LIMIT ${limit}) record
      ORDER BY record.id DESC LIMIT ${limit}`;
  return db.rows(sql`
    WITH record AS MATERIALIZED (${page})
    SELECT record.id, record.occurred_at AS "occurredAt", record.workspace_id AS "workspaceId",
           record.tenant_id AS "tenantId", record.action, record.target_id AS "targetId", record.details,
           record.ip_address AS "ipAddress", record.request_id AS "requestId",
           jsonb_build_object('kind', record.actor_kind, 'id', record.actor_id, 'email', (
             SELECT email FROM accounts WHERE accounts.id = record.actor_id ${scope.withEmail})) AS actor
    FROM record
    ORDER BY record.id DESC`);
}

/** A target has few records, so only its index may be chosen if one is named: IS TRUE hides a condition from all other indexes. */
const unlessTarget = ({ targetIds }: AuditFilter, condition: Sql): Sql =>
  targetIds === undefined ? condition : sql`(${condition}) IS TRUE`;

function conditionsOf(filter: AuditFilter): Sql[] {
  const { action, actorId, from, to, cursor } = filter;
  const conditions: Sql[] = [];
  if (action !== undefined) conditions.push(unlessTarget(filter, sql`record.action = ${action}`));
  if (actorId !== undefined) conditions.push(unlessTarget(filter, sql`record.actor_id = ${actorId}`));
  conditions.push(...createdWithin(sql`record.id`, sql`record.occurred_at`, { from, to }));
  if (cursor !== undefined) conditions.push(sql`record.id < ${cursor}`);
  return conditions;
}
