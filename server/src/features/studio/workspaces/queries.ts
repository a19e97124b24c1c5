import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import type { Place, Role } from '../../../core/role.ts';
import type { PageRequest } from '../../../core/page.ts';

/** Finds the role of an account in a workspace, or in the workspace that owns a tenant. */
export function findRole(db: Querier, accountId: string, place: Place): Promise<{ role: Role } | undefined> {
  const [workspaceId, tenantId] = 'tenantId' in place ? [null, place.tenantId] : [place.workspaceId, null];
  return db.row(sql`
    SELECT role FROM guildhall_find_role(${accountId}, ${workspaceId}, ${tenantId}) AS role WHERE role IS NOT NULL`);
}

/** The limits of a workspace. */
export interface Plan {
  name: string;
  monthlyUnits: number | null;
  hardStop: boolean;
  rateLimit: { perMinute: number; perHour: number };
  maxMatchEventRecordsPerRequest: number;
  maxPlayerEventRecordsPerRequest: number;
}

/** A workspace with the role of the member who reads it. */
export interface Workspace {
  id: string;
  name: string;
  slug: string;
  role: Role;
  plan: Plan;
  createdAt: string;
}

const plan = sql`
  jsonb_build_object(
    'name', workspace.plan,
    'monthlyUnits', workspace.monthly_units,
    'hardStop', workspace.hard_stop,
    'rateLimit', jsonb_build_object('perMinute', workspace.requests_per_minute, 'perHour', workspace.requests_per_hour),
    'maxMatchEventRecordsPerRequest', workspace.max_match_event_records_per_request,
    'maxPlayerEventRecordsPerRequest', workspace.max_player_event_records_per_request) AS plan`;

/** The columns of a workspace with its plan. */
export const columns = sql`
  workspace.id, workspace.name, workspace.slug, workspace.created_at AS "createdAt", ${plan}`;

/** Lists the workspaces of an account, oldest first. */
export function listWorkspaces(
  db: Querier,
  accountId: string,
  { limit, offset }: PageRequest,
): Promise<Workspace[]> {
  return db.rows(sql`
    SELECT ${columns}, membership.role
    FROM memberships membership
    JOIN workspaces workspace ON workspace.id = membership.workspace_id
    WHERE membership.account_id = ${accountId}
    ORDER BY workspace.created_at, workspace.id
    LIMIT ${limit} OFFSET ${offset}`);
}

export function countWorkspaces(db: Querier, accountId: string): Promise<number> {
  return db.count(sql`SELECT count(*) FROM memberships WHERE account_id = ${accountId}`);
}

/**
 * Whether an account is a platform administrator. Its next transaction that asks waits until this one ends, so that two of them
 * do not create the last workspace that it may own. Count the workspaces in a later statement.
 */
export async function lockOwner(
  db: Querier,
  accountId: string,
): Promise<{ isPlatformAdmin: boolean } | undefined> {
  return db.row(sql`
    SELECT is_platform_admin AS "isPlatformAdmin" FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`);
}

export function countOwnedWorkspaces(db: Querier, accountId: string): Promise<number> {
  return db.count(sql`SELECT count(*) FROM memberships WHERE account_id = ${accountId} AND role = 'owner'`);
}

/** Finds a workspace. Returns undefined if the account is not a member. */
export function findWorkspace(
  db: Querier,
  workspaceId: string,
  accountId: string,
): Promise<Workspace | undefined> {
  return db.row(sql`
    SELECT ${columns}, membership.role
    FROM workspaces workspace
    JOIN memberships membership ON membership.workspace_id = workspace.id AND membership.account_id = ${accountId}
    WHERE workspace.id = ${workspaceId}`);
}

/** Returns false if another workspace has the slug. */
export function insertWorkspace(
  db: Querier,
  workspace: { id: string; name: string; slug: string },
): Promise<boolean> {
  return db.changes(sql`
    INSERT INTO workspaces (id, name, slug) VALUES (${workspace.id}, ${workspace.name}, ${workspace.slug})
    ON CONFLICT (slug) DO NOTHING`);
}

interface NamedWorkspace {
  name: string;
  slug: string;
}

/**
 * Finds the name and slug of a workspace and locks its row until the transaction ends. This serializes changes of its team, so the
 * number of owners cannot change in between.
 */
export function lockWorkspace(db: Querier, workspaceId: string): Promise<NamedWorkspace | undefined> {
  return db.row(sql`SELECT name, slug FROM workspaces WHERE id = ${workspaceId} FOR NO KEY UPDATE`);
}

export async function updateWorkspace(
  db: Querier,
  workspaceId: string,
  { name, slug }: NamedWorkspace,
): Promise<void> {
  await db.run(sql`UPDATE workspaces SET name = ${name}, slug = ${slug} WHERE id = ${workspaceId}`);
}

/** Finds the plan of a workspace and locks its row until the transaction ends. */
export async function lockPlan(db: Querier, workspaceId: string): Promise<Plan | undefined> {
  const row = await db.row<{ plan: Plan }>(sql`
    SELECT ${plan} FROM workspaces workspace WHERE id = ${workspaceId} FOR NO KEY UPDATE`);
  return row?.plan;
}

export async function updatePlan(db: Querier, workspaceId: string, plan: Plan): Promise<void> {
  await db.run(sql`
    UPDATE workspaces
    SET plan = ${plan.name}, monthly_units = ${plan.monthlyUnits}, hard_stop = ${plan.hardStop},
        requests_per_minute = ${plan.rateLimit.perMinute}, requests_per_hour = ${plan.rateLimit.perHour},
        max_match_event_records_per_request = ${plan.maxMatchEventRecordsPerRequest},
        max_player_event_records_per_request = ${plan.maxPlayerEventRecordsPerRequest}
    WHERE id = ${workspaceId}`);
}

export async function insertMembership(
  db: Querier,
  membership: { workspaceId: string; accountId: string; role: Role },
): Promise<void> {
  await db.run(sql`
    INSERT INTO memberships (workspace_id, account_id, role)
    VALUES (${membership.workspaceId}, ${membership.accountId}, ${membership.role})`);
}

export interface Membership {
  workspaceId: string;
  workspaceName: string;
  workspaceSlug: string;
  role: Role;
}

/** How many memberships `GET /api/saas-auth/me` returns. `GET /api/workspaces` returns all workspaces, page by page. */
export const MAX_LISTED_MEMBERSHIPS = 200;

/** Lists the memberships of an account, oldest workspace first, at most {@link MAX_LISTED_MEMBERSHIPS}. */
export function listMemberships(db: Querier, accountId: string): Promise<Membership[]> {
  return db.rows(sql`
    SELECT workspace.id AS "workspaceId", workspace.name AS "workspaceName", workspace.slug AS "workspaceSlug",
           membership.role
    FROM memberships membership
    JOIN workspaces workspace ON workspace.id = membership.workspace_id
    WHERE membership.account_id = ${accountId}
    ORDER BY workspace.created_at, workspace.id LIMIT ${MAX_LISTED_MEMBERSHIPS}`);
}
