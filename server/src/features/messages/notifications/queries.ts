import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import type { PageRequest } from '../../../core/page.ts';

/** Somebody who is told. */
export interface Recipient {
  accountId: string;
  email: string;
}

/** The owners and admins of a workspace. */
export function listTeamRecipients(
  db: Querier,
  workspaceId: string,
): Promise<(Recipient & { workspaceName: string })[]> {
  return db.rows(sql`SELECT * FROM guildhall_team_recipients(${workspaceId})`);
}

/** Those who run the deployment. */
export function listPlatformAdmins(db: Querier): Promise<Recipient[]> {
  return db.rows(sql`
    SELECT id AS "accountId", email FROM accounts WHERE is_platform_admin ORDER BY id`);
}

/** The columns of `notifications` that the application decides. */
export interface NotificationRow {
  id: string;
  account_id: string;
  type: string;
  title: string;
  text: string;
  data: Record<string, unknown>;
  workspace_id: string | null;
  tenant_id: string | null;
}

/** In the order of their accounts, which is the order in which the commit locks their counts. */
export async function insertNotifications(db: Querier, rows: NotificationRow[]): Promise<void> {
  await db.run(sql`
    INSERT INTO notifications (id, account_id, type, title, text, data, workspace_id, tenant_id)
    SELECT id, account_id, type, title, text, data, workspace_id, tenant_id
    FROM jsonb_populate_recordset(NULL::notifications, ${JSON.stringify(rows)})
    ORDER BY account_id`);
}

/** What somebody was told, as they see it. */
export interface Notification {
  id: string;
  type: string;
  title: string;
  text: string;
  data: Record<string, unknown>;
  workspaceId: string | null;
  tenantId: string | null;
  createdAt: string;
  readAt: string | null;
}

const columns = sql`
  id, type, title, text, data, workspace_id AS "workspaceId", tenant_id AS "tenantId", created_at AS "createdAt",
  read_at AS "readAt"`;

/** Which notifications of an account a page shows. */
export interface NotificationFilter {
  accountId: string;
  unreadOnly: boolean;
}

/** The newest first. */
export function listNotifications(
  db: Querier,
  { accountId, unreadOnly }: NotificationFilter,
  { limit, offset }: PageRequest,
): Promise<Notification[]> {
  return db.rows(sql`
    SELECT ${columns} FROM notifications
    WHERE account_id = ${accountId} AND (NOT ${unreadOnly}::boolean OR read_at IS NULL)
    ORDER BY position DESC LIMIT ${limit} OFFSET ${offset}`);
}

export async function countNotifications(
  db: Querier,
  accountId: string,
): Promise<{ all: number; unread: number }> {
  const row = await db.row<{ all: number; unread: number }>(sql`
    SELECT count(*) AS all, count(*) FILTER (WHERE read_at IS NULL) AS unread
    FROM notifications WHERE account_id = ${accountId}`);
  return row ?? { all: 0, unread: 0 };
}

/** Keeps the time at which it was first read. Undefined where the account has no such notification. */
export function markRead(
  db: Querier,
  accountId: string,
  notificationId: string,
): Promise<Notification | undefined> {
  return db.row(sql`
    UPDATE notifications SET read_at = coalesce(read_at, now())
    WHERE account_id = ${accountId} AND id = ${notificationId}
    RETURNING ${columns}`);
}

/** How many were unread. */
export function markAllRead(db: Querier, accountId: string): Promise<number> {
  return db.run(sql`
    UPDATE notifications SET read_at = now() WHERE account_id = ${accountId} AND read_at IS NULL`);
}

/** The next ones after a position, in the order in which they became visible. */
export function listAfter(
  db: Querier,
  accountId: string,
  position: number,
  limit: number,
): Promise<(Notification & { position: number })[]> {
  return db.rows(sql`
    SELECT ${columns}, position FROM notifications
    WHERE account_id = ${accountId} AND position > ${position}
    ORDER BY position LIMIT ${limit}`);
}

/** The position of a notification; undefined where the account has none of this id. */
export async function findPosition(
  db: Querier,
  accountId: string,
  notificationId: string,
): Promise<number | undefined> {
  const row = await db.row<{ position: number }>(sql`
    SELECT position FROM notifications WHERE account_id = ${accountId} AND id = ${notificationId}`);
  return row?.position;
}

/** The position of the account's latest one. */
export async function lastPosition(db: Querier, accountId: string): Promise<number> {
  const row = await db.row<{ position: number }>(sql`
    SELECT last_position AS position FROM notification_counts WHERE account_id = ${accountId}`);
  return row?.position ?? 0;
}

/** Deletes those of more than 90 days ago, read or not. */
export async function deleteOldNotifications(db: Querier): Promise<void> {
  await db.run(sql`DELETE FROM notifications WHERE created_at < now() - interval '90 days'`);
}
