import { columnOf } from '../../../database/column-of.ts';
import type { Querier, Scope } from '../../../database/database.ts';
import { deleteInKeyOrder } from '../../../database/delete-expired.ts';
import { sql } from '../../../database/sql.ts';
import type { PageRequest } from '../../../core/page.ts';

/** Mails with the same content. */
interface NewMails {
  mails: NewMail[];
  subject: string;
  /** The time after which they are of no use, by the clock of the database, which also decides that it is over. */
  usefulSeconds: number;
  /** The reason if they are never delivered. Null otherwise. */
  failure: string | null;
}

interface NewMail {
  id: string;
  recipient: string;
  body: Buffer | null;
  budget: DailyMailLimit | undefined;
}

/** Limits how many mails with the same key are sent within a day. Further mails fail. The commit counts them. */
export interface DailyMailLimit {
  key: string;
  dailyMails: number;
}

export async function insertMails(
  db: Querier,
  { mails, subject, usefulSeconds, failure }: NewMails,
): Promise<void> {
  const column = columnOf(mails);
  await db.run(sql`
    INSERT INTO mails (id, recipient, subject, body, give_up_at, failure, failed_at, budget, daily_mails)
    SELECT id, recipient, ${subject}, body, now() + make_interval(secs => ${usefulSeconds}), ${failure},
           CASE WHEN ${failure}::text IS NOT NULL THEN now() END, budget, daily_mails
    FROM unnest(
      ${column('id')}::uuid[], ${column('recipient')}::text[], ${column('body')}::bytea[],
      ${mails.map(({ budget }) => budget?.key)}::text[], ${mails.map(({ budget }) => budget?.dailyMails)}::integer[])
      AS mail (id, recipient, body, budget, daily_mails)`);
}

/** A mail that waits for delivery. */
interface WaitingMail {
  recipient: string;
  subject: string;
  body: Buffer;
  /** Whether it is too late to deliver the mail. */
  isExpired: boolean;
}

/** Returns undefined if the mail was delivered, has failed, or was deleted. */
export function findWaitingMail(db: Querier, mailId: string): Promise<WaitingMail | undefined> {
  return db.row(sql`
    SELECT recipient, subject, body, give_up_at < now() AS "isExpired"
    FROM mails WHERE id = ${mailId} AND sent_at IS NULL AND failed_at IS NULL`);
}

/** Marks a mail as delivered and erases its body. */
export async function markSent(db: Querier, mailId: string): Promise<void> {
  await db.run(sql`UPDATE mails SET sent_at = now(), body = NULL, failure = NULL WHERE id = ${mailId}`);
}

/** Records a failed attempt. If `isFinal`, the mail is not retried and its body is erased. */
export async function markFailed(
  db: Querier,
  mailId: string,
  { failure, isFinal }: { failure: string; isFinal: boolean },
): Promise<void> {
  await db.run(sql`
    UPDATE mails SET failure = ${failure},
                     failed_at = CASE WHEN ${isFinal}::boolean THEN now() END,
                     body = CASE WHEN ${isFinal}::boolean THEN NULL ELSE body END
    WHERE id = ${mailId}`);
}

/** A mail of the outbox. The body is encrypted. */
interface OutboxMail {
  id: string;
  to: string;
  subject: string;
  body: Buffer | null;
  createdAt: string;
  sentAt: string | null;
  failedAt: string | null;
  failure: string | null;
}

/** The outbox lists and counts at most this many mails. */
const MAX_LISTED_MAILS = 10_000;

/** Returns a page of the last {@link MAX_LISTED_MAILS} mails, newest first. */
export function listMails(db: Querier, { limit, offset }: PageRequest): Promise<OutboxMail[]> {
  return db.rows(sql`
    SELECT id, recipient AS "to", subject, body, created_at AS "createdAt", sent_at AS "sentAt",
           failed_at AS "failedAt", failure
    FROM (SELECT * FROM mails ORDER BY id DESC LIMIT ${MAX_LISTED_MAILS}) mail
    ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`);
}

/** Counts the mails, at most {@link MAX_LISTED_MAILS}. */
export function countMails(db: Querier): Promise<number> {
  return db.count(sql`SELECT count(*) FROM (SELECT FROM mails LIMIT ${MAX_LISTED_MAILS}) mail`);
}

/** Deletes the mails that are older than 7 days, in any state, and the counts of daily mails that are older than a day. */
export async function deleteOldMails(scope: Scope): Promise<void> {
  await deleteInKeyOrder(scope, {
    table: sql`mail_budgets`,
    key: sql`budget`,
    where: sql`since NOT BETWEEN now() - interval '1 day' AND now() + interval '1 day'`,
  });
  await deleteInKeyOrder(scope, {
    table: sql`mails`,
    key: sql`id`,
    where: sql`created_at < now() - interval '7 days'`,
  });
}

/** The oldest mail whose last attempt failed and that is tried again. */
export function findFailingMail(db: Querier): Promise<{ failure: string; createdAt: string } | undefined> {
  return db.row(sql`
    SELECT failure, created_at AS "createdAt" FROM mails
    WHERE sent_at IS NULL AND failed_at IS NULL AND failure IS NOT NULL
    ORDER BY id LIMIT 1`);
}

/** How far {@link countRecentMails} looks back. */
export const RECENT_MINUTES = 15;
export const MAX_RECENT_MAILS = 1_000;

/** Counts the recent mails whose delivery was tried, by the result of the last attempt. */
export function countRecentMails(db: Querier): Promise<{ sent: number; deferred: number; refused: number }> {
  return db.one(sql`
    SELECT (count(*) FILTER (WHERE sent_at IS NOT NULL))::int AS sent,
           (count(*) FILTER (WHERE sent_at IS NULL AND failed_at IS NULL AND failure IS NOT NULL))::int AS deferred,
           -- A mail above the limit of its budget fails when it is created. No attempt was made.
           (count(*) FILTER (WHERE failed_at > created_at))::int AS refused
    FROM (SELECT created_at, sent_at, failed_at, failure FROM mails ORDER BY id DESC LIMIT ${MAX_RECENT_MAILS}) mail
    WHERE created_at > now() - make_interval(mins => ${RECENT_MINUTES})`);
}
