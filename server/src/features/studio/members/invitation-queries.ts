import type { Querier, Scope } from '../../../database/database.ts';
import { deleteInKeyOrder } from '../../../database/delete-expired.ts';
import { sql, type Sql } from '../../../database/sql.ts';
import type { Role } from '../../../core/role.ts';
import type { TeamEntry } from './queries.ts';

interface NewInvitation {
  id: string;
  workspaceId: string;
  email: string;
  role: Role;
  tokenHash: Buffer;
  invitedBy: string;
  expiresAt: string;
}

export function insertInvitation(db: Querier, invitation: NewInvitation): Promise<TeamEntry> {
  const { id, workspaceId, email, role, tokenHash, invitedBy, expiresAt } = invitation;
  return db.one(sql`
    INSERT INTO invitations (id, workspace_id, email, role, token_hash, invited_by, created_at, expires_at)
    VALUES (${id}, ${workspaceId}, ${email}, ${role}, ${tokenHash}, ${invitedBy}, clock_timestamp(), ${expiresAt})
    RETURNING NULL AS "userId", id AS "invitationId", email, NULL AS "displayName", role, 'invited' AS status,
              created_at AS "createdAt", invited_by AS "invitedBy", expires_at AS "expiresAt"`);
}

/** An invitation that is not accepted, withdrawn or replaced. */
export interface OpenInvitation {
  id: string;
  workspaceId: string;
  email: string;
  role: Role;
  expiresAt: string;
}

const columns = sql`id, workspace_id AS "workspaceId", email, role, expires_at AS "expiresAt"`;

export function findOpenInvitation(
  db: Querier,
  workspaceId: string,
  by: { id: string } | { email: string },
): Promise<OpenInvitation | undefined> {
  const matches: Sql = 'id' in by ? sql`id = ${by.id}` : sql`email = ${by.email}`;
  return db.row(sql`
    SELECT ${columns} FROM invitations
    WHERE workspace_id = ${workspaceId} AND ${matches} AND ended_at IS NULL`);
}

/** An invitation, as the invited person sees it. */
export interface MailedInvitation extends OpenInvitation {
  workspaceName: string;
  workspaceSlug: string;
  /** The email address of the inviter. */
  invitedBy: string;
}

/** Finds an invitation by its token. Returns undefined if the token is unknown, used or expired. */
export function findInvitationOfToken(db: Querier, tokenHash: Buffer): Promise<MailedInvitation | undefined> {
  return db.row(sql`SELECT * FROM guildhall_find_invitation(${tokenHash})`);
}

/** Ends an invitation. Returns false if it had already ended. */
export function endInvitation(db: Querier, invitationId: string): Promise<boolean> {
  return db.changes(sql`
    UPDATE invitations SET ended_at = clock_timestamp() WHERE id = ${invitationId} AND ended_at IS NULL`);
}

/** Ends and returns the open invitations that an account sent for these roles. */
export function endInvitationsBy(
  db: Querier,
  workspaceId: string,
  { userId, roles }: { userId: string; roles: Role[] },
): Promise<OpenInvitation[]> {
  return db.rows(sql`
    UPDATE invitations SET ended_at = clock_timestamp()
    WHERE workspace_id = ${workspaceId} AND invited_by = ${userId} AND role = ANY(${roles}::text[]) AND ended_at IS NULL
    RETURNING ${columns}`);
}

export interface SentMails {
  count: number;
  /** The seconds until the oldest of them no longer counts. */
  seconds: number;
}

/**
 * Counts the invitations to an address in the last 24 hours: those of the workspace, those of the inviter and, if the address of
 * the inviter is not verified, those of all such accounts.
 */
export function countMailsTo(
  db: Querier,
  email: string,
  { workspaceId, userId }: { workspaceId: string; userId: string },
): Promise<SentMails> {
  return db.one(sql`SELECT * FROM guildhall_count_invitations_to(${email}, ${workspaceId}, ${userId})`);
}

/** Counts the invitations that an account sent in the last 24 hours. */
export function countMailsBy(db: Querier, userId: string): Promise<SentMails> {
  return db.one(sql`SELECT * FROM guildhall_count_invitations_by(${userId})`);
}

/** Deletes invitations that ended over 1 day ago or expired over 30 days ago. Until then, they count for the daily limits. */
export const deleteOldInvitations = (scope: Scope): Promise<void> =>
  deleteInKeyOrder(scope, {
    table: sql`invitations`,
    key: sql`id`,
    where: sql`ended_at < now() - interval '1 day' OR expires_at < now() - interval '30 days'`,
  });
