import { runSteps } from '../../../core/concurrency/run-steps.ts';
import type { Querier } from '../../../database/database.ts';
import { sql, type Sql } from '../../../database/sql.ts';
import type { PageRequest } from '../../../core/page.ts';
import type { NoticeRecipient } from '../mail/index.ts';

/** Returns the owners and admins of a workspace. */
export function listTeamRecipients(
  db: Querier,
  workspaceId: string,
): Promise<(NoticeRecipient & { workspaceName: string })[]> {
  return db.rows(sql`SELECT * FROM guildhall_team_recipients(${workspaceId})`);
}

export function listPlatformAdmins(db: Querier): Promise<NoticeRecipient[]> {
  return db.rows(sql`
    SELECT id AS "accountId", email, email_verified_at IS NOT NULL AS "emailVerified"
    FROM accounts WHERE is_platform_admin ORDER BY id`);
}

/** The columns of `notifications` that the application sets. */
interface NotificationRow {
  id: string;
  account_id: string;
  type: string;
  title: string;
  text: string;
  data: Record<string, unknown>;
  workspace_id: string | null;
  tenant_id: string | null;
}

/** Inserts in the order of the accounts. The commit locks their counters in the same order, which prevents deadlocks. */
export async function insertNotifications(db: Querier, rows: NotificationRow[]): Promise<void> {
  await db.run(sql`
    INSERT INTO notifications (id, account_id, type, title, text, data, workspace_id, tenant_id)
    SELECT id, account_id, type, title, text, data, workspace_id, tenant_id
    FROM jsonb_populate_recordset(NULL::notifications, ${JSON.stringify(rows)})
    ORDER BY account_id`);
}

/** A notification as the API returns it. */
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

/** How many notifications an account keeps, lists and counts. The nightly job deletes older ones. */
const MAX_NOTIFICATIONS = 10_000;

/** The last {@link MAX_NOTIFICATIONS} notifications of an account, as `notification`. A team can get any number of them. */
const newestOf = (accountId: string): Sql => sql`(
      SELECT * FROM notifications WHERE account_id = ${accountId}
      ORDER BY position DESC LIMIT ${MAX_NOTIFICATIONS}) notification`;

/** Selects notifications of an account. */
export interface NotificationFilter {
  accountId: string;
  unreadOnly: boolean;
}

/** Returns a page of notifications, newest first. */
export function listNotifications(
  db: Querier,
  { accountId, unreadOnly }: NotificationFilter,
  { limit, offset }: PageRequest,
): Promise<Notification[]> {
  return db.rows(sql`
    SELECT ${columns} FROM ${newestOf(accountId)}
    WHERE NOT ${unreadOnly}::boolean OR read_at IS NULL
    ORDER BY position DESC LIMIT ${limit} OFFSET ${offset}`);
}

export function countNotifications(db: Querier, accountId: string): Promise<{ all: number; unread: number }> {
  return db.one(sql`
    SELECT count(*) AS all, count(*) FILTER (WHERE read_at IS NULL) AS unread FROM ${newestOf(accountId)}`);
}

/** Marks a notification as read and keeps the first time. Returns undefined if the account does not have the notification. */
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

/** Marks all notifications that are listed as read. Returns the number of notifications that were unread. */
export function markAllRead(db: Querier, accountId: string): Promise<number> {
  return db.run(sql`
    UPDATE notifications SET read_at = now()
    WHERE account_id = ${accountId} AND read_at IS NULL
      AND position >= (SELECT min(position) FROM ${newestOf(accountId)})`);
}

/** Returns the notifications after a position, in the order in which they were committed. */
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

/** Returns the position of a notification, or undefined if the account does not have the notification. */
export async function findPosition(
  db: Querier,
  accountId: string,
  notificationId: string,
): Promise<number | undefined> {
  const row = await db.row<{ position: number }>(sql`
    SELECT position FROM notifications WHERE account_id = ${accountId} AND id = ${notificationId}`);
  return row?.position;
}

/** Returns the position of the account's latest notification, or 0. */
export async function lastPosition(db: Querier, accountId: string): Promise<number> {
  const row = await db.row<{ position: number }>(sql`
    SELECT last_position AS position FROM notification_counts WHERE account_id = ${accountId}`);
  return row?.position ?? 0;
}

const DELETED_AT_ONCE = 20_000;

/**
 * Deletes the notifications that are older than 90 days, read or unread, and those that no list shows. Each step is a transaction.
 */
export async function deleteOldNotifications(db: Querier, deletedAtOnce = DELETED_AT_ONCE): Promise<void> {
  const deleteInSteps = (old: Sql) =>
    runSteps(deletedAtOnce, (limit) =>
      db.run(sql`DELETE FROM notifications WHERE id = ANY (ARRAY(${old} LIMIT ${limit}))`),
    );
  await deleteInSteps(
    sql`SELECT id FROM notifications WHERE created_at < now() - interval '90 days' ORDER BY created_at`,
  );
  await deleteInSteps(sql`
    SELECT unlisted.id FROM notification_counts counted
    CROSS JOIN LATERAL (
      SELECT id FROM notifications
      WHERE account_id = counted.account_id AND position <= counted.last_position - ${MAX_NOTIFICATIONS} OFFSET 0) unlisted`);
}
