import type { Querier, Scope } from '../../../database/database.ts';
import { deleteInKeyOrder } from '../../../database/delete-expired.ts';
import { sql } from '../../../database/sql.ts';
import type { IdempotentRequest } from '../../../http/idempotency-key.ts';

/**
 * Claims an idempotency key for the caller's transaction, which must then store its response. Waits if another transaction has
 * claimed the key. Returns false if a response of the last 24 hours is stored.
 */
export function claimKey(db: Querier, request: IdempotentRequest): Promise<boolean> {
  return db.changes(sql`
    INSERT INTO idempotency_records AS known (tenant_id, caller_id, operation, idempotency_key, request_hash)
    VALUES (${request.tenantId}, ${request.callerId}, ${request.operation}, ${request.key}, ${request.hash})
    ON CONFLICT (tenant_id, caller_id, operation, idempotency_key) DO UPDATE
      SET request_hash = excluded.request_hash, answer = NULL, created_at = excluded.created_at
      WHERE known.created_at <= now() - interval '24 hours'`);
}

/** Finds the stored response of the last 24 hours, as JSON, with the hash of its request. */
export function findStoredResponse(
  db: Querier,
  { tenantId, callerId, operation, key }: IdempotentRequest,
): Promise<{ hash: Buffer; response: string } | undefined> {
  return db.row(sql`
    SELECT request_hash AS hash, answer AS response FROM idempotency_records
    WHERE tenant_id = ${tenantId} AND caller_id = ${callerId} AND operation = ${operation} AND idempotency_key = ${key}
      AND created_at > now() - interval '24 hours'`);
}

export async function storeResponse(
  db: Querier,
  { tenantId, callerId, operation, key }: IdempotentRequest,
  response: string,
): Promise<void> {
  await db.run(sql`
    UPDATE idempotency_records SET answer = ${response}
    WHERE tenant_id = ${tenantId} AND caller_id = ${callerId} AND operation = ${operation} AND idempotency_key = ${key}`);
}

/**
 * Deletes the stored responses of a tenant, or of requests without a tenant, that are older than 24 hours. An index by their time would
 * slow each request that stores a response.
 */
export const deleteOldResponses = (scope: Scope, tenantId: string): Promise<void> =>
  deleteInKeyOrder(scope, {
    table: sql`idempotency_records`,
    key: sql`caller_id, operation, idempotency_key`,
    tenantId,
    where: sql`created_at <= now() - interval '24 hours'`,
  });
