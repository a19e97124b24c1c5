import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import type { PageRequest } from '../../../core/page.ts';

export interface NewMail {
  id: string;
  recipient: string;
  subject: string;
  body: Buffer | null;
  giveUpAt: string;
  /** Why it is not delivered at all. */
  failure: string | null;
}

export async function insertMail(db: Querier, mail: NewMail): Promise<void> {
  await db.run(sql`
    INSERT INTO mails (id, recipient, subject, body, give_up_at, failure, failed_at)
    VALUES (${mail.id}, ${mail.recipient}, ${mail.subject}, ${mail.body}, ${mail.giveUpAt}, ${mail.failure},
            CASE WHEN ${mail.failure}::text IS NOT NULL THEN now() END)`);
}

/** A mail that waits to be delivered. */
export interface WaitingMail {
  recipient: string;
  subject: string;
  body: Buffer;
  /** Whether it would be of no more use to its reader. */
  isLate: boolean;
}

/** Undefined where it was delivered or has failed, or is gone. */
export function findWaitingMail(db: Querier, mailId: string): Promise<WaitingMail | undefined> {
  return db.row(sql`
    SELECT recipient, subject, body, give_up_at < now() AS "isLate"
    FROM mails WHERE id = ${mailId} AND sent_at IS NULL AND failed_at IS NULL`);
}

/** Delivered: what it said is erased. */
export async function markSent(db: Querier, mailId: string): Promise<void> {
  await db.run(sql`UPDATE mails SET sent_at = now(), body = NULL, failure = NULL WHERE id = ${mailId}`);
}

/** Not delivered this time; for good, and erased, where `isFinal`. */
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

/** A mail of the outbox, its body sealed. */
export interface KeptMail {
  id: string;
  to: string;
  subject: string;
  body: Buffer | null;
  createdAt: string;
  sentAt: string | null;
  failedAt: string | null;
  failure: string | null;
}

/** The newest first. */
export function listMails(db: Querier, { limit, offset }: PageRequest): Promise<KeptMail[]> {
  return db.rows(sql`
    SELECT id, recipient AS "to", subject, body, created_at AS "createdAt", sent_at AS "sentAt",
           failed_at AS "failedAt", failure
    FROM mails ORDER BY id DESC LIMIT ${limit} OFFSET ${offset}`);
}

export function countMails(db: Querier): Promise<number> {
  return db.count(sql`SELECT count(*) FROM mails`);
}

/** Deletes the mails of more than a week ago, whatever became of them, and returns how many. */
export function deleteOldMails(db: Querier): Promise<number> {
  return db.run(sql`DELETE FROM mails WHERE created_at < now() - interval '7 days'`);
}
