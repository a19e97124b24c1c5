import type { Role } from '../../../core/role.ts';
import type { Querier } from '../../../database/database.ts';
import { beginsWith } from '../../../database/begins-with.ts';
import { join, sql } from '../../../database/sql.ts';
import { columns, type Workspace } from './queries.ts';

/** A workspace as a platform administrator sees it. */
export type AnyWorkspace = Omit<Workspace, 'role'>;

/** How many members and tenants the view of one workspace has. */
export const MAX_LISTED = 200;

/** How many workspaces a beginning of a name finds. */
const MAX_FOUND = 2_500;

/** Lists all workspaces, newest first. The cursor is the id of the last one. */
export function listAll(
  db: Querier,
  { cursor, limit }: { cursor: string | undefined; limit: number },
): Promise<AnyWorkspace[]> {
  return db.rows(sql`
    SELECT ${columns} FROM workspaces workspace
    WHERE ${cursor}::uuid IS NULL OR workspace.id < ${cursor}
    ORDER BY workspace.id DESC LIMIT ${limit}`);
}

/** Lists the workspaces whose name begins with a text or whose slug it is, and those with these ids, newest first. */
export function searchAll(
  db: Querier,
  { text, ids, cursor, limit }: { text: string; ids: string[]; cursor: string | undefined; limit: number },
): Promise<AnyWorkspace[]> {
  const matches = [
    sql`(SELECT unnest(${ids}::uuid[]) AS id)`,
    sql`(SELECT id FROM workspaces WHERE slug = lower(${text}))`,
    sql`(SELECT id FROM workspaces
         WHERE ${beginsWith(sql`search_name`, text)}
         ORDER BY search_name LIMIT ${MAX_FOUND})`,
  ];
  return db.rows(sql`
    WITH found AS MATERIALIZED (
      SELECT id FROM (${join(matches, ' UNION ')}) found
      WHERE ${cursor}::uuid IS NULL OR id < ${cursor} ORDER BY id DESC LIMIT ${limit})
    SELECT workspace.* FROM found CROSS JOIN LATERAL (
      SELECT ${columns} FROM workspaces workspace WHERE workspace.id = found.id OFFSET 0) workspace
    ORDER BY workspace.id DESC`);
}

/** The workspace of a tenant. */
export function findWorkspaceIdOf(db: Querier, tenantId: string): Promise<{ id: string } | undefined> {
  return db.row(sql`SELECT workspace_id AS id FROM tenants WHERE id = ${tenantId}`);
}

/** The account with an email address. */
export function findAccountId(db: Querier, email: string): Promise<{ id: string } | undefined> {
  return db.row(sql`SELECT id FROM accounts WHERE email = ${email}`);
}

/** The first workspaces of an account, in the scope of the account. */
export async function listWorkspaceIdsOf(db: Querier, accountId: string): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(sql`
    SELECT workspace_id AS id FROM memberships WHERE account_id = ${accountId} LIMIT ${MAX_LISTED}`);
  return rows.map(({ id }) => id);
}

export function findAny(db: Querier, workspaceId: string): Promise<AnyWorkspace | undefined> {
  return db.row(sql`SELECT ${columns} FROM workspaces workspace WHERE workspace.id = ${workspaceId}`);
}

interface MemberOfWorkspace {
  accountId: string;
  email: string;
  role: Role;
}

/** The first members, without an order: with one, the planner could read all accounts in that order. */
export function listMembersOf(db: Querier, workspaceId: string): Promise<MemberOfWorkspace[]> {
  return db.rows(sql`
    SELECT membership.account_id AS "accountId", account.email, membership.role
    FROM (SELECT account_id, role FROM memberships WHERE workspace_id = ${workspaceId} LIMIT ${MAX_LISTED}) membership
    CROSS JOIN LATERAL (SELECT email FROM accounts WHERE id = membership.account_id OFFSET 0) account
    ORDER BY account.email`);
}

interface TenantOfWorkspace {
  tenantId: string;
  name: string;
  slug: string;
  disabledAt: string | null;
}

export function listTenantsOf(db: Querier, workspaceId: string): Promise<TenantOfWorkspace[]> {
  return db.rows(sql`
    SELECT id AS "tenantId", name, slug, disabled_at AS "disabledAt"
    FROM tenants WHERE workspace_id = ${workspaceId}
    ORDER BY slug LIMIT ${MAX_LISTED}`);
}
