import type { Querier } from '../../../database/database.ts';
import { sql } from '../../../database/sql.ts';
import type { IdempotentRequest } from '../../../http/idempotency-key.ts';

/**
 * Claims an idempotency key for the running transaction, which then must store its answer. Waits for another transaction that
 * has claimed it. False if an answer of the last 24 hours is stored.
 */
export async function claimKey(db: Querier, request: IdempotentRequest): Promise<boolean> {
  const claimed = await db.run(sql`
    INSERT INTO idempotency_records AS known (tenant_id, caller_id, operation, idempotency_key, request_hash)
    VALUES (${request.tenantId}, ${request.callerId}, ${request.operation}, ${request.key}, ${request.hash})
    ON CONFLICT (tenant_id, caller_id, operation, idempotency_key) DO UPDATE
      SET request_hash = excluded.request_hash, answer = NULL, created_at = excluded.created_at
      WHERE known.created_at <= now() - interval '24 hours'`);
  return claimed === 1;
}

/** The first answer to a request of the last 24 hours, as JSON, and the hash of the request that got it. */
export function findAnswer(
  db: Querier,
  { tenantId, callerId, operation, key }: IdempotentRequest,
): Promise<{ hash: Buffer; answer: string } | undefined> {
  return db.row(sql`
    SELECT request_hash AS hash, answer FROM idempotency_records
    WHERE tenant_id = ${tenantId} AND caller_id = ${callerId} AND operation = ${operation} AND idempotency_key = ${key}
      AND created_at > now() - interval '24 hours'`);
}

export async function storeAnswer(
  db: Querier,
  { tenantId, callerId, operation, key }: IdempotentRequest,
  answer: string,
): Promise<void> {
  await db.run(sql`
    UPDATE idempotency_records SET answer = ${answer}
    WHERE tenant_id = ${tenantId} AND caller_id = ${callerId} AND operation = ${operation} AND idempotency_key = ${key}`);
}

/** Deletes the answers of a tenant that are older than 24 hours. */
export async function deleteOldAnswers(db: Querier, tenantId: string): Promise<void> {
  await db.run(sql`
    DELETE FROM idempotency_records WHERE tenant_id = ${tenantId} AND created_at <= now() - interval '24 hours'`);
}
