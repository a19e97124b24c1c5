import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import type { Role } from '../../../core/role.ts';
import type { PageRequest } from '../../../core/page.ts';

/** A member or an open invitation of a workspace. */
export interface TeamEntry {
  userId: string | null;
  invitationId: string | null;
  email: string;
  displayName: string | null;
  role: Role;
  status: 'active' | 'invited' | 'expired';
  createdAt: string;
  invitedBy: string | null;
  expiresAt: string | null;
}

/** Selects members as entries of the team. */
const members = sql`
  SELECT membership.workspace_id, membership.account_id AS "userId", NULL::uuid AS "invitationId", account.email,
         account.display_name AS "displayName", membership.role, 'active' AS status,
         membership.created_at AS "createdAt", NULL::uuid AS "invitedBy", NULL::timestamptz AS "expiresAt"
  FROM memberships membership
  CROSS JOIN LATERAL (SELECT email, display_name FROM accounts WHERE id = membership.account_id OFFSET 0) account`;

/** Selects open invitations as entries of the team. They do not reveal whether the address has an account. */
const invited = sql`
  SELECT workspace_id, NULL::uuid, id, email, NULL, role, CASE WHEN expires_at > now() THEN 'invited' ELSE 'expired' END,
         created_at, invited_by, expires_at
  FROM invitations
  WHERE ended_at IS NULL`;

const columns = sql`
  "userId", "invitationId", email, "displayName", role, status, "createdAt", "invitedBy", "expiresAt"`;

/** Lists members in the order in which they joined, then open invitations. */
export function listTeam(
  db: Querier,
  workspaceId: string,
  { limit, offset }: PageRequest,
): Promise<TeamEntry[]> {
  return db.rows(sql`
    SELECT ${columns} FROM (${members} UNION ALL ${invited}) team
    WHERE workspace_id = ${workspaceId}
    ORDER BY "userId" IS NULL, "createdAt", email LIMIT ${limit} OFFSET ${offset}`);
}

export function countTeam(db: Querier, workspaceId: string): Promise<number> {
  return db.count(sql`
    SELECT (SELECT count(*) FROM memberships WHERE workspace_id = ${workspaceId}) +
           (SELECT count(*) FROM invitations WHERE workspace_id = ${workspaceId} AND ended_at IS NULL) AS count`);
}

/** Counts the members, and the invitations to other addresses that can be accepted. */
export function countOthersOfTeam(db: Querier, workspaceId: string, email: string): Promise<number> {
  return db.count(sql`
    SELECT (SELECT count(*) FROM memberships WHERE workspace_id = ${workspaceId}) +
           (SELECT count(*) FROM invitations
            WHERE workspace_id = ${workspaceId} AND ended_at IS NULL AND expires_at > now() AND email <> ${email}) AS count`);
}

export function findMember(db: Querier, workspaceId: string, userId: string): Promise<TeamEntry | undefined> {
  return db.row(sql`
    SELECT ${columns} FROM (${members}) team WHERE workspace_id = ${workspaceId} AND "userId" = ${userId}`);
}

export function isMember(db: Querier, workspaceId: string, email: string): Promise<boolean> {
  return db.exists(sql`
    SELECT FROM (${members}) team WHERE workspace_id = ${workspaceId} AND email = ${email}`);
}

export function countOwners(db: Querier, workspaceId: string): Promise<number> {
  return db.count(sql`
    SELECT count(*) FROM memberships WHERE workspace_id = ${workspaceId} AND role = 'owner'`);
}

export async function updateRole(
  db: Querier,
  workspaceId: string,
  { userId, role }: { userId: string; role: Role },
): Promise<void> {
  await db.run(sql`
    UPDATE memberships SET role = ${role} WHERE workspace_id = ${workspaceId} AND account_id = ${userId}`);
}

export async function deleteMembership(db: Querier, workspaceId: string, userId: string): Promise<void> {
  await db.run(sql`DELETE FROM memberships WHERE workspace_id = ${workspaceId} AND account_id = ${userId}`);
}
